import { expect, it } from 'vitest';
import type { Entity } from '../../../core/actions/entity.ts';
import { NO_FILTER } from '../../../core/filters/property-filter.ts';
import { planMetrics } from './metric-plan.ts';
import { RowBlocks, type RowColumns, rowId } from './row-blocks.ts';

const event = (id: string): Entity => ({ kind: 'event', id, name: id, customName: null, filter: NO_FILTER });
const times = { windowMs: null, exposedBefore: null, lookbackMs: null };
/** `view` is bit 1, `order` bit 2; only orders have an amount. */
const PLAN = planMetrics([
  { kind: 'mean', measured: { entity: event('view'), measure: { kind: 'count' } }, ...times },
  { kind: 'mean', measured: { entity: event('order'), measure: { kind: 'sum', property: 'amount' } }, ...times },
]);
const ENCODING = { base: 4, from: 1_000 };

interface Row {
  bits: number;
  actor: number;
  at: number;
  number: number;
}

/** More than fit into the largest block, in runs of different lengths; kind 0 is neither. */
const ROWS: Row[] = Array.from({ length: 150_000 }, (_, row) => ({
  bits: row % 7 === 0 ? 2 : row % 11 === 0 ? 3 : row % 13 === 0 ? 0 : 1,
  actor: (row * 7_919) % 5_003,
  at: 1_000 + ((row * 31) % 9_973),
  number: row / 8,
}));

const columnsOf = (rows: readonly Row[]): RowColumns => ({
  actor: Int32Array.from(rows, ({ actor }) => actor),
  key: Float64Array.from(rows, ({ bits, at }) => (at - ENCODING.from) * ENCODING.base + bits),
  numbers: [Float64Array.from(rows, ({ number }) => number)],
});

async function blocksOf(hasPlaces: boolean, readsAll = false): Promise<RowBlocks> {
  const blocks = new RowBlocks({ ...PLAN, readsAll }, ENCODING, hasPlaces);
  for (const [from, to] of [
    [0, 100],
    [100, 100],
    [100, 120_001],
    [120_001, ROWS.length],
  ] as const)
    blocks.add(columnsOf(ROWS.slice(from, to)));
  return blocks;
}

/** Without the number where it is not kept. */
const rowsIn = (blocks: RowBlocks, mask: number | null) =>
  blocks
    .with(mask)
    .flatMap(({ bits, count, actor, at, numbers }) =>
      Array.from({ length: count }, (_, row) => [bits, actor[row], at[row], numbers[0]?.[row] ?? null].join()),
    );

const expected = (rows: readonly Row[]) =>
  rows.map(({ bits, actor, at, number }) => [bits, actor, at, (bits & 2) === 0 ? null : number].join());

it('has the rows of an entity by what they are, in the order in which they were read', async () => {
  const blocks = await blocksOf(false);
  const of = (...kinds: number[]) => expected(kinds.flatMap((kind) => ROWS.filter(({ bits }) => bits === kind)));
  expect(rowsIn(blocks, 1)).toEqual(of(1, 3));
  expect(rowsIn(blocks, 2)).toEqual(of(2, 3));
  expect(rowsIn(blocks, null)).toEqual(of(1, 2, 3));
  expect(blocks.actors).toBe(5_003);
});

it('keeps rows that are nothing only where every event is read', async () => {
  const kinds = async (readsAll: boolean) => new Set((await blocksOf(false, readsAll)).with(null).map((b) => b.bits));
  expect(await kinds(false)).toEqual(new Set([1, 2, 3]));
  expect(await kinds(true)).toEqual(new Set([0, 1, 2, 3]));
});

it('tells rows apart, by their place among all rows where ties matter', async () => {
  const idsIn = (blocks: RowBlocks) =>
    blocks.with(null).flatMap((block) => Array.from({ length: block.count }, (_, row) => rowId(block, row)));
  const kept = ROWS.filter(({ bits }) => bits !== 0).length;
  expect(new Set(idsIn(await blocksOf(false))).size).toBe(kept);
  const blocks = await blocksOf(true);
  for (const block of blocks.with(null))
    for (const row of [0, block.count - 1]) {
      const { bits, actor, at } = ROWS[rowId(block, row)] as Row;
      expect([bits, actor, at]).toEqual([block.bits, block.actor[row], block.at[row]]);
    }
  expect(new Set(idsIn(blocks)).size).toBe(kept);
});
