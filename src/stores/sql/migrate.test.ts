import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Kysely, sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openSqliteDatabase } from '../sqlite/metadata-store.ts';
import { sqliteDialect } from './dialect.ts';
import { migrateDatabase, PLATFORM_MIGRATIONS } from './migrate.ts';
import type { Migration } from './migration.ts';
import { textTiles } from './migrations/0018-text-tiles.ts';
import { writtenEmails } from './migrations/0046-written-emails.ts';

type Db = Kysely<unknown>;
type Step = Omit<Migration, 'number'>;

let folder: string;
let opened: Db[];
const open = (): Db => {
  const db = openSqliteDatabase(join(folder, 'test.sqlite')) as unknown as Db;
  opened.push(db);
  return db;
};
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cairn-migrate-'));
  opened = [];
});
afterEach(async () => {
  for (const db of opened) await db.destroy();
  rmSync(folder, { recursive: true, force: true });
});

const makes = (table: string): Step => ({
  name: `make ${table}`,
  async up(db) {
    await db.schema.createTable(table).addColumn('id', 'integer').execute();
  },
});
const breaksAfter = (table: string): Step => ({
  name: 'break',
  async up(db, dialect) {
    await makes(table).up(db, dialect);
    throw new Error('disk on fire');
  },
});
const numbered = (steps: Step[], first = 1): Migration[] => steps.map((step, i) => ({ ...step, number: first + i }));
const run = (db: Db, steps: Step[], now = 1000) => migrateDatabase(db, sqliteDialect, now, [], numbered(steps));

