import { afterAll, beforeAll, expect, it } from 'vitest';
import { anEvent, uuidOf } from '../../../test/contract/events.ts';
import { makeTempDir } from '../../../test/contract/temp-dir.ts';
import type { EventStore } from '../events/event-store.ts';
import { openEventStore } from './event-store.ts';

const dir = makeTempDir();
let store: EventStore;
beforeAll(async () => {
  store = await openEventStore(dir.path('events.duckdb'));
});
afterAll(async () => {
  await store.close();
  dir.remove();
});

it('reads numbers, strings and ids across chunks', async () => {
  const count = 5000;
  const table = await store.queryColumns(
    `select cast(i as integer) as small, cast(i as double) / 4 as half, 'text ' || i as name
    from range($1) t(i) order by i`,
    [count],
  );
  expect(table.rowCount).toBe(count);
  expect([...table.integers('small').slice(-2)]).toEqual([4998, 4999]);
  expect([...table.doubles('half').slice(0, 3)]).toEqual([0, 0.25, 0.5]);
  expect(table.texts('name').at(-1)).toBe('text 4999');
});

it('reads ids as strings, in the order of strings', async () => {
  const ids = ['00000000-0000-4000-8000-00000000000a', 'ffffffff-ffff-4fff-bfff-ffffffffffff', uuidOf(7), uuidOf(0x80)];
  await store.write({ events: ids.map((uuid) => anEvent({ uuid })), overrides: [], position: 1 });
  const column = (await store.queryColumns('select uuid from event_rows', [])).uuids('uuid');
  const read = ids.map((_, row) => column.textAt(row));
  expect(read).toEqual(ids);
  const rows = ids.map((_, row) => row).sort((a, b) => column.compare(a, b));
  expect(rows.map((row) => read[row])).toEqual(ids.toSorted());
});

it('names the column it cannot read', async () => {
  await expect(store.queryColumns('select true as flag', [])).rejects.toThrow('The column flag is of a type');
  const table = await store.queryColumns('select cast(1 as integer) as one', []);
  expect(() => table.doubles('one')).toThrow('no column one of that type');
});

it('returns empty columns for no rows', async () => {
  const table = await store.queryColumns('select uuid from event_rows where false', []);
  expect(table.rowCount).toBe(0);
});
