/** An event store with the traffic of a made-up shop, made once per folder. */
import { existsSync, renameSync, rmSync } from 'node:fs';
import { type EventStoreOptions, openEventStore } from '../../src/stores/duckdb/event-store.ts';
import type { EventStore, StoredEvent } from '../../src/stores/events/event-store.ts';
import type { MirroredPerson } from '../../src/stores/events/person-mirror.ts';
import { PROJECT, ProductTraffic } from './product-traffic.ts';

const BATCH_SIZE = 20_000;

/** `eventOf`: one more event of each person. */
export async function openShopStore(
  path: string,
  events: number,
  eventOf?: (person: MirroredPerson, at: number) => StoredEvent,
  options: EventStoreOptions = {},
): Promise<EventStore> {
  if (!existsSync(path)) {
    const draft = `${path}.draft`;
    for (const file of [draft, `${draft}.wal`]) rmSync(file, { force: true });
    const store = await openEventStore(draft);
    await fill(store, new ProductTraffic(events), eventOf);
    await store.close();
    renameSync(draft, path);
  }
  return openEventStore(path, options);
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
