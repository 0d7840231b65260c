import { appendFileSync, writeFileSync } from 'node:fs';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { HOT_PROPERTIES } from '../../core/events/hot-properties.ts';
import { anEvent } from '../contract/events.ts';
import { runApart } from '../contract/run-apart.ts';
import { makeTempDir, type TempDir } from '../contract/temp-dir.ts';
import { openEventStore } from './event-store.ts';
import { EventStoreInvalidated, isFatal, surfacingFatal } from './invalidated.ts';
import { readableJson } from './readable-json.ts';

describe('the file of the event store', () => {
  let dir: TempDir;
  let path: string;

  beforeEach(() => {
    dir = makeTempDir();
    path = dir.path('events.duckdb');
  });
  afterEach(() => dir.remove());

  it('has whole batches with their positions after kill -9, and takes the replay', async () => {
    const printed = await runApart(
      `import { openEventStore } from './src/stores/duckdb/event-store.ts';
       import { anEvent } from './src/stores/contract/events.ts';
       const store = await openEventStore(${JSON.stringify(path)}, { checkpointThreshold: '100KB' });
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

  it('says that it must be opened again when a checkpoint fails on a full disk, and loses nothing', async () => {
    const printed = await runApart(
      `import { openEventStore } from './src/stores/duckdb/event-store.ts';
       import { anEvent } from './src/stores/contract/events.ts';
       process.on('SIGXFSZ', () => undefined);
       const noise = () => Array.from({ length: 40 }, Math.random).join('');
       const store = await openEventStore(${JSON.stringify(path)}, { checkpointThreshold: '2MB' });
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

  it('leaves no journal behind when it closes, and releases the file', async () => {
    const store = await openEventStore(path);
    await store.write({ events: [anEvent()], overrides: [], position: 1 });
    await store.close();
    const again = await openEventStore(path);
    expect(await again.position()).toBe(1);
    await again.close();
  });

  it('refuses a file of a newer version', async () => {
    const store = await openEventStore(path);
    await store.close();
    const instance = await DuckDBInstance.create(path);
    const connection = await instance.connect();
    await connection.run('insert into schema_version values (99)');
    connection.closeSync();
    instance.closeSync();
    await expect(openEventStore(path)).rejects.toThrow(/newer version of Cairn \(schema 99/);
  });

  it('says so when the file is no database', async () => {
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

describe('an engine that gave up', () => {
  const fatal = new Error('FATAL Error: Failed: database has been invalidated because of a previous fatal error');

  it('is told from an ordinary error', () => {
    expect([isFatal(fatal), isFatal(new Error('Binder Error: no such column')), isFatal('text')]).toEqual([
      true,
      false,
      false,
    ]);
  });

  it('surfaces as a type of its own', async () => {
    await expect(surfacingFatal(() => Promise.reject(fatal))).rejects.toBeInstanceOf(EventStoreInvalidated);
    await expect(surfacingFatal(() => Promise.reject(new Error('other')))).rejects.toThrow('other');
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
  ])('makes %s into %s', (json, readable) => {
    expect(readableJson(json)).toBe(readable);
  });
});
