/** What is new since a mark, also after everything that numbers rows anew. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { anEvent, uuidOf } from '../../../test/contract/events.ts';
import { makeTempDir } from '../../../test/contract/temp-dir.ts';
import type { AddedSince, ChangeMark, SqlStatement } from '../events/event-changes.ts';
import { openEventStore } from './event-store.ts';

const DAY = 86_400_000;
const [ADA, BOB, EVE] = [uuidOf(0xada), uuidOf(0xb0b), uuidOf(0xe7e)];

describe('changes of a DuckDB event store', () => {
  const dir = makeTempDir();
  let store: Awaited<ReturnType<typeof openEventStore>>;
  let position = 0;

  beforeEach(async () => {
    store = await openEventStore(dir.path(`events-${++position}.duckdb`), { concurrentQueries: 1 });
  });
  afterEach(() => store.close());

  const write = (count: number, over: Parameters<typeof anEvent>[0] = {}) =>
    store.write({
      events: Array.from({ length: count }, () => anEvent({ personId: ADA, ...over })),
      overrides: [],
      position: ++position,
    });

  /** Who has added events, and who changed; null if that is not known. */
  async function changedSince(mark: ChangeMark, projectId = 1) {
    let told: AddedSince | undefined;
    const found = await store.queryAdded(mark, projectId, (added): SqlStatement => {
      told = added;
      const text = `select e.person_id as id from event_rows e where ${added.isAdded} order by e.timestamp`;
      return { sql: text, values: [] };
    });
    if (found === null) return null;
    const ids = found.table.uuids('id');
    const added = Array.from({ length: found.table.rowCount }, (_, at) => ids.textAt(at));
    return { added, persons: [...(told?.persons ?? [])].sort(), mark: found.mark };
  }

  it('are the rows and persons since a mark, and the next mark', async () => {
    await write(3);
    const mark = await store.mark();
    expect(await changedSince(mark)).toMatchObject({ added: [], persons: [] });
    await write(1, { personId: BOB, timestamp: DAY });
    await write(2, { personId: EVE, timestamp: 0 });
    const changed = await changedSince(mark);
    expect(changed?.added).toEqual([EVE, EVE, BOB]);
    await write(1, { personId: BOB });
    expect((await changedSince(changed?.mark ?? mark))?.added).toEqual([BOB]);
  });

  it('are both persons of a merge, and those who were merged into one of them before', async () => {
    await store.write({ events: [], overrides: [{ projectId: 1, from: ADA, to: BOB }], position: ++position });
    const mark = await store.mark();
    await store.write({ events: [], overrides: [{ projectId: 1, from: BOB, to: EVE }], position: ++position });
    expect((await changedSince(mark))?.persons).toEqual([ADA, BOB, EVE]);
    expect((await changedSince(mark, 2))?.persons).toEqual([]);
    expect(store.havePersonsChanged(mark, 1)).toBe(true);
    expect(store.havePersonsChanged(mark, 2)).toBe(false);
  });

  it('are persons whose copy was changed or removed', async () => {
    const mark = await store.mark();
    await store.mirrorPersons({
      projectId: 1,
      removed: [EVE],
      persons: [{ uuid: BOB, createdAt: 0, properties: '{}' }],
      position: { change: 1, id: 0 },
    });
    expect((await changedSince(mark))?.persons).toEqual([BOB, EVE]);
  });

  it('are not known after rows were changed or deleted', async () => {
    const move = { kind: 'move' as const, moves: [{ distinctId: 'ada', to: BOB }] };
    const changes: (() => Promise<unknown>)[] = [
      () => store.deleteBefore(1, DAY),
      () => store.reassign([{ id: ++position, projectId: 1, personId: ADA, ...move }]),
      () => store.reassign([{ id: ++position, projectId: 1, personId: ADA, kind: 'remove', distinctIds: [] }]),
      () => store.deleteMirror(1),
      () => store.purge(),
    ];
    for (const change of changes) {
      await write(2);
      const before = await store.mark();
      const changing = change();
      const meanwhile = await store.mark();
      await changing;
      expect(await changedSince(before)).toBeNull();
      expect(await changedSince(meanwhile)).toBeNull();
      expect(await changedSince(await store.mark())).toMatchObject({ added: [] });
    }
  });

  it('are right or not known when a checkpoint numbers rows anew', async () => {
    await write(200_000, { timestamp: 0 });
    await write(1000, { timestamp: 2 * DAY });
    await store.deleteBefore(1, DAY);
    const mark = await store.mark();
    await store.copyTo(dir.path(`copy-${position}.duckdb`));
    await write(5, { personId: BOB, timestamp: 3 * DAY });
    const changed = await changedSince(mark);
    if (changed !== null) expect(changed.added).toEqual([BOB, BOB, BOB, BOB, BOB]);
    expect((await store.mark()).rowCount).toBe(1005);
  });

  it('see the same data in all statements that run together', async () => {
    const count: SqlStatement = { sql: 'select count(*)::integer as n from event_rows', values: [] };
    const writes = Promise.all(Array.from({ length: 20 }, () => write(50)));
    for (let round = 0; round < 10; round++) {
      const counts = (await store.queryTogether([count, count, count])).map((table) => table.integers('n')[0]);
      expect(new Set(counts).size).toBe(1);
    }
    await writes;
    expect((await store.queryTogether([count]))[0]?.integers('n')[0]).toBe(1000);
  });

  it('can be read from temporary tables, which end with the statements', async () => {
    await write(3);
    const some = { sql: 'select uuid from event_rows limit $1', values: [2], table: 'some_events' };
    const count = { sql: 'select count(*)::integer as n from some_events', values: [] };
    for (let round = 0; round < 2; round++)
      expect((await store.queryTogether([some, count])).map((table) => [...table.integers('n')])).toEqual([[2]]);
    await expect(store.queryTogether([count])).rejects.toThrow('some_events');
    const wrong = { sql: 'select nothing', values: [], table: 'some_events' };
    await expect(store.queryTogether([wrong, count])).rejects.toThrow('nothing');
  });

  it('are split into slices by the order in which they were added', async () => {
    await write(10);
    const slices = store.sliceRows(await store.mark(), 4);
    await write(2);
    const counts = slices.map((slice) => `select count(*)::integer as n from event_rows e where ${slice}`);
    const tables = await store.queryTogether(counts.map((sql) => ({ sql, values: [] })));
    expect(tables.map((table) => table.integers('n')[0])).toEqual([3, 3, 6]);
    expect(store.sliceRows({ ...(await store.mark()), lastRow: -1 }, 4)).toHaveLength(1);
  });

  it('leave no transaction behind that was stopped or failed', async () => {
    const endless: SqlStatement = {
      sql: 'select count(*)::integer as n from range(1e12::bigint) t(i) where i % 7 = 3',
      values: [],
    };
    const stop = new AbortController();
    const running = store.queryTogether([endless], stop.signal);
    stop.abort(new Error('stopped'));
    await expect(running).rejects.toThrow('stopped');
    await expect(store.queryTogether([{ sql: 'select nothing', values: [] }])).rejects.toThrow('nothing');
    await write(2);
    expect(await store.query('select count(*) as n from event_rows', [])).toEqual([{ n: 2 }]);
  });

  describe('read part by part', () => {
    const ROWS = 100_000;
    const count = { sql: 'select cast(count(*) as integer) as n from event_rows', values: [] };
    const numbers = {
      sql: `select cast(i as integer) as small, cast(i as double) / 4 as half, cast(lpad(cast(i as varchar), 32, '0') as uuid) as id
        from range($1) t(i)`,
      values: [ROWS],
    };

    it('are all rows of the last statement, after the tables of the others', async () => {
      await write(3);
      const sizes: number[] = [];
      const small: number[] = [];
      const wrong: string[] = [];
      const reader = await store.queryParts([count, count], [numbers], (tables) => ({
        counted: tables.map((table) => [...table.integers('n')]),
        add(part) {
          sizes.push(part.rowCount);
          const [half, ids] = [part.doubles('half'), part.uuids('id')];
          for (const [row, number] of part.integers('small').entries()) {
            small.push(number);
            if (half[row] !== number / 4) wrong.push(`half ${row}`);
            if (ids.textAt(row).replaceAll('-', '') !== String(number).padStart(32, '0')) wrong.push(`id ${row}`);
          }
          if (half.length !== part.rowCount) wrong.push(`${half.length} of ${part.rowCount}`);
        },
      }));
      expect(reader.counted).toEqual([[3], [3]]);
      expect(small).toEqual(Array.from({ length: ROWS }, (_, at) => at));
      expect(wrong).toEqual([]);
      expect(sizes.length).toBeGreaterThan(2);
    });

    it('are the rows of one statement after the other', async () => {
      const found: [number, number][] = [];
      const some = (from: number) => ({
        sql: `select cast(i as integer) as n from range($1, $1 + 2) t(i)`,
        values: [from],
      });
      await store.queryParts([], [some(0), some(10), some(20)], () => ({
        add: (part, place) => found.push(...[...part.integers('n')].map((n): [number, number] => [place, n])),
      }));
      expect(found).toEqual([0, 10, 20].flatMap((from, place) => [from, from + 1].map((n) => [place, n])));
    });

    it('are one empty part where there are no rows', async () => {
      const sizes: number[] = [];
      const none = { sql: 'select uuid from event_rows where false', values: [] };
      await store.queryParts([], [none], () => ({ add: (part) => sizes.push(part.rowCount) }));
      expect(sizes).toEqual([0]);
    });

    it('leave the connection as it was when the reader fails or the caller stops', async () => {
      const fails = {
        add() {
          throw new Error('no more');
        },
      };
      await expect(store.queryParts([], [numbers], () => fails)).rejects.toThrow('no more');
      const caller = new AbortController();
      const stops = { add: () => caller.abort(new Error('stopped')) };
      await expect(store.queryParts([], [numbers], () => stops, caller.signal)).rejects.toThrow('stopped');
      const wrong = { sql: `select cast(error('wrong') as integer) as one`, values: [] };
      await expect(store.queryParts([numbers], [wrong], () => ({ add: () => undefined }))).rejects.toThrow('wrong');
      // There is one connection only.
      expect((await store.queryTogether([count]))[0]?.integers('n')[0]).toBe(0);
      await write(1);
      expect((await store.queryTogether([count]))[0]?.integers('n')[0]).toBe(1);
    });
  });
});
