import { personUuid } from '../../core/events/uuid.ts';
import { distinctIdsOf } from '../../core/persons/merge-attempt.ts';
import type { KnownPersons } from '../../core/persons/person-register.ts';
import type { DistinctId, IngestTransaction } from '../../stores/ingest/ingest-store.ts';
import type { NewEvent } from './normalise-entries.ts';

/** The persons behind every distinct id of the chunk, and which uuids of persons to come are taken. */
export async function loadKnownPersons(store: IngestTransaction, events: readonly NewEvent[]): Promise<KnownPersons> {
  const ids = new Map<string, DistinctId>();
  for (const { event } of events) {
    const { projectId } = event;
    for (const distinctId of distinctIdsOf(event)) ids.set(`${projectId}:${distinctId}`, { projectId, distinctId });
  }
  const known = await store.listPersonsByDistinctIds([...ids.values()]);
  for (const { projectId, distinctId } of known.distinctIds) ids.delete(`${projectId}:${distinctId}`);
  const taken = await takenUuids(store, [...ids.values()]);
  return { ...known, isTaken: (_projectId, uuid) => taken.has(uuid) };
}

/** Tries the uuids that `PersonRegister.freeUuid` will try, until every unknown id has a free one. */
async function takenUuids(store: IngestTransaction, unknown: readonly DistinctId[]): Promise<ReadonlySet<string>> {
  const taken = new Set<string>();
  let remaining = unknown;
  for (let n = 0; remaining.length > 0; n++) {
    const uuidOf = ({ projectId, distinctId }: DistinctId): string =>
      personUuid(projectId, n === 0 ? distinctId : `${distinctId}\u0000${n}`);
    const found = new Set(await store.listTakenUuids(remaining.map(uuidOf)));
    for (const uuid of found) taken.add(uuid);
    remaining = remaining.filter((id) => found.has(uuidOf(id)));
  }
  return taken;
}
