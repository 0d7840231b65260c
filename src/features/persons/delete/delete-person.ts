/**
 * Deletes a person. Without events: person, ids, history and merges are removed at once. With events: all references are
 * removed too, and the deletion is recorded and completed in the background (`erasure.ts`).
 *
 * Events accepted before the request belong to the person, so they are processed first. The uuid is never reused: a
 * later event with the same distinct id creates a new person.
 */

import { recordActivity } from '../../../access/record-activity.ts';
import { Failure } from '../../../core/errors.ts';
import type { Project } from '../../../stores/metadata/accounts.ts';
import type { ExportedRun } from '../../../stores/metadata/deletions.ts';
import type { MetadataStore } from '../../../stores/metadata/metadata-store.ts';
import type { PersonRef, StoredPerson } from '../../../stores/metadata/persons.ts';
import { changeIdentities, type IdentityDeps } from '../identity/change-identities.ts';
import { activityTarget, getPerson } from '../persons.ts';
import { deleteNames } from './delete-names.ts';
import { type Erasure, longEnough } from './erasure.ts';

export interface DeletePersonDeps extends IdentityDeps {
  /** True once everything accepted so far is processed, false if that takes too long. */
  whenProcessed(): Promise<boolean>;
  erasure: Pick<Erasure, 'begin'>;
  /** Runs of exports whose files have the person. */
  listExportedRuns(projectId: number, personUuid: string): Promise<readonly ExportedRun[]>;
}

interface DeletePersonRequest {
  project: Project;
  userId: number;
  ref: PersonRef | null;
  deleteEvents: boolean;
  /** Also groups and definitions with an id or the email address of the person; only with the events. */
  deleteNames: boolean;
}

/** The id of the background deletion; null if there is nothing left to do. */
export async function deletePerson(deps: DeletePersonDeps, request: DeletePersonRequest): Promise<string | null> {
  const { project, ref, deleteEvents } = request;
  const { uuid } = await getPerson(deps.metadata.persons, project.id, ref);
  if (!(await deps.whenProcessed())) throw tooBusy();
  // Before the events are gone that tell.
  const exportedIn = deleteEvents ? await deps.listExportedRuns(project.id, uuid) : [];
  const { deletionId, searchTexts } = await changeIdentities(deps, async (store) => {
    const person = await getPerson(store.persons, project.id, ref);
    const deleted = await deleteRecords(deps, store, { ...request, exportedIn }, person);
    await recordDeletion(deps, store, request, person);
    return deleted;
  });
  if (!deleteEvents) return null;
  deps.erasure.begin(deletionId, searchTexts);
  return deletionId;
}

const tooBusy = (): Failure =>
  new Failure('unavailable', 'Events of this person may still be processed. Try again in a moment.', {
    retryAfter: 10,
  });

async function deleteRecords(
  { clock, ids }: DeletePersonDeps,
  store: MetadataStore,
  {
    userId,
    deleteEvents,
    deleteNames: withNames,
    exportedIn,
  }: DeletePersonRequest & { exportedIn: readonly ExportedRun[] },
  person: StoredPerson,
): Promise<{ deletionId: string; searchTexts: string[] }> {
  const { personIdentities: identities, deletions } = store;
  const { projectId, uuid } = person;
  const requestedAt = clock.now();
  const deletionId = ids.orderedUuid(requestedAt);
  const distinctIds = await identities.listDistinctIds(person.id);
  const merged = await identities.getMergedPersons(projectId, uuid);
  const mergedPersons = { ...merged, ids: [person.id, ...merged.ids] };
  const removed = await identities.delete(person, mergedPersons);
  const { email } = person.properties;
  const searchTexts = typeof email === 'string' ? [email, ...distinctIds] : distinctIds;
  if (deleteEvents) {
    const references = await identities.removeReferences(projectId, mergedPersons, distinctIds);
    const names = withNames ? await deleteNames(store, projectId, longEnough(searchTexts)) : {};
    const all = { ...removed, ...references, ...names };
    await deletions.create({
      id: deletionId,
      projectId,
      personUuid: uuid,
      requestedBy: userId,
      requestedAt,
      removed: all,
      exportedIn,
    });
    await identities.queueReassignment({ projectId, personId: uuid, kind: 'remove', distinctIds }, deletionId);
  }
  return { deletionId, searchTexts };
}

/** Contains nothing about the person but the uuid. */
const recordDeletion = (
  deps: DeletePersonDeps,
  store: MetadataStore,
  { project, userId }: DeletePersonRequest,
  person: StoredPerson,
): Promise<void> =>
  recordActivity(deps, store, {
    ...activityTarget(userId, project, person),
    activity: 'deleted',
    name: person.uuid,
    changes: null,
  });
