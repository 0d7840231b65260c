/** An event store with the traffic of a made-up shop, made once per folder. */
import { existsSync, renameSync, rmSync } from 'node:fs';
import { type EventStoreOptions, openEventStore } from '../../src/stores/duckdb/event-store.ts';
import type { EventStore, StoredEvent } from '../../src/stores/events/event-store.ts';
import type { MirroredPerson } from '../../src/stores/events/person-mirror.ts';
import { multiplyShop } from './multiply-shop.ts';
import { PROJECT, ProductTraffic } from './product-traffic.ts';

const BATCH_SIZE = 20_000;

/** `eventOf`: one more event of each person. */
export async function openShopStore(
  path: string,
  events: number,
  eventOf?: (person: MirroredPerson, at: number) => StoredEvent,
  options: EventStoreOptions = {},
): Promise<EventStore> {
  await makeOnce(path, async (draft) => {
    const store = await openEventStore(draft);
    await fill(store, new ProductTraffic(events), eventOf);
    await store.close();
  });
  return openEventStore(path, options);
}

/** So many events are written as they come; more are copies of these. */
const MAX_WRITTEN_EVENTS = 1_000_000;

/** The same with the sessions of the shop's site, whose rows are made from the written events. */
export async function openShopSite(path: string, events: number, options: EventStoreOptions): Promise<EventStore> {
  await makeOnce(path, async (draft) => {
    const copies = Math.ceil(events / MAX_WRITTEN_EVENTS);
    const store = await openEventStore(draft, options);
    await fill(store, new ProductTraffic(Math.round(events / copies), { hasReads: true }));
    if (copies > 1) await makeSessions(store);
    await store.close();
    if (copies === 1) return;
    const base = `${path}.base`;
    renameSync(draft, base);
    await multiplyShop(base, draft, copies);
    rmSync(base);
  });
  return openEventStore(path, options);
}

/** All rows of sessions, which the background does for a store of this size. */
export async function makeSessions(store: EventStore): Promise<void> {
  while (!(await store.prepareSessions(PROJECT))) await store.maintain(Date.now());
}

/** An interrupted attempt leaves nothing that the next one takes for a whole file. */
async function makeOnce(path: string, make: (draft: string) => Promise<void>): Promise<void> {
  if (existsSync(path)) return;
  const draft = `${path}.draft`;
  for (const file of [draft, `${draft}.wal`]) rmSync(file, { force: true });
  await make(draft);
  renameSync(draft, path);
}

async function fill(
  store: EventStore,
  traffic: ProductTraffic,
  eventOf?: (person: MirroredPerson, at: number) => StoredEvent,
): Promise<void> {
  let position = 0;
  for (const batch of traffic.batches()) {
    position = batch.position;
    await store.write(batch);
  }
  const persons = traffic.persons();
  for (let at = 0; at < persons.length; at += BATCH_SIZE) {
    const some = persons.slice(at, at + BATCH_SIZE);
    if (eventOf !== undefined) {
      const events = some.map((person, index) => eventOf(person, at + index));
      await store.write({ events, overrides: [], position: ++position });
    }
    await store.mirrorPersons({ projectId: PROJECT, removed: [], persons: some, position: { change: at + 1, id: 0 } });
  }
  while (await store.maintain(Date.now()));
}
