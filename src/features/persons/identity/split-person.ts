/** Splits a person: one distinct id stays, every other one becomes its own person, with its events. */

import { recordActivity } from '../../../access/record-activity.ts';
import { invalid } from '../../../core/errors.ts';
import type { HistoryEntry } from '../../../core/persons/person-changes.ts';
import type { DistinctIdMove } from '../../../stores/events/reassignment.ts';
import type { Project } from '../../../stores/metadata/accounts.ts';
import type { MetadataStore } from '../../../stores/metadata/metadata-store.ts';
import type { PersonIdentityStore } from '../../../stores/metadata/person-identities.ts';
import type { PersonRef, StoredPerson } from '../../../stores/metadata/persons.ts';
import { activityTarget, getPerson, PERSON_SCOPE } from '../persons.ts';
import { changeIdentities, type IdentityDeps } from './change-identities.ts';

interface SplitRequest {
  project: Project;
  userId: number;
  ref: PersonRef | null;
  /** The id that keeps the person and its properties. Null: the first id stays, and the properties are removed. */
  mainDistinctId: string | null;
}

export interface PersonWithIds {
  person: StoredPerson;
  distinctIds: string[];
}

export function splitPerson(deps: IdentityDeps, split: SplitRequest): Promise<PersonWithIds> {
  const { project, ref, mainDistinctId } = split;
  return changeIdentities(deps, async (store) => {
    const { personIdentities: identities } = store;
    const person = await getPerson(store.persons, project.id, ref);
    const distinctIds = await identities.listDistinctIds(person.id);
    const main = mainDistinctId ?? distinctIds[0];
    if (main === undefined || !distinctIds.includes(main)) throw notAnIdOfPerson();
    const rest = distinctIds.filter((id) => id !== main);
    await createPersonsFor(deps, identities, person, rest);
    const kept = mainDistinctId === null ? await clearProperties(deps, identities, person) : person;
    await recordSplit(deps, store, split, person, distinctIds);
    return { person: kept, distinctIds: [main] };
  });
}

const notAnIdOfPerson = () => invalid('main_distinct_id', 'This is not a distinct ID of the person.');

async function createPersonsFor(
  { clock, ids }: IdentityDeps,
  identities: PersonIdentityStore,
  { projectId, uuid }: StoredPerson,
  distinctIds: readonly string[],
): Promise<void> {
  if (distinctIds.length === 0) return;
  const createdAt = clock.now();
  const moves: DistinctIdMove[] = distinctIds.map((distinctId) => ({ distinctId, to: ids.orderedUuid(createdAt) }));
  const empty = { projectId, createdAt, properties: {}, isIdentified: false, version: 0 };
  await identities.create(moves.map(({ to }) => ({ ...empty, uuid: to })));
  await identities.moveDistinctIds(projectId, moves);
  await identities.queueReassignment({ projectId, personId: uuid, kind: 'move', moves });
}

/** The history entry of a change that no event made. */
const NO_EVENT = '';

async function clearProperties(
  { clock }: IdentityDeps,
  identities: PersonIdentityStore,
  person: StoredPerson,
): Promise<StoredPerson> {
  const { projectId, uuid: personUuid } = person;
  const removed = Object.entries(person.properties).map(
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
  const cleared = { ...person, properties: {}, version: person.version + 1 };
  await identities.update(cleared);
  await identities.addHistory(removed);
  return cleared;
}

const recordSplit = (
  deps: IdentityDeps,
  store: MetadataStore,
  { project, userId }: SplitRequest,
  person: StoredPerson,
  distinctIds: string[],
): Promise<void> =>
  recordActivity(deps, store, {
    ...activityTarget(userId, project, person),
    activity: 'split_person',
    name: person.uuid,
    changes: [{ type: PERSON_SCOPE, action: 'split', field: null, before: null, after: { distinct_ids: distinctIds } }],
  });
