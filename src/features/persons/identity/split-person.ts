/** Splitting a person: one distinct id stays, every other one becomes a person of its own, and takes its events along. */

import { recordActivity } from '../../../access/record-activity.ts';
import { invalid } from '../../../core/errors.ts';
import type { HistoryEntry } from '../../../core/persons/person-changes.ts';
import type { DistinctIdMove } from '../../../stores/events/reassignment.ts';
import type { Project } from '../../../stores/metadata/accounts.ts';
import type { MetadataStore } from '../../../stores/metadata/metadata-store.ts';
import type { PersonIdentityStore } from '../../../stores/metadata/person-identities.ts';
import type { PersonRef, StoredPerson } from '../../../stores/metadata/persons.ts';
import { getPerson } from '../persons.ts';
import { changeIdentities, type IdentityDeps } from './change-identities.ts';

interface SplitRequest {
  project: Project;
  userId: number;
  /** Null: nobody is called so. */
  ref: PersonRef | null;
  /** The id that stays, with the properties; without one the first id stays, and nothing else does. */
  mainDistinctId: string | null;
}

export interface PersonWithIds {
  person: StoredPerson;
  distinctIds: string[];
}

export function splitPerson(deps: IdentityDeps, split: SplitRequest): Promise<PersonWithIds> {
  const { project, ref, mainDistinctId } = split;
  return changeIdentities(deps, async (store) => {
    const { personIdentities: journal } = store;
    const person = await getPerson(store.persons, project.id, ref);
    const distinctIds = await journal.listDistinctIds(person.id);
    const main = mainDistinctId ?? distinctIds[0];
    if (main === undefined || !distinctIds.includes(main)) throw notAnIdOfPerson();
    const rest = distinctIds.filter((id) => id !== main);
    await createPersonsFor(deps, journal, person, rest);
    const kept = mainDistinctId === null ? await clearProperties(deps, journal, person) : person;
    await recordSplit(deps, store, split, person, distinctIds);
    return { person: kept, distinctIds: [main] };
  });
}

const notAnIdOfPerson = () => invalid('main_distinct_id', 'This is not a distinct ID of the person.');

async function createPersonsFor(
  { clock, ids }: IdentityDeps,
  journal: PersonIdentityStore,
  { projectId, uuid }: StoredPerson,
  distinctIds: readonly string[],
): Promise<void> {
  if (distinctIds.length === 0) return;
  const createdAt = clock.now();
  const moves: DistinctIdMove[] = distinctIds.map((distinctId) => ({ distinctId, to: ids.orderedUuid(createdAt) }));
  const empty = { projectId, createdAt, properties: {}, isIdentified: false, version: 0 };
  await journal.create(moves.map(({ to }) => ({ ...empty, uuid: to })));
  await journal.moveDistinctIds(projectId, moves);
  await journal.queueReassignment({ projectId, personId: uuid, kind: 'move', moves });
}

/** No event took them away, so the history names none. */
const NO_EVENT = '';

async function clearProperties(
  { clock }: IdentityDeps,
  journal: PersonIdentityStore,
  person: StoredPerson,
): Promise<StoredPerson> {
  const { projectId, uuid: personUuid } = person;
  const gone = Object.entries(person.properties).map(
    ([key, before]): HistoryEntry => ({
      projectId,
      personUuid,
      key,
      before,
      after: undefined,
      at: clock.now(),
      eventUuid: NO_EVENT,
    }),
  );
  const emptied = { ...person, properties: {}, version: person.version + 1 };
  await journal.update(emptied);
  await journal.addHistory(gone);
  return emptied;
}

const recordSplit = (
  deps: IdentityDeps,
  store: MetadataStore,
  { project, userId }: SplitRequest,
  person: StoredPerson,
  distinctIds: string[],
): Promise<void> =>
  recordActivity(deps, store, {
    organizationId: project.organizationId,
    projectId: project.id,
    userId,
    activity: 'split_person',
    scope: 'Person',
    itemId: String(person.id),
    name: person.uuid,
    changes: [{ type: 'Person', action: 'split', field: null, before: null, after: { distinct_ids: distinctIds } }],
  });
