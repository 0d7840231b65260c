/**
 * The one source of time. Everything outside `core/` receives a `Clock`; `core/` receives plain numbers.
 *
 * The clock is in shared memory, so that the main thread and the worker thread agree on it, also when a test freezes it.
 */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
}

/** 0 means 'follow the system clock'. */
export type ClockMemory = SharedArrayBuffer;

export const makeClockMemory = (): ClockMemory => new SharedArrayBuffer(8);

export function clockOn(memory: ClockMemory): Clock {
  const frozen = new BigInt64Array(memory);
  return {
    now: () => {
      const at = Atomics.load(frozen, 0);
      return at === 0n ? Date.now() : Number(at);
    },
  };
}

/** Freezes every clock on this memory at a time; 0 lets it run again. */
export function freezeClock(memory: ClockMemory, at: number): void {
  Atomics.store(new BigInt64Array(memory), 0, BigInt(at));
}

export const systemClock: Clock = { now: () => Date.now() };
