import { expect, it } from 'vitest';
import { Pauses } from './pauses.ts';

it('is as long as the work before it, until ten seconds are used up', () => {
  const pauses = new Pauses();
  expect([30, 0, 4000, 5000, 3000, 40].map((ms) => pauses.after(ms))).toEqual([30, 0, 4000, 5000, 970, 0]);
});
