/** Contenders take turns, so that a slow moment of the machine affects all of them. */
export interface Contender {
  name: string;
  /** One batch of the same work. */
  run: () => unknown;
}

interface RaceOptions {
  rounds: number;
  /** Rounds before measuring, to warm up V8. */
  warmUp: number;
}

/** The median CPU time of a batch by name, ms. Other processes do not affect it. */
export async function race(contenders: readonly Contender[], options: RaceOptions): Promise<Map<string, number>> {
  const times = new Map(contenders.map(({ name }): [string, number[]] => [name, []]));
  for (let round = -options.warmUp; round < options.rounds; round++) {
    // In turn: what one leaves to the garbage collector is often collected while the next one runs.
    for (const { name, run } of round % 2 === 0 ? contenders : contenders.toReversed()) {
      const before = process.cpuUsage();
      await run();
      if (round >= 0) times.get(name)?.push(cpuMsSince(before));
    }
  }
  return new Map([...times].map(([name, list]) => [name, median(list)]));
}

export function cpuMsSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

export function median(list: readonly number[]): number {
  const sorted = list.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const [low = 0, high = 0] = sorted.length % 2 === 1 ? [sorted[middle], sorted[middle]] : sorted.slice(middle - 1);
  return (low + high) / 2;
}

export interface Cost {
  ms: number;
  cpuMs: number;
}

export async function costOf(work: () => Promise<unknown>): Promise<Cost> {
  const [before, start] = [process.cpuUsage(), performance.now()];
  await work();
  return { ms: performance.now() - start, cpuMs: cpuMsSince(before) };
}
