import Database from 'better-sqlite3';
import type { Kysely } from 'kysely';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { uuidOf } from '../../../../test/contract/events.ts';
import { makeTempDir, type TempDir } from '../../../../test/contract/temp-dir.ts';
import { openMigratedStore } from '../../../../test/support/migrated-store.ts';
import type { JsonObject } from '../../../core/json/json.ts';
import type { Person } from '../../../core/persons/person.ts';
import type { IngestTransaction } from '../../ingest/ingest-store.ts';
import { NO_CHANGES } from '../../ingest/no-changes.ts';
import { openSqliteDatabase } from '../../sqlite/metadata-store.ts';
import { sqliteDialect } from '../dialect.ts';
import { SeenEvents } from '../seen/seen-events.ts';
import type { Tables } from '../tables.ts';
import { sqlIngestTransaction } from './ingest-store.ts';

let dir: TempDir;
let db: Kysely<Tables>;
let database: Database.Database;
beforeEach(async () => {
  dir = makeTempDir();
  const path = dir.path('metadata.sqlite');
  await (await openMigratedStore(path)).metadata.close();
  db = openSqliteDatabase(path);
  database = new Database(path);
  // A trigger of columns runs for each row of a statement that mentions one, also with the same value.
  database.exec(`
    create table mentions (uuid text);
    create trigger mention after update of created_at, email on persons begin
      insert into mentions values (new.uuid);
    end`);
});
afterEach(async () => {
  database.close();
  await db.destroy();
  dir.remove();
});

const [ada, bob] = [uuidOf(1), uuidOf(2)];
const aPerson = (uuid: string, properties: JsonObject, version = 0): Person => ({
  projectId: 1,
  uuid,
  createdAt: 1000,
  properties,
  isIdentified: false,
  version,
});
const inTransaction = (work: (store: IngestTransaction, tx: Kysely<Tables>) => Promise<void>): Promise<void> =>
  db.transaction().execute((tx) => {
    const on = { db: tx, dialect: sqliteDialect };
    return work(sqlIngestTransaction(on, new SeenEvents(tx, sqliteDialect)), tx);
  });

async function write(store: IngestTransaction, persons: readonly Person[], isNew = false): Promise<void> {
  const states = persons.map((person) => ({ person, isNew, mergedInto: null }));
  const ops = persons.map(({ uuid }) => ({
    op: 'add_id' as const,
    projectId: 1,
    distinctId: uuid,
    personUuid: uuid,
  }));
  await store.apply({
    ...NO_CHANGES,
    persons: { ...NO_CHANGES.persons, persons: states, ops: isNew ? ops : [] },
  });
}
const read = async (store: IngestTransaction, ...uuids: string[]): Promise<Person[]> =>
  (await store.listPersonsByDistinctIds(uuids.map((distinctId) => ({ projectId: 1, distinctId })))).persons;

const add = (...persons: Person[]): Promise<void> => inTransaction((store) => write(store, persons, true));
const mentions = () => database.prepare('select uuid from mentions').pluck().all();
const rows = () =>
  database.prepare('select uuid, created_at, properties, version, change, email from persons order by uuid').all();

it('leaves the columns of indexes out of what changes something else', async () => {
  await add(aPerson(ada, { email: 'a@x', n: 1 }), aPerson(bob, { n: 1 }));
  await inTransaction(async (store) => {
    await read(store, ada, bob);
    await write(store, [aPerson(ada, { email: 'a@x', n: 2 }, 1), aPerson(bob, { n: 2 }, 1)]);
  });
  expect(mentions()).toEqual([]);
  const same = { created_at: 1000, version: 1, change: 2 };
  expect(rows()).toEqual([
    { uuid: ada, ...same, properties: '{"email":"a@x","n":2}', email: '"a@x"' },
    { uuid: bob, ...same, properties: '{"n":2}', email: null },
  ]);
});

it('writes them for whom they change', async () => {
  await add(aPerson(ada, { email: 'a@x' }), aPerson(bob, {}));
  await inTransaction(async (store) => {
    await read(store, ada, bob);
    await write(store, [aPerson(ada, {}, 1), { ...aPerson(bob, {}, 1), createdAt: 7 }]);
  });
  expect(mentions()).toEqual([ada, bob]);
  expect(rows()).toMatchObject([
    { uuid: ada, created_at: 1000, email: null, version: 1 },
    { uuid: bob, created_at: 7, email: null, version: 1 },
  ]);
});

it('leaves out an e-mail that is an object, too, unless it changes', async () => {
  await add(aPerson(ada, { email: { a: 1 } }), aPerson(bob, { email: [1] }));
  await inTransaction(async (store) => {
    const [one, other] = await read(store, ada, bob);
    await write(store, [
      aPerson(ada, { ...one?.properties, n: 1 }, 1),
      aPerson(bob, { ...other?.properties, email: [2] }, 1),
    ]);
  });
  expect(mentions()).toEqual([bob]);
  expect(rows()).toMatchObject([{ email: '{"a":1}' }, { email: '[2]' }]);
});

it('writes nothing if a person is gone who was read', async () => {
  await add(aPerson(ada, {}), aPerson(bob, {}));
  const before = rows();
  const attempt = inTransaction(async (store, tx) => {
    await read(store, ada, bob);
    await tx.deleteFrom('persons').where('uuid', '=', bob).execute();
    await write(store, [aPerson(ada, { n: 2 }, 1), aPerson(bob, { n: 2 }, 1)]);
  });
  await expect(attempt).rejects.toThrow('1 of 2 persons are gone');
  expect(rows()).toEqual(before);
});
