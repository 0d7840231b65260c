import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { uuidOf } from '../../../test/contract/events.ts';
import { newPersonChanges } from '../../../test/contract/person-changes.ts';
import { makeTempDir, type TempDir } from '../../../test/contract/temp-dir.ts';
import { NO_CHANGES } from '../ingest/no-changes.ts';
import { openRelationalShelf, type RelationalShelf } from './metadata-store.ts';
import { PersonReader, withReader } from './person-reader.ts';

const ADA = `first ${uuidOf(1)}`;
const BOB = `first ${uuidOf(2)}`;

let dir: TempDir;
let shelf: RelationalShelf;
/** As another thread would have it. */
let elsewhere: Database.Database;
beforeEach(async () => {
  dir = makeTempDir();
  shelf = await openRelationalShelf(dir.path('metadata.sqlite'), 0);
  elsewhere = new Database(dir.path('metadata.sqlite'));
  await add(1);
});
afterEach(async () => {
  elsewhere.close();
  await shelf.metadata.close();
  dir.remove();
});

const add = (n: number): Promise<void> =>
  shelf.ingest.transaction((store) =>
    store.apply({ ...NO_CHANGES, persons: newPersonChanges(1, [uuidOf(n)]), position: n }),
  );
const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const propertiesOf = async (distinctId: string) =>
  (await shelf.metadata.subjects.personOf(1, distinctId))?.properties ?? null;
const changeElsewhere = (word: string): void => {
  elsewhere.prepare('update persons set properties = ?').run(JSON.stringify({ word }));
};

it('answers at once', () => {
  expect(shelf.metadata.subjects.personOf(1, 'nobody')).toBeNull();
  expect(shelf.metadata.subjects.personOf(1, ADA)).toMatchObject({ properties: { of: uuidOf(1) } });
});

it('sees what this thread has written, in the same turn', async () => {
  expect(await propertiesOf(BOB)).toBeNull();
  await add(2);
  expect(await propertiesOf(BOB)).toEqual({ of: uuidOf(2) });
});

it('sees what another thread has written when it is told, and remembers it until then', async () => {
  await propertiesOf(ADA);
  changeElsewhere('one');
  await nextTurn();
  expect(await propertiesOf(ADA)).toEqual({ of: uuidOf(1) });
  shelf.metadata.subjects.refresh([uuidOf(2)]);
  expect(await propertiesOf(ADA)).toEqual({ of: uuidOf(1) });
  shelf.metadata.subjects.refresh([uuidOf(1)]);
  expect(await propertiesOf(ADA)).toEqual({ word: 'one' });
  changeElsewhere('two');
  shelf.metadata.subjects.refresh();
  expect(await propertiesOf(ADA)).toEqual({ word: 'two' });
});

it('sees in the next turn who has got an id elsewhere, without being told', async () => {
  expect(await propertiesOf('new')).toBeNull();
  elsewhere
    .prepare(
      "insert into person_distinct_ids (project_id, distinct_id, person_id, version) select 1, 'new', id, 0 from persons",
    )
    .run();
  await nextTurn();
  expect(await propertiesOf('new')).toEqual({ of: uuidOf(1) });
});

it('shows what a transaction of this thread has changed once it is committed, whoever asked meanwhile', async () => {
  await propertiesOf(ADA);
  await shelf.metadata.transaction(async (store) => {
    const person = { projectId: 1, uuid: uuidOf(1), createdAt: 1, isIdentified: false, version: 1 };
    await store.personJournal.update({ ...person, properties: { word: 'set' } });
    expect(await propertiesOf(ADA)).toEqual({ of: uuidOf(1) });
  });
  expect(await propertiesOf(ADA)).toEqual({ word: 'set' });
});

it('keeps nobody from writing, nor the journal from being emptied', async () => {
  await propertiesOf(ADA);
  changeElsewhere('one');
  await nextTurn();
  expect(elsewhere.pragma('wal_checkpoint(restart)')).toMatchObject([{ busy: 0 }]);
});

it('leaves it to the general way where its own is barred, and finds back', async () => {
  let isBarred = true;
  const reader = new PersonReader(() => {
    if (isBarred) throw new Error('locked');
    return new Database(dir.path('metadata.sqlite'));
  });
  const subjects = withReader(shelf.metadata.subjects, reader);
  expect(reader.personOf(1, ADA)).toBeUndefined();
  expect(await subjects.personOf(1, ADA)).toMatchObject({ properties: { of: uuidOf(1) } });
  isBarred = false;
  expect(reader.personOf(1, ADA)).toMatchObject({ properties: { of: uuidOf(1) } });
  reader.close();
  expect(reader.personOf(1, ADA)).toBeUndefined();
});

it('is over when the shelf is closed', async () => {
  await propertiesOf(ADA);
  const { subjects, close } = shelf.metadata;
  await close();
  await expect((async () => subjects.personOf(1, ADA))()).rejects.toThrow();
  shelf = await openRelationalShelf(dir.path('metadata.sqlite'), 0);
});
