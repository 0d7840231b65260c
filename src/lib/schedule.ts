/**
 * Periodic work by the clock. A timer only checks whether it is due: so a frozen or moved clock decides alone, and a
 * machine that slept catches up once.
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
  /** How often the clock is checked; default a second. */
  pollIntervalMs?: number;
}

export interface Schedule {
  /** Resolves when the current run has ended; none follows. */
  stop(): Promise<void>;
}

export function startSchedule(options: ScheduleOptions): Schedule {
  const { clock, initialDelayMs, intervalMs, run, onError, pollIntervalMs = 1000 } = options;
  let due = clock.now() + initialDelayMs;
  let running: Promise<void> | null = null;
  const longestWait = Math.max(initialDelayMs, intervalMs);
  const check = (): void => {
    const now = clock.now();
    // The clock was set back: nobody shall wait longer than usual for that.
    const isSetBack = due - now > longestWait;
    if (running || (now < due && !isSetBack)) return;
    const began = performance.now();
    running = run()
      .catch(onError)
      .finally(() => {
        // By how much the clock was moved meanwhile counts as time that has passed.
        due = Math.min(clock.now(), now + performance.now() - began) + intervalMs;
        running = null;
      });
  };
  const timer = setInterval(check, pollIntervalMs);
  timer.unref();
  return {
    async stop() {
      clearInterval(timer);
      await running;
    },
  };
}

interface PollingOptions extends Pick<ScheduleOptions, 'clock' | 'run' | 'onError'> {
  /** From one look to the next, in real time: a frozen clock stops nothing. */
  everyMs: number;
}

/** Looks for something to do again and again, unless the look before is not over. */
export const startPolling = ({ everyMs, ...options }: PollingOptions): Schedule =>
  startSchedule({ ...options, initialDelayMs: 0, intervalMs: 0, pollIntervalMs: everyMs });
