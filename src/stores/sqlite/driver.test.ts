import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { type Kysely, sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openSqliteDatabase } from './metadata-store.ts';

let folder: string;
let path: string;
let db: Kysely<unknown>;
let other: Database.Database;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'cairn-driver-'));
  path = join(folder, 'test.sqlite');
  db = openSqliteDatabase(path) as unknown as Kysely<unknown>;
  await sql`create table counter (n integer)`.execute(db);
  await sql`insert into counter values (0)`.execute(db);
  other = new Database(path, { timeout: 0 });
});
afterEach(async () => {
  other.close();
  await db.destroy();
  rmSync(folder, { recursive: true, force: true });
});

const read = async (on: Kysely<unknown>): Promise<number> =>
  (await sql<{ n: number }>`select n from counter`.execute(on)).rows[0]?.n ?? -1;
const increment = (): Promise<void> =>
  db.transaction().execute(async (tx) => {
    const n = await read(tx);
    await sleep(1);
    await sql`update counter set n = ${n + 1}`.execute(tx);
  });

describe('waiting for the lock', () => {
  it.each([
    ['a transaction', () => increment()],
    ['a single write', () => sql`update counter set n = n + 1`.execute(db)],
  ])('%s does not block the thread, and runs when the lock is free', async (_name, write) => {
    other.exec('begin immediate');
    let done = false;
    const writing = write().then(() => {
      done = true;
    });
    for (let turns = 0; turns < 20; turns++) await sleep(1);
    expect(done).toBe(false);
    other.exec('commit');
    await writing;
    expect(await read(db)).toBe(1);
  });

  it('does not block reads', async () => {
    other.exec('begin immediate');
    other.exec('update counter set n = 5');
    expect(await read(db)).toBe(0);
    other.exec('commit');
    expect(await read(db)).toBe(5);
  });
});

describe('transactions', () => {
  it('that read and then write are serialized', async () => {
    await Promise.all(Array.from({ length: 20 }, increment));
    expect(await read(db)).toBe(20);
  });

  it('take the write lock when they begin, before their first write', async () => {
    await db.transaction().execute(async () => {
      expect(() => other.exec('begin immediate')).toThrow('database is locked');
    });
    other.exec('begin immediate');
    other.exec('rollback');
  });

  it('that fail are rolled back', async () => {
    const failing = db.transaction().execute(async (tx) => {
      await sql`update counter set n = 7`.execute(tx);
      throw new Error('changed my mind');
    });
    await expect(failing).rejects.toThrow('changed my mind');
    expect(await read(db)).toBe(0);
  });
});

it('syncs to disk before a commit returns', async () => {
  expect((await sql`pragma synchronous`.execute(db)).rows).toEqual([{ synchronous: 2 }]);
  expect((await sql`pragma journal_mode`.execute(db)).rows).toEqual([{ journalMode: 'wal' }]);
});
