import { expect, it } from 'vitest';
import { clockOn, freezeClock, makeClockMemory, systemClock } from './clock.ts';

it('follows the system clock until it is frozen', () => {
  const memory = makeClockMemory();
  const before = Date.now();
  const now = clockOn(memory).now();
  expect(now).toBeGreaterThanOrEqual(before);
  expect(systemClock.now()).toBeGreaterThanOrEqual(now);
});

it('freezes every clock on the same memory, also one made later, and runs again', () => {
  const memory = makeClockMemory();
  const early = clockOn(memory);
  const instant = Date.parse('2026-01-15T12:00:00.123Z');
  freezeClock(memory, instant);
  expect([early.now(), clockOn(memory).now(), early.now()]).toEqual([instant, instant, instant]);
  freezeClock(memory, instant - 86_400_000);
  expect(early.now()).toBe(instant - 86_400_000);
  freezeClock(memory, 0);
  expect(early.now()).toBeGreaterThan(instant - 86_400_000);
});
