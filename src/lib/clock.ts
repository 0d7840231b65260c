/**
 * The one source of time. Everything outside `core/` receives a `Clock`; `core/` receives plain numbers.
 *
 * The clock lives in shared memory so that the worker thread and the main thread of one process agree on it,
 * also when a test holds it still.
 */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
}

/** Memory for a clock that can be held still: 0 means 'follow the machine'. */
export type ClockMemory = SharedArrayBuffer;

export const makeClockMemory = (): ClockMemory => new SharedArrayBuffer(8);

export function clockOn(memory: ClockMemory): Clock {
  const held = new BigInt64Array(memory);
  return {
    now: () => {
      const still = Atomics.load(held, 0);
      return still === 0n ? Date.now() : Number(still);
    },
  };
}

/** Holds every clock on this memory at one instant; 0 lets it run again. */
export function freezeClock(memory: ClockMemory, at: number): void {
  Atomics.store(new BigInt64Array(memory), 0, BigInt(at));
}

export const systemClock: Clock = { now: () => Date.now() };
