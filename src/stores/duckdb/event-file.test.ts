import { appendFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { anEvent, uuidOf } from '../../../test/contract/events.ts';
import { runInProcess } from '../../../test/contract/run-apart.ts';
import { makeTempDir, type TempDir } from '../../../test/contract/temp-dir.ts';
import { HOT_PROPERTIES } from '../../core/events/hot-properties.ts';
import { readableJson } from '../events/readable-json.ts';
import { openEventStore } from './event-store.ts';
import { EventStoreInvalidated, isFatal, wrapFatalErrors } from './invalidated.ts';

describe('event store file', () => {
  let dir: TempDir;
  let path: string;

  beforeEach(() => {
    dir = makeTempDir();
    path = dir.path('events.duckdb');
  });
  afterEach(() => dir.remove());

  it('has only complete batches after kill -9, and accepts the replay', async () => {
    const printed = await runInProcess(
      `import { openEventStore } from './src/stores/duckdb/event-store.ts';
       import { anEvent } from './test/contract/events.ts';
       const store = await openEventStore(${JSON.stringify(path)}, { checkpointBytes: 100_000 });
       for (let position = 1; ; position++) {
         await store.write({ events: Array.from({ length: 100 }, () => anEvent()), overrides: [], position });
         console.log(position);
       }`,
      { killAfterLines: 15 },
    );
    const store = await openEventStore(path);
    const position = await store.position();
    const [row] = await store.query('select count(*) as n from events', []);
    expect(position).toBeGreaterThanOrEqual(printed.length);
    expect(row?.['n']).toBe(position * 100);
    await store.write({ events: [anEvent()], overrides: [], position });
    await store.write({ events: [anEvent()], overrides: [], position: position + 1 });
    expect(await store.query('select count(*) as n from events', [])).toEqual([{ n: position * 100 + 1 }]);
    await store.close();
  });

  it('contains no trace of deleted events after a purge, and leaves no other file', async () => {
    const canary = 'canary-7f3a90';
    const store = await openEventStore(path);
    const many = (position: number, personId: string, text: string) =>
      store.write({
        events: Array.from({ length: 3000 }, (_, n) =>
          anEvent({ personId, distinctId: `${text}-${n}`, properties: { $current_url: `https://${text}/`, text } }),
        ),
        overrides: [],
        position,
      });
    await many(1, uuidOf(1), 'somebody-else');
    await many(2, uuidOf(2), canary);
    await store.reassign([{ id: 1, projectId: 1, personId: uuidOf(2), kind: 'remove', distinctIds: [] }]);
    const filesWithCanary = (): string[] =>
      readdirSync(dirname(path)).filter((file) => readFileSync(join(dirname(path), file)).includes(canary));
    expect(filesWithCanary()).not.toEqual([]);
    await store.purge();
    expect(filesWithCanary()).toEqual([]);
    expect(readdirSync(dirname(path))).toEqual(['events.duckdb']);
    expect(await store.query('select count(*) as n from events', [])).toEqual([{ n: 3000 }]);
    await store.close();
    expect(filesWithCanary()).toEqual([]);
  });

  it('survives kill -9 during a purge, and leaves no temporary files', async () => {
    const script = (events: number) => `import { openEventStore } from './src/stores/duckdb/event-store.ts';
       import { anEvent } from './test/contract/events.ts';
       const store = await openEventStore(${JSON.stringify(path)});
       if ((await store.position()) === 0) {
         await store.write({ events: Array.from({ length: ${events} }, () => anEvent()), overrides: [], position: 1 });
       }
       for (;;) {
         console.log('purge');
         await store.purge();
       }`;
    for (const lines of [1, 2, 3]) {
      await runInProcess(script(20_000), { killAfterLines: lines });
      const store = await openEventStore(path);
      expect(await store.query('select count(*) as n from events', [])).toEqual([{ n: 20_000 }]);
      expect(await store.position()).toBe(1);
      await store.close();
      expect(readdirSync(dirname(path))).toEqual(['events.duckdb']);
    }
  });

  it('reports that it must be reopened when a checkpoint fails on a full disk, and loses nothing', async () => {
    const printed = await runInProcess(
      `import { openEventStore } from './src/stores/duckdb/event-store.ts';
       import { anEvent } from './test/contract/events.ts';
       process.on('SIGXFSZ', () => undefined);
       const noise = () => Array.from({ length: 40 }, Math.random).join('');
       const store = await openEventStore(${JSON.stringify(path)}, { checkpointBytes: 2_000_000 });
       try {
         for (let position = 1; position < 30; position++) {
           const events = Array.from({ length: 1000 }, () => anEvent({ properties: { noise: noise() } }));
           await store.write({ events, overrides: [], position });
           console.log(position);
         }
       } catch (error) {
         console.log(error.name);
       }
       await store.close();`,
      { maxFileBlocks: 8000 },
    );
    expect(printed.at(-1)).toBe('EventStoreInvalidated');
    const acknowledged = printed.length - 1;
    expect(acknowledged).toBeGreaterThan(0);
    const store = await openEventStore(path);
    const position = await store.position();
    expect([acknowledged, acknowledged + 1]).toContain(position);
    expect(await store.query('select count(*) as n from events', [])).toEqual([{ n: position * 1000 }]);
    await store.close();
  });

  it('fills row groups, so that no checkpoint rewrites rows of an earlier one', async () => {
    const store = await openEventStore(path);
    const events = Array.from({ length: 5000 }, () => anEvent());
    const write = (position: number) => store.write({ events, overrides: [], position });
    for (let position = 1; position <= 50; position++) await write(position);
    const groups = await store.query(
      `select row_group_id as number, max(start + count) as rows, bool_and(persistent) as is_in_file
      from pragma_storage_info('event_rows') where column_name = 'event' group by 1 order by 1`,
      [],
    );
    expect(groups).toEqual([
      { number: 0, rows: 115_000, is_in_file: true },
      { number: 1, rows: 115_000, is_in_file: true },
      { number: 2, rows: 20_000, is_in_file: false },
    ]);
    await store.close();
  });

  it('keeps committed batches when the journal ends in garbage', async () => {
    const store = await openEventStore(path);
    await store.write({ events: [anEvent()], overrides: [], position: 3 });
    const copy = dir.copy();
    await store.close();
    appendFileSync(copy.path('events.duckdb.wal'), Buffer.alloc(64, 0x01));
    const reopened = await openEventStore(copy.path('events.duckdb'));
    expect(await reopened.position()).toBe(3);
    await reopened.close();
  });

  it('removes the journal on close, and releases the file', async () => {
    const store = await openEventStore(path);
    await store.write({ events: [anEvent()], overrides: [], position: 1 });
    await store.close();
    const again = await openEventStore(path);
    expect(await again.position()).toBe(1);
    await again.close();
  });

  it('rejects a file of a newer version', async () => {
    const store = await openEventStore(path);
    await store.close();
    const instance = await DuckDBInstance.create(path);
    const connection = await instance.connect();
    await connection.run('insert into schema_version values (99)');
    connection.closeSync();
    instance.closeSync();
    await expect(openEventStore(path)).rejects.toThrow(/newer version of Cairn \(schema 99/);
  });

  it('reports a file that is not a database', async () => {
    writeFileSync(path, 'no database at all '.repeat(1000));
    await expect(openEventStore(path)).rejects.toThrow(/events\.duckdb/);
  });

  it('has a column for each hot property, in the order of the list', async () => {
    const store = await openEventStore(path);
    const columns = await store.query(
      `select column_name from duckdb_columns() where table_name = 'event_rows' order by column_index`,
      [],
    );
    expect(columns.slice(-HOT_PROPERTIES.length).map((row) => row['column_name'])).toEqual([...HOT_PROPERTIES]);
    await store.close();
  });
});

describe('an invalidated engine', () => {
  const fatal = new Error('FATAL Error: Failed: database has been invalidated because of a previous fatal error');

  it('is distinguished from an ordinary error', () => {
    expect([isFatal(fatal), isFatal(new Error('Binder Error: no such column')), isFatal('text')]).toEqual([
      true,
      false,
      false,
    ]);
  });

  it('has its own error type', async () => {
    await expect(wrapFatalErrors(() => Promise.reject(fatal))).rejects.toBeInstanceOf(EventStoreInvalidated);
    await expect(wrapFatalErrors(() => Promise.reject(new Error('other')))).rejects.toThrow('other');
  });
});

describe('readableJson', () => {
  it.each([
    ['{"a":"\\ud800"}', '{"a":"\\ufffd"}'],
    ['{"a":"\\uDC00\\uD83D"}', '{"a":"\\ufffd\\ufffd"}'],
    ['{"a":"\\ud83d\\ude00"}', '{"a":"\\ud83d\\ude00"}'],
    ['{"a":"\\\\ud800"}', '{"a":"\\\\ud800"}'],
    ['{"a":"\\\\\\ud800"}', '{"a":"\\\\\\ufffd"}'],
    ['{"a":"\\ud7ff"}', '{"a":"\\ud7ff"}'],
  ])('turns %s into %s', (json, readable) => {
    expect(readableJson(json)).toBe(readable);
  });
});
