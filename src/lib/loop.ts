/** A background loop: one step at a time, sleeps when there is nothing to do, backs off after a failure. */
import { setTimeout as sleep } from 'node:timers/promises';

interface LoopOptions {
  /** One piece of work; false when there was nothing to do. */
  step(): Promise<boolean>;
  /** Called on every failure; the loop goes on after the pause. */
  onError(error: unknown, pauseMs: number): void;
  /** Called when there is nothing left to do. */
  onIdle?(): void;
  /** Pause after the first failure, doubled with each further one up to `maxPauseMs`. */
  firstPauseMs?: number;
  maxPauseMs?: number;
}

export interface Loop {
  /** There may be something to do. */
  wake(): void;
  /** Resolves when the current step has ended; none follows. */
  stop(): Promise<void>;
}

export function startLoop(options: LoopOptions): Loop {
  const { step, onError, onIdle, firstPauseMs = 100, maxPauseMs = 10_000 } = options;
  const stopping = new AbortController();
  let wakeUp: (() => void) | null = null;
  let woken = true;

  const sleepUntilWoken = (): Promise<void> =>
    new Promise((resolve) => {
      wakeUp = resolve;
      if (woken || stopping.signal.aborted) resolve();
      else onIdle?.();
    });

  const run = async (): Promise<void> => {
    let pauseMs = firstPauseMs;
    while (!stopping.signal.aborted) {
      woken = false;
      try {
        const busy = await step();
        pauseMs = firstPauseMs;
        if (!busy) await sleepUntilWoken();
      } catch (error) {
        onError(error, pauseMs);
        await sleep(pauseMs, undefined, { signal: stopping.signal }).catch(() => undefined);
        pauseMs = Math.min(pauseMs * 2, maxPauseMs);
      }
    }
  };

  const ended = run();
  return {
    wake() {
      woken = true;
      wakeUp?.();
    },
    async stop() {
      stopping.abort();
      wakeUp?.();
      await ended;
    },
  };
}
