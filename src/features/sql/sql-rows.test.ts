import fc from 'fast-check';
import { expect, it } from 'vitest';
import { joinRows, RowReader, readRows, rowBatches } from './sql-rows.ts';

const pack = (rows: readonly unknown[][]) => ({ rows: joinRows(rows.map((row) => JSON.stringify(row))) });

it('gives all rows in order, in batches that are not large', async () => {
  const rows = Array.from({ length: 5000 }, (_, i) => [i, 'größer, "so"\n'.repeat(i % 10), null]);
  const answer = pack(rows);
  const batches: unknown[][][] = [];
  for await (const batch of rowBatches(answer)) batches.push(batch);
  expect(batches.flat()).toEqual(rows);
  expect(await readRows(answer)).toEqual(rows);
  expect(batches.length).toBeGreaterThan(3);
  for (const batch of batches) expect(JSON.stringify(batch).length).toBeLessThan(70_000);
});

it('gives none of an empty answer', async () => {
  const answer = pack([]);
  expect(await readRows(answer)).toEqual([]);
  expect(await new RowReader(answer).take(10)).toEqual([]);
});

it('reads as many rows at a time as are asked for', async () => {
  const lengths = fc.array(fc.integer({ min: 0, max: 30_000 }), { maxLength: 30 });
  await fc.assert(
    fc.asyncProperty(lengths, fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }), async (sizes, steps) => {
      const rows = sizes.map((size, i) => [i, 'x'.repeat(size)]);
      const reader = new RowReader(pack(rows));
      const found: unknown[][] = [];
      for (let i = 0; found.length < rows.length; i++) {
        const max = steps[i % steps.length] ?? 1;
        const taken = await reader.take(max);
        expect(taken.length).toBeLessThanOrEqual(max);
        expect(taken.length).toBeGreaterThan(0);
        found.push(...taken);
      }
      expect(found.map(([i, text]) => [i, String(text).length])).toEqual(sizes.map((size, i) => [i, size]));
      expect(await reader.take(1)).toEqual([]);
    }),
    { numRuns: 50 },
  );
});
