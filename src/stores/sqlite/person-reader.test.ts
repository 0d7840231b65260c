import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { uuidOf } from '../../../test/contract/events.ts';
import { newPersonChanges } from '../../../test/contract/person-changes.ts';
import { makeTempDir, type TempDir } from '../../../test/contract/temp-dir.ts';
import { openMigratedStore } from '../../../test/support/migrated-store.ts';
import { NO_CHANGES } from '../ingest/no-changes.ts';
import type { SqliteStores } from './metadata-store.ts';
import { PersonReader, withPersonReader } from './person-reader.ts';

const ADA = `first ${uuidOf(1)}`;
const BOB = `first ${uuidOf(2)}`;

let dir: TempDir;
let stores: SqliteStores;
/** As another thread would have it. */
let elsewhere: Database.Database;
beforeEach(async () => {
  dir = makeTempDir();
  stores = await openMigratedStore(dir.path('metadata.sqlite'));
  elsewhere = new Database(dir.path('metadata.sqlite'));
  await add(1);
});
afterEach(async () => {
  elsewhere.close();
  await stores.metadata.close();
  dir.remove();
});

const add = (n: number): Promise<void> =>
  stores.ingest.transaction((store) =>
    store.apply({ ...NO_CHANGES, persons: newPersonChanges(1, [uuidOf(n)]), position: n }),
  );
const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const propertiesOf = async (distinctId: string) =>
  (await stores.metadata.subjects.getPerson(1, distinctId))?.properties ?? null;
const changeElsewhere = (word: string): void => {
  elsewhere.prepare('update persons set properties = ?').run(JSON.stringify({ word }));
};

it('answers synchronously', () => {
  expect(stores.metadata.subjects.getPerson(1, 'nobody')).toBeNull();
  expect(stores.metadata.subjects.getPerson(1, ADA)).toMatchObject({ properties: { of: uuidOf(1) } });
});

it('sees writes of this thread in the same turn', async () => {
  expect(await propertiesOf(BOB)).toBeNull();
  await add(2);
  expect(await propertiesOf(BOB)).toEqual({ of: uuidOf(2) });
});

it('sees writes of another thread after a refresh, and caches until then', async () => {
  await propertiesOf(ADA);
  changeElsewhere('one');
  await nextTurn();
  expect(await propertiesOf(ADA)).toEqual({ of: uuidOf(1) });
  stores.metadata.subjects.refresh([uuidOf(2)]);
  expect(await propertiesOf(ADA)).toEqual({ of: uuidOf(1) });
  stores.metadata.subjects.refresh([uuidOf(1)]);
  expect(await propertiesOf(ADA)).toEqual({ word: 'one' });
  changeElsewhere('two');
  stores.metadata.subjects.refresh();
  expect(await propertiesOf(ADA)).toEqual({ word: 'two' });
});

it('sees new distinct ids of another thread in the next turn, without a refresh', async () => {
  expect(await propertiesOf('new')).toBeNull();
  elsewhere
    .prepare(
      "insert into person_distinct_ids (project_id, distinct_id, person_id, version) select 1, 'new', id, 0 from persons",
    )
    .run();
  await nextTurn();
  expect(await propertiesOf('new')).toEqual({ of: uuidOf(1) });
});

it('sees the changes of a transaction once it is committed, even if read meanwhile', async () => {
  await propertiesOf(ADA);
  await stores.metadata.transaction(async (store) => {
    const person = { projectId: 1, uuid: uuidOf(1), createdAt: 1, isIdentified: false, version: 1 };
    await store.personIdentities.update({ ...person, properties: { word: 'set' } });
    expect(await propertiesOf(ADA)).toEqual({ of: uuidOf(1) });
  });
  expect(await propertiesOf(ADA)).toEqual({ word: 'set' });
});

it('blocks neither writers nor checkpoints', async () => {
  await propertiesOf(ADA);
  changeElsewhere('one');
  await nextTurn();
  expect(elsewhere.pragma('wal_checkpoint(restart)')).toMatchObject([{ busy: 0 }]);
});

it('falls back to a query while its connection fails, and recovers', async () => {
  let isBarred = true;
  const reader = new PersonReader(() => {
    if (isBarred) throw new Error('locked');
    return new Database(dir.path('metadata.sqlite'));
  });
  const subjects = withPersonReader(stores.metadata.subjects, reader);
  expect(reader.getPerson(1, ADA)).toBeUndefined();
  expect(await subjects.getPerson(1, ADA)).toMatchObject({ properties: { of: uuidOf(1) } });
  isBarred = false;
  expect(reader.getPerson(1, ADA)).toMatchObject({ properties: { of: uuidOf(1) } });
  reader.close();
  expect(reader.getPerson(1, ADA)).toBeUndefined();
});

it('fails after the stores are closed', async () => {
  await propertiesOf(ADA);
  const { subjects, close } = stores.metadata;
  await close();
  await expect((async () => subjects.getPerson(1, ADA))()).rejects.toThrow();
  stores = await openMigratedStore(dir.path('metadata.sqlite'));
});
