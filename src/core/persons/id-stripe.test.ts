import fc from 'fast-check';
import { expect, it } from 'vitest';
import { STRIPES, stripeOf } from './id-stripe.ts';

it('never changes, because logs were partitioned by it', () => {
  expect(['', 'a', 'user-1', 'é😀', 'x'.repeat(200)].map((id) => stripeOf(1, id))).toMatchInlineSnapshot(`
    [
      2339,
      1851,
      3303,
      1094,
      1739,
    ]
  `);
  expect(stripeOf(2, 'user-1')).not.toBe(stripeOf(1, 'user-1'));
});

it('gives every id a stripe', () => {
  fc.assert(
    fc.property(fc.nat(), fc.string(), (projectId, id) => {
      const stripe = stripeOf(projectId, id);
      expect(Number.isInteger(stripe) && stripe >= 0 && stripe < STRIPES).toBe(true);
    }),
  );
});

it('spreads similar ids evenly over any number of partitions', () => {
  for (const partitions of [2, 16, 64]) {
    const counts = Array.from({ length: partitions }, () => 0);
    for (let n = 0; n < 1000 * partitions; n++) {
      const partition = stripeOf(1, `user-${n}`) % partitions;
      counts[partition] = (counts[partition] ?? 0) + 1;
    }
    expect(Math.min(...counts)).toBeGreaterThan(850);
    expect(Math.max(...counts)).toBeLessThan(1150);
  }
});
