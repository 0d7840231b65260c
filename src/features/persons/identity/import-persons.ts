/** Imports persons from another installation, in a transaction that excludes event processing. */
import type { ImportedPerson } from '../../../core/events/import-line.ts';
import type { Person, PropertyChange } from '../../../core/persons/person.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { Ids } from '../../../lib/ids.ts';
import type { EventStore } from '../../../stores/events/event-store.ts';
import type { IngestStore, IngestTransaction } from '../../../stores/ingest/ingest-store.ts';
import { isPast } from '../../../stores/ingest/log-progress.ts';
import { NO_CHANGES } from '../../../stores/ingest/no-changes.ts';
import type { MetadataStore } from '../../../stores/metadata/metadata-store.ts';
import { personPropertyDefinitions } from '../persons.ts';
import { candidateUuids, PersonImport } from '../rules/person-import.ts';
import { eventStoreAhead } from './change-identities.ts';

interface ImportPersonsDeps {
  metadata: MetadataStore;
  ingest: IngestStore;
  events: Pick<EventStore, 'progress'>;
  clock: Clock;
  ids: Ids;
}

/** For each person the reason why it was skipped, or null. */
export async function importPersons(
  deps: ImportPersonsDeps,
  projectId: number,
  lines: readonly ImportedPerson[],
): Promise<(string | null)[]> {
  const { ingest, events, clock, ids } = deps;
  return ingest.transaction(async (store) => {
    // A chunk that is processed again after a failure must find persons unchanged.
    if (isPast(await events.progress(), await store.progress())) throw eventStoreAhead();
    const now = clock.now();
    const personImport = new PersonImport({
      projectId,
      now,
      ...(await loadKnownPersons(deps, store, projectId, lines)),
    });
    const reasons = lines.map((line) => personImport.add(line));
    const imported = lines.filter((_, i) => reasons[i] === null);
    const properties = personPropertyDefinitions(ids, projectId, imported.flatMap(initialChanges), now);
    await store.apply({ ...NO_CHANGES, persons: personImport.changes(), properties });
    return reasons;
  });
}

const initialChanges = ({ properties }: ImportedPerson): PropertyChange[] =>
  Object.entries(properties).map(([key, after]) => ({ key, before: undefined, after }));

async function loadKnownPersons(
  { metadata }: ImportPersonsDeps,
  store: IngestTransaction,
  projectId: number,
  lines: readonly ImportedPerson[],
) {
  const existing = await store.listPersonsByDistinctIds(
    [...new Set(lines.flatMap((line) => line.distinctIds))].map((distinctId) => ({ projectId, distinctId })),
  );
  const persons = new Map(existing.persons.map((person) => [person.uuid, person]));
  const candidates = lines.flatMap(({ uuid, distinctIds }) => candidateUuids(projectId, uuid, distinctIds[0] ?? ''));
  const taken = new Set(await store.listTakenUuids([...new Set(candidates)]));
  for (const { uuid } of lines) {
    if (uuid === null || !taken.has(uuid) || persons.has(uuid)) continue;
    const found: Person | null = await metadata.persons.get(projectId, { uuid });
    if (found) persons.set(uuid, found);
  }
  return { persons: persons.values(), distinctIds: existing.distinctIds, isTaken: (uuid: string) => taken.has(uuid) };
}
