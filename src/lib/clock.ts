/**
 * The one source of time. Everything outside `core/` receives a `Clock`; `core/` receives plain numbers.
 *
 * The clock is in shared memory, so that the main thread and the worker thread agree on it, also when a test freezes it.
 */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
}

/** Where it is frozen (0: it follows the system clock), and by how much it is ahead of the system clock. */
export type ClockMemory = SharedArrayBuffer;

export const makeClockMemory = (aheadMs = 0): ClockMemory => {
  const memory = new SharedArrayBuffer(16);
  new BigInt64Array(memory)[1] = BigInt(aheadMs);
  return memory;
};

export function clockOn(memory: ClockMemory): Clock {
  const words = new BigInt64Array(memory);
  const aheadMs = Number(words[1]);
  return {
    now: () => {
      const at = Atomics.load(words, 0);
      return at === 0n ? Date.now() + aheadMs : Number(at);
    },
  };
}

/** Freezes every clock on this memory at a time; 0 lets it run again. */
export function freezeClock(memory: ClockMemory, at: number): void {
  Atomics.store(new BigInt64Array(memory), 0, BigInt(at));
}

export const systemClock: Clock = { now: () => Date.now() };
