/**
 * Deleting a person. Without events: person, ids, history and merges go at once. With events: everything that speaks of
 * them goes, and the deletion is written down, to be finished in the background (`erasure.ts`).
 *
 * What was accepted before the request belongs to the person too, so it is processed first. The uuid is never given
 * again: a later event of the same distinct id begins somebody new.
 */
import { Failure } from '../core/errors.ts';
import type { MetadataStore } from '../stores/metadata-store.ts';
import type { KnownPerson } from '../stores/person-journal.ts';
import type { Project } from '../stores/records.ts';
import { recordActivity } from './activity.ts';
import { changeIdentities, type IdentityDeps } from './change-identities.ts';
import type { Erasure } from './erasure.ts';
import { findPerson } from './find-person.ts';

export interface DeletePersonDeps extends IdentityDeps {
  /** Resolves to true when everything accepted so far has been processed, to false when that takes too long. */
  caughtUp(): Promise<boolean>;
  erasure: Pick<Erasure, 'begin'>;
}

export interface PersonToDelete {
  project: Project;
  userId: number;
  key: string;
  deleteEvents: boolean;
}

/** The id of the deletion to follow; null where it is over. */
export async function deletePerson(deps: DeletePersonDeps, wanted: PersonToDelete): Promise<string | null> {
  const { project, key, deleteEvents } = wanted;
  await findPerson(deps.metadata.personJournal, project.id, key);
  if (!(await deps.caughtUp())) throw tooBusy();
  const { deletionId, telltales } = await changeIdentities(deps, async (store) => {
    const person = await findPerson(store.personJournal, project.id, key);
    const found = await removeFromShelf(deps, store, wanted, person);
    await recordDeleted(deps, store, wanted, person);
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

async function removeFromShelf(
  { clock, ids }: DeletePersonDeps,
  store: MetadataStore,
  { userId, deleteEvents }: PersonToDelete,
  person: KnownPerson,
): Promise<{ deletionId: string; telltales: string[] }> {
  const { personJournal: journal, deletions } = store;
  const { projectId, uuid } = person;
  const requestedAt = clock.now();
  const deletionId = ids.orderedUuid(requestedAt);
  const distinctIds = await journal.distinctIds(person.id);
  const merged = await journal.family(projectId, uuid);
  const family = { ...merged, ids: [person.id, ...merged.ids] };
  const removed = await journal.remove(person, family);
  if (deleteEvents) {
    const mentions = await journal.removeMentions(projectId, family, distinctIds);
    const all = { ...removed, ...mentions };
    await deletions.add({
      id: deletionId,
      projectId,
      personUuid: uuid,
      requestedBy: userId,
      requestedAt,
      removed: all,
    });
    await journal.order({ projectId, personId: uuid, kind: 'remove', distinctIds }, deletionId);
  }
  const { email } = person.properties;
  return { deletionId, telltales: typeof email === 'string' ? [...distinctIds, email] : distinctIds };
}

/** Nothing about the person but the uuid. */
const recordDeleted = (
  deps: DeletePersonDeps,
  store: MetadataStore,
  { project, userId }: PersonToDelete,
  person: KnownPerson,
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
