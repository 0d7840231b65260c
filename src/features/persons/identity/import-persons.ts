/** Takes persons of another installation in, many at a time, in one transaction that keeps the processor out. */
import { Failure } from '../../../core/errors.ts';
import type { ImportedPerson } from '../../../core/events/import-line.ts';
import type { Person, PropertyChange } from '../../../core/persons/person.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { Ids } from '../../../lib/ids.ts';
import type { EventStore } from '../../../stores/events/event-store.ts';
import type { IngestStore, IngestTransaction } from '../../../stores/ingest/ingest-store.ts';
import { NO_CHANGES } from '../../../stores/ingest/no-changes.ts';
import type { MetadataStore } from '../../../stores/metadata/metadata-store.ts';
import { personPropertyDefinitions } from '../persons.ts';
import { candidateUuids, PersonImport } from '../rules/person-import.ts';

interface ImportPersonsDeps {
  metadata: MetadataStore;
  ingest: IngestStore;
  events: Pick<EventStore, 'position'>;
  clock: Clock;
  ids: Ids;
}

/** For each person why it was left out, or null. */
export async function importPersons(
  deps: ImportPersonsDeps,
  projectId: number,
  lines: readonly ImportedPerson[],
): Promise<(string | null)[]> {
  const { ingest, events, clock, ids } = deps;
  return ingest.transaction(async (store) => {
    const position = await store.position();
    // A chunk that is computed again after a fault must meet the persons as they were.
    if ((await events.position()) > position) throw eventStoreAhead();
    const now = clock.now();
    const book = new PersonImport({ projectId, now, ...(await loadKnownPersons(deps, store, projectId, lines)) });
    const refusals = lines.map((line) => book.add(line));
    const taken = lines.filter((_, i) => refusals[i] === null);
    const properties = personPropertyDefinitions(ids, projectId, taken.flatMap(settingsOf), now);
    await store.apply({ ...NO_CHANGES, persons: book.changes(), properties, position });
    return refusals;
  });
}

const settingsOf = ({ properties }: ImportedPerson): PropertyChange[] =>
  Object.entries(properties).map(([key, after]) => ({ key, before: undefined, after }));

async function loadKnownPersons(
  { metadata }: ImportPersonsDeps,
  store: IngestTransaction,
  projectId: number,
  lines: readonly ImportedPerson[],
) {
  const named = await store.listPersonsByDistinctIds(
    [...new Set(lines.flatMap((line) => line.distinctIds))].map((distinctId) => ({ projectId, distinctId })),
  );
  const persons = new Map(named.persons.map((person) => [person.uuid, person]));
  const wanted = lines.flatMap(({ uuid, distinctIds }) => candidateUuids(projectId, uuid, distinctIds[0] ?? ''));
  const taken = new Set(await store.listTakenUuids([...new Set(wanted)]));
  for (const { uuid } of lines) {
    if (uuid === null || !taken.has(uuid) || persons.has(uuid)) continue;
    const found: Person | null = await metadata.persons.get(projectId, { uuid });
    if (found) persons.set(uuid, found);
  }
  return { persons: persons.values(), distinctIds: named.distinctIds, isTaken: (uuid: string) => taken.has(uuid) };
}

const eventStoreAhead = (): Failure =>
  new Failure('unavailable', 'Events are being processed again after a fault; try again in a moment.', {
    retryAfter: 2,
  });
