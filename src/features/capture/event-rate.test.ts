import { expect, it } from 'vitest';
import { EventRate } from './event-rate.ts';

let now = 0;
const clock = { now: () => now };

it('takes requests until the minute is used up, then again as the bucket fills', () => {
  now = 0;
  const rate = new EventRate(10, clock);
  rate.take(1, 500);
  rate.take(1, 300);
  expect(() => rate.take(1, 1)).toThrow(expect.objectContaining({ kind: 'throttled', retryAfter: 21 }));
  rate.take(2, 1);
  now = 20_000;
  expect(() => rate.take(1, 1)).toThrow(expect.objectContaining({ retryAfter: 1 }));
  now = 21_000;
  rate.take(1, 1);
});

it('has no limit unless one is set', () => {
  const rate = new EventRate(null, clock);
  for (let n = 0; n < 100; n++) rate.take(1, 1e9);
});
