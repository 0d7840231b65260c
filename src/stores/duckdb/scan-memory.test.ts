import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { anEvent } from '../../../test/contract/events.ts';
import type { ColumnTable } from '../events/event-store.ts';
import { type EventFileStore, openEventStore } from './event-store.ts';

const LIMIT = `select current_setting('memory_limit') as memory_limit`;

describe('the memory limit of the engine', () => {
  let folder: string;
  let store: EventFileStore;

  const open = async (memoryLimit: string): Promise<void> => {
    store = await openEventStore(join(folder, 'events.duckdb'), { memoryLimit });
  };
  const limitOf = async (): Promise<unknown> => (await store.query(LIMIT, []))[0]?.['memory_limit'];
  /** While parts are read, beside as many rows of a table. */
  const limitInParts = async (rows = 1): Promise<string[]> => {
    const tables = [`select cast(range as integer) as n from range(${rows})`];
    const found: string[] = [];
    const begin = () => ({
      add: (part: { texts(name: string): readonly string[] }) => found.push(...part.texts('memory_limit')),
    });
    await store.queryParts(
      tables.map((sql) => ({ sql, values: [] })),
      [{ sql: LIMIT, values: [] }],
      begin,
    );
    return found;
  };

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'cairn-scan-memory-'));
  });
  afterEach(async () => {
    await store.close();
    rmSync(folder, { recursive: true });
  });

  it('is lower while parts are read, and as before for the next query', async () => {
    await open('512MB');
    expect(await limitInParts()).toEqual(['76.2 MiB']);
    expect(await limitInParts()).toEqual(['76.2 MiB']);
    expect(await limitOf()).toBe('488.2 MiB');
  });

  it('stays as it is for many rows, and where it is lower', async () => {
    await open('512MB');
    expect(await limitInParts(300_001)).toEqual(['488.2 MiB']);
    await store.close();
    await open('60MB');
    expect(await limitInParts()).toEqual(['57.2 MiB']);
    expect(await limitOf()).toBe('57.2 MiB');
  });

  it('is as before for what needs more', async () => {
    await open('1GB');
    const begun: number[] = [];
    const sql = 'select cast(len(list(range)) as integer) as n from range(20000000)';
    const begin = ([table]: readonly ColumnTable[]) => {
      begun.push(...(table?.integers('n') ?? []));
      return { add: () => undefined };
    };
    await store.queryParts([{ sql, values: [] }], [{ sql: 'select 1::integer as one', values: [] }], begin);
    expect(begun).toEqual([20_000_000]);
    expect(await limitOf()).toBe('953.6 MiB');
  });

  it('is as before for events that need more', async () => {
    await open('512MB');
    const longest = 'select max(length(properties))::integer as longest from event_rows';
    const readProperties = () =>
      store.queryParts([{ sql: LIMIT, values: [] }], [{ sql: longest, values: [] }], () => ({ add: () => undefined }));
    const properties = { text: randomBytes(22_000).toString('base64') };
    for (let position = 1; position <= 40; position++) {
      const events = Array.from({ length: 250 }, () => anEvent({ properties }));
      await Promise.all([readProperties(), store.write({ events, overrides: [], position })]);
    }
    expect(await store.verify()).toBe(10_000);
  });

  it('stays as it is while something is copied', async () => {
    await open('512MB');
    const target = join(folder, 'rows.parquet');
    const copy = store.writeParquet('select range from range(30000000)', [], target, 'zstd');
    await Promise.resolve();
    expect(await limitInParts()).toEqual(['488.2 MiB']);
    expect(await copy).toBe(30_000_000);
  });

  it('stays as it is while another query runs', async () => {
    await open('512MB');
    const other = store.query('select sum(range % 7) as n from range(200000000)', []);
    const found = await limitInParts();
    await other;
    expect(found).toEqual(['488.2 MiB']);
  });
});
