import { afterEach, beforeEach, expect, it } from 'vitest';
import { uuidOf } from '../../../test/contract/events.ts';
import { newPersonChanges } from '../../../test/contract/person-changes.ts';
import { makeTempDir, type TempDir } from '../../../test/contract/temp-dir.ts';
import { openMigratedStore } from '../../../test/support/migrated-store.ts';
import { openEventStore } from '../../stores/duckdb/event-store.ts';
import type { EventStore } from '../../stores/events/event-store.ts';
import { NO_CHANGES } from '../../stores/ingest/no-changes.ts';
import { PersonMirror } from './person-mirror.ts';

let dir: TempDir;
let stores: Awaited<ReturnType<typeof openMigratedStore>>;
let events: EventStore;
let slices: number;
let mirror: PersonMirror;
let position = 0;
beforeEach(async () => {
  dir = makeTempDir();
  stores = await openMigratedStore(dir.path('metadata.sqlite'));
  events = await openEventStore(dir.path('events.duckdb'));
  slices = 0;
  const between = (work: () => Promise<boolean>): Promise<boolean> => {
    slices++;
    return work();
  };
  mirror = new PersonMirror({ ingest: stores.ingest, events, runExclusive: between });
});
afterEach(async () => {
  await events.close();
  await stores.metadata.close();
  dir.remove();
});

const add = (from: number, count: number): Promise<void> => {
  const uuids = Array.from({ length: count }, (_, n) => uuidOf(from + n));
  return stores.ingest.transaction((store) =>
    store.apply({ ...NO_CHANGES, persons: newPersonChanges(1, uuids), position: ++position }),
  );
};
const copied = async () => Number((await events.query('select count(*) as n from person_rows', []))[0]?.['n']);

it('copies all persons in batches, then only changes, and nothing when there are none', async () => {
  await add(0, 5001);
  await mirror.refresh(1);
  expect([slices, await copied()]).toEqual([2, 5001]);
  await mirror.refresh(1);
  await mirror.refresh(2);
  expect([slices, await copied(), await events.listMirroredProjects()]).toEqual([2, 5001, [1]]);
  await add(6000, 9);
  await mirror.refresh(1);
  expect([slices, await copied()]).toEqual([3, 5010]);
});

it('shares one copy among callers, and later callers see later changes', async () => {
  await add(0, 10);
  const first = mirror.refresh(1);
  await add(100, 10);
  const others = [mirror.refresh(1), mirror.refresh(1), mirror.refresh(1)];
  expect(others[1]).toBe(others[2]);
  await Promise.all([first, ...others]);
  expect(await copied()).toBe(20);
  expect(slices).toBeLessThanOrEqual(2);
});

it('continues after a failure', async () => {
  await add(0, 10);
  let fails = true;
  const failing = new PersonMirror({
    ingest: stores.ingest,
    events,
    runExclusive: (work) => (fails ? Promise.reject(new Error('away')) : work()),
  });
  const asked = [failing.refresh(1), failing.refresh(1)];
  await expect(asked[0]).rejects.toThrow('away');
  await expect(asked[1]).rejects.toThrow('away');
  fails = false;
  await failing.refresh(1);
  expect(await copied()).toBe(10);
});

it('removes deleted persons before files are rewritten', async () => {
  await add(0, 3);
  await mirror.refresh(1);
  const { personIdentities: identities, persons } = stores.metadata;
  const person = await persons.get(1, { uuid: uuidOf(1) });
  if (person) await identities.delete(person, { uuids: [person.uuid], ids: [person.id] });
  expect(await copied()).toBe(3);
  await mirror.refreshAll();
  expect(await copied()).toBe(2);
});
