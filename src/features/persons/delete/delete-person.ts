/**
 * Deleting a person. Without events: person, ids, history and merges go at once. With events: everything that speaks of
 * them goes, and the deletion is written down, to be finished in the background (`erasure.ts`).
 *
 * What was accepted before the request belongs to the person too, so it is processed first. The uuid is never given
 * again: a later event of the same distinct id begins somebody new.
 */

import { recordActivity } from '../../../access/record-activity.ts';
import { Failure } from '../../../core/errors.ts';
import type { Project } from '../../../stores/metadata/accounts.ts';
import type { MetadataStore } from '../../../stores/metadata/metadata-store.ts';
import type { PersonRef, StoredPerson } from '../../../stores/metadata/persons.ts';
import { changeIdentities, type IdentityDeps } from '../identity/change-identities.ts';
import { getPerson } from '../persons.ts';
import type { Erasure } from './erasure.ts';

export interface DeletePersonDeps extends IdentityDeps {
  /** Resolves to true when everything accepted so far has been processed, to false when that takes too long. */
  whenProcessed(): Promise<boolean>;
  erasure: Pick<Erasure, 'begin'>;
}

interface DeletePersonRequest {
  project: Project;
  userId: number;
  /** Null: nobody is called so. */
  ref: PersonRef | null;
  deleteEvents: boolean;
}

/** The id of the deletion to follow; null where it is over. */
export async function deletePerson(deps: DeletePersonDeps, wanted: DeletePersonRequest): Promise<string | null> {
  const { project, ref, deleteEvents } = wanted;
  await getPerson(deps.metadata.persons, project.id, ref);
  if (!(await deps.whenProcessed())) throw tooBusy();
  const { deletionId, telltales } = await changeIdentities(deps, async (store) => {
    const person = await getPerson(store.persons, project.id, ref);
    const found = await deleteRecords(deps, store, wanted, person);
    await recordDeletion(deps, store, wanted, person);
    return found;
  });
  if (!deleteEvents) return null;
  deps.erasure.begin(deletionId, telltales);
  return deletionId;
}

const tooBusy = (): Failure =>
  new Failure('unavailable', 'Events wait to be processed, perhaps of this person; try again in a moment.', {
    retryAfter: 10,
  });

async function deleteRecords(
  { clock, ids }: DeletePersonDeps,
  store: MetadataStore,
  { userId, deleteEvents }: DeletePersonRequest,
  person: StoredPerson,
): Promise<{ deletionId: string; telltales: string[] }> {
  const { personIdentities: journal, deletions } = store;
  const { projectId, uuid } = person;
  const requestedAt = clock.now();
  const deletionId = ids.orderedUuid(requestedAt);
  const distinctIds = await journal.listDistinctIds(person.id);
  const merged = await journal.getMergedPersons(projectId, uuid);
  const family = { ...merged, ids: [person.id, ...merged.ids] };
  const removed = await journal.delete(person, family);
  if (deleteEvents) {
    const mentions = await journal.removeReferences(projectId, family, distinctIds);
    const all = { ...removed, ...mentions };
    await deletions.create({
      id: deletionId,
      projectId,
      personUuid: uuid,
      requestedBy: userId,
      requestedAt,
      removed: all,
    });
    await journal.queueReassignment({ projectId, personId: uuid, kind: 'remove', distinctIds }, deletionId);
  }
  const { email } = person.properties;
  return { deletionId, telltales: typeof email === 'string' ? [...distinctIds, email] : distinctIds };
}

/** Nothing about the person but the uuid. */
const recordDeletion = (
  deps: DeletePersonDeps,
  store: MetadataStore,
  { project, userId }: DeletePersonRequest,
  person: StoredPerson,
): Promise<void> =>
  recordActivity(deps, store, {
    organizationId: project.organizationId,
    projectId: project.id,
    userId,
    activity: 'deleted',
    scope: 'Person',
    itemId: String(person.id),
    name: person.uuid,
    changes: null,
  });
