import type { Clock } from '../../src/lib/clock.ts';

/** The same in all processes that are given the same numbers. */
export const fastClock = (base: number, speed: number): Clock => ({
  now: () => Math.round(base + (Date.now() - base) * speed),
});
