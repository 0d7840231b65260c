/**
 * Work that is due from time to time by the clock. The machine's timer only asks whether it is due: so a clock that is
 * held still, or moved, decides alone, and a machine that slept catches up once.
 */
import type { Clock } from './clock.ts';

export interface ScheduleOptions {
  clock: Clock;
  /** From the start to the first run. */
  initialDelayMs: number;
  /** From the end of one run to the next, whether or not it failed. */
  intervalMs: number;
  run(): Promise<void>;
  onError(error: unknown): void;
  /** How often the clock is looked at; default a second. */
  pollIntervalMs?: number;
}

export interface Schedule {
  /** Resolves when the run under way has ended; none follows. */
  stop(): Promise<void>;
}

export function startSchedule(options: ScheduleOptions): Schedule {
  const { clock, initialDelayMs, intervalMs, run, onError, pollIntervalMs = 1000 } = options;
  let due = clock.now() + initialDelayMs;
  let running: Promise<void> | null = null;
  const look = (): void => {
    if (running || clock.now() < due) return;
    running = run()
      .catch(onError)
      .finally(() => {
        due = clock.now() + intervalMs;
        running = null;
      });
  };
  const timer = setInterval(look, pollIntervalMs);
  timer.unref();
  return {
    async stop() {
      clearInterval(timer);
      await running;
    },
  };
}
