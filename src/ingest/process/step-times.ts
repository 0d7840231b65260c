/** How long each step of processing takes, summed up for `/metrics`. Measured once per chunk, never per event. */
import { Counter, type Registry } from 'prom-client';

export class StepTimes {
  readonly #seconds = new Map<string, number>();

  add(step: string, ms: number): void {
    this.#seconds.set(step, (this.#seconds.get(step) ?? 0) + ms / 1000);
  }

  /** Each call of the function returned adds the time since the call before it. */
  stopwatch(): (step: string) => void {
    let last = performance.now();
    return (step) => {
      const now = performance.now();
      this.add(step, now - last);
      last = now;
    };
  }

  seconds(): Record<string, number> {
    return Object.fromEntries(this.#seconds);
  }
}

/** `read` asks the worker thread, which starts from zero when it is restarted. While it is away there are no values. */
export function reportStepTimes(registry: Registry, read: () => Promise<Record<string, number>>): void {
  new Counter({
    name: 'cairn_processing_step_seconds_total',
    help: 'Time spent in each step of processing events',
    labelNames: ['step'] as const,
    registers: [registry],
    async collect() {
      const seconds = await read().catch(() => ({}));
      this.reset();
      for (const [step, value] of Object.entries(seconds)) this.inc({ step }, value);
    },
  });
}
