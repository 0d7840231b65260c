/** Which of this node's entries have been broadcast to all nodes: its own messages have come back to it. */
import type { Positions } from '../../stores/cluster/partitioned-log.ts';

interface Waiting {
  reached: Positions;
  resolve(): void;
}

export class BroadcastConfirmations {
  readonly #heads = new Map<number, number>();
  #waiting: Waiting[] = [];

  confirm(heads: Iterable<readonly [number, number]>): void {
    for (const [partition, head] of heads) {
      if (head > (this.#heads.get(partition) ?? 0)) this.#heads.set(partition, head);
    }
    const due = this.#waiting.filter(({ reached }) => this.#isConfirmed(reached));
    this.#waiting = this.#waiting.filter((one) => !due.includes(one));
    for (const { resolve } of due) resolve();
  }

  whenConfirmed(reached: Positions): Promise<void> {
    if (this.#isConfirmed(reached)) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push({ reached, resolve }));
  }

  #isConfirmed = (reached: Positions): boolean =>
    [...reached].every(([partition, seq]) => (this.#heads.get(partition) ?? 0) >= seq);
}