async function tables(db: Db): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select name from sqlite_master where type = 'table' and name not like 'sqlite_%' order by name
  `.execute(db);
  return rows.map((row) => row.name);
}
async function versions(db: Db) {
  return (
    await sql<{
      version: number;
      name: string;
      appliedAt: number;
    }>`select * from schema_version order by version`.execute(db)
  ).rows;
}

describe('steps', () => {
  it('run in order, once, and are written down', async () => {
    const db = open();
    await run(db, [makes('a')], 1000);
    await run(db, [makes('a'), makes('b'), makes('c')], 2000);
    await run(db, [makes('a'), makes('b'), makes('c')], 3000);
    expect(await tables(db)).toEqual(['a', 'b', 'c', 'schema_version']);
    expect(await versions(db)).toEqual([
      { version: 1, name: 'make a', appliedAt: 1000 },
      { version: 2, name: 'make b', appliedAt: 2000 },
      { version: 3, name: 'make c', appliedAt: 2000 },
    ]);
  });

  it('leave no trace when they fail half-way, and can be tried again', async () => {
    const db = open();
    await expect(run(db, [makes('a'), breaksAfter('b'), makes('c')])).rejects.toThrow('disk on fire');
    expect(await tables(db)).toEqual(['a', 'schema_version']);
    expect(await versions(db)).toHaveLength(1);
    await run(db, [makes('a'), makes('b'), makes('c')]);
    expect(await tables(db)).toEqual(['a', 'b', 'c', 'schema_version']);
  });

  it('run once when two start at the same time', async () => {
    const steps = [makes('a'), makes('b'), makes('c')];
    const [one, other] = [open(), open()];
    await Promise.all([run(one, steps), run(other, steps)]);
    expect(await versions(one)).toHaveLength(3);
    expect(await tables(other)).toEqual(['a', 'b', 'c', 'schema_version']);
  });
});

describe('migrations of features', () => {
  const platform = numbered([makes('a'), makes('b')]);
  const migrate = (db: Db, own: Migration[]) => migrateDatabase(db, sqliteDialect, 1000, own, platform);

  it('run among the others, by their numbers', async () => {
    const db = open();
    await migrate(db, [
      { ...makes('d'), number: 4 },
      { ...makes('c'), number: 3 },
    ]);
    expect((await versions(db)).map(({ version, name }) => [version, name])).toEqual([
      [1, 'make a'],
      [2, 'make b'],
      [3, 'make c'],
      [4, 'make d'],
    ]);
  });

  it.each([
    [2, 'Migration 2 ("make c") should have the number 3'],
    [4, 'Migration 4 ("make c") should have the number 3'],
  ])('are refused with a number that is taken or leaves a gap: %i', async (number, message) => {
    const db = open();
    await expect(migrate(db, [{ ...makes('c'), number }])).rejects.toThrow(message);
    expect(await tables(db)).toEqual([]);
  });
});

describe('a database of a newer version', () => {
  it('is refused with what to do about it, and left alone', async () => {
    const db = open();
    await run(db, [makes('a'), makes('b')]);
    await expect(run(db, [makes('a')])).rejects.toThrow(
      'The database is of a newer version of Cairn (its schema is 2, this version knows 1). ' +
        'Start the newer version again, or restore a backup made before the upgrade. Nothing was changed.',
    );
    expect(await versions(db)).toHaveLength(2);
  });
});

describe('texts on dashboards', () => {
  it('leave the tiles of insights as they were', async () => {
    const db = open();
    const before = PLATFORM_MIGRATIONS.filter(({ name }) => name !== 'texts on dashboards');
    const numbered = before.map((step, at) => ({ ...step, number: at + 1 }));
    await migrateDatabase(db, sqliteDialect, 1000, [], numbered);
    await sql`insert into dashboard_tiles (project_id, dashboard_id, insight_id, "order", layouts, color)
      values (1, 2, 3, 4, '{}', 'blue')`.execute(db);
    await db.transaction().execute(async (tx) => textTiles.up(tx, sqliteDialect));
    const { rows } = await sql`select * from dashboard_tiles`.execute(db);
    const tile = {
      id: 1,
      projectId: 1,
      dashboardId: 2,
      insightId: 3,
      order: 4,
      layouts: '{}',
      color: 'blue',
      body: null,
    };
    expect(rows).toEqual([tile]);
  });
});

describe('e-mails that are written', () => {
  const before = PLATFORM_MIGRATIONS.slice(0, writtenEmails.number - 1);
  const given = [
    '{"email":"ada@example.org","n":1}',
    '{"n":1}',
    '{"email":5}',
    '{"email":"5"}',
    '{"email":null}',
    '{"email":true}',
    '{"email":{"email":"inner","list":[1,{}]}}',
    String.raw`{"email":"\u0000 \ud800 \\u0000 \"é😀\n"}`,
    '{"email":12345678901234567890}',
    '{"email":1e+21}',
    '{"email":""}',
    '{}',
  ];
  const persons = async (db: Db) => (await sql`select * from persons order by id`.execute(db)).rows;
  const indexes = async (db: Db) =>
    (
      await sql`select name, sql from sqlite_master where type = 'index' and tbl_name = 'persons' order by name`.execute(
        db,
      )
    ).rows;
  async function openBefore(): Promise<Db> {
    const db = open();
    await migrateDatabase(db, sqliteDialect, 1000, [], before);
    for (const [n, properties] of given.entries()) {
      await sql`insert into persons (project_id, uuid, created_at, properties, is_identified, version, change)
        values (1, ${`uuid ${n}`}, ${n}, ${properties}, 0, ${n}, ${n})`.execute(db);
    }
    return db;
  }

  it('are those that were generated, in the same indexes', async () => {
    const db = await openBefore();
    const [rows, made] = [await persons(db), await indexes(db)];
    expect(rows.map((row) => (row as { email: string | null }).email)).toEqual([
      '"ada@example.org"',
      null,
      '5',
      '"5"',
      'null',
      'true',
      '{"email":"inner","list":[1,{}]}',
      String.raw`"\u0000 \ud800 \\u0000 \"é😀\n"`,
      '12345678901234567890',
      '1e+21',
      '""',
      null,
    ]);
    await migrateDatabase(db, sqliteDialect, 2000, [], [...before, writtenEmails]);
    expect(await persons(db)).toEqual(rows);
    expect(await indexes(db)).toEqual(made);
    await sql`update persons set properties = '{"email":"new"}', email = 'written' where id = 1`.execute(db);
    const { rows: found } = await sql`select id from persons where project_id = 1 and email = 'written'`.execute(db);
    expect(found).toEqual([{ id: 1 }]);
    expect((await sql`pragma integrity_check`.execute(db)).rows).toEqual([{ integrityCheck: 'ok' }]);
  });

  it('are generated as before if the migration fails at its end', async () => {
    const db = await openBefore();
    const [rows, made] = [await persons(db), await indexes(db)];
    const failing: Migration = {
      ...writtenEmails,
      async up(tx, dialect) {
        await writtenEmails.up(tx, dialect);
        throw new Error('disk on fire');
      },
    };
    const migrated = migrateDatabase(db, sqliteDialect, 2000, [], [...before, failing]);
    await expect(migrated).rejects.toThrow('disk on fire');
    expect([await persons(db), await indexes(db)]).toEqual([rows, made]);
    await sql`update persons set properties = '{"email":"new"}' where id = 2`.execute(db);
    expect((await sql`select email from persons where id = 2`.execute(db)).rows).toEqual([{ email: '"new"' }]);
    await migrateDatabase(db, sqliteDialect, 3000, [], [...before, writtenEmails]);
    expect((await sql`select id from persons where email = '"new"'`.execute(db)).rows).toEqual([{ id: 2 }]);
  });
});
