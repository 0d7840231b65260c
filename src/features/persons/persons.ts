/** Manual changes of persons. Each is one transaction: person, history, definitions and activity. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Caller } from '../../access/callers.ts';
import { type ActivityEntry, recordActivity } from '../../access/record-activity.ts';
import { invalid, notFound } from '../../core/errors.ts';
import { isDefinable, propertyType } from '../../core/events/property-types.ts';
import { cleanJson } from '../../core/json/clean-json.ts';
import type { Json, JsonObject } from '../../core/json/json.ts';
import { cleanText } from '../../core/json/text.ts';
import { applyProperties, type PropertyUpdate } from '../../core/persons/apply-properties.ts';
import type { PropertyChange } from '../../core/persons/person.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Ids } from '../../lib/ids.ts';
import type { SeenPropertyDefinition } from '../../stores/ingest/ingest-store.ts';
import type { Project } from '../../stores/metadata/accounts.ts';
import type { MetadataStore } from '../../stores/metadata/metadata-store.ts';
import type { PersonRef, PersonStore, StoredPerson } from '../../stores/metadata/persons.ts';

interface PersonDeps {
  metadata: MetadataStore;
  clock: Clock;
  ids: Ids;
}

export const PERSON_SCOPE = 'Person';

export async function getPerson(persons: PersonStore, projectId: number, ref: PersonRef | null): Promise<StoredPerson> {
  const person = ref && (await persons.get(projectId, ref));
  if (!person) throw notFound();
  return person;
}

export function setPersonProperties(
  deps: PersonDeps,
  caller: Caller,
  project: Project,
  ref: PersonRef | null,
  properties: JsonObject,
): Promise<StoredPerson> {
  const set = cleanJson(properties) as JsonObject;
  return updatePerson(deps, project, ref, { set }, (person, changes) => ({
    ...activityTarget(caller.user.id, project, person),
    activity: 'updated',
    name: null,
    changes: [{ type: PERSON_SCOPE, action: 'changed', field: 'properties', ...beforeAndAfter(changes) }],
  }));
}

export function unsetPersonProperty(
  deps: PersonDeps,
  caller: Caller,
  project: Project,
  ref: PersonRef | null,
  key: string,
): Promise<StoredPerson> {
  return updatePerson(deps, project, ref, { unset: [key] }, (person, changes) => ({
    ...activityTarget(caller.user.id, project, person),
    activity: 'delete_property',
    name: person.uuid,
    changes: [{ type: PERSON_SCOPE, action: 'changed', field: null, ...beforeAndAfter(changes) }],
  }));
}

export const activityTarget = (userId: number, project: Project, person: StoredPerson) => ({
  organizationId: project.organizationId,
  projectId: project.id,
  userId,
  scope: PERSON_SCOPE,
  itemId: String(person.id),
});

/** Only what changed, since a person may have hundreds of properties. */
const beforeAndAfter = (changes: readonly PropertyChange[]): { before: Json; after: Json } => ({
  before: pick(changes, 'before'),
  after: pick(changes, 'after'),
});

const pick = (changes: readonly PropertyChange[], side: 'before' | 'after'): JsonObject =>
  Object.fromEntries(changes.flatMap(({ key, [side]: value }) => (value === undefined ? [] : [[key, value]])));

/**
 * Runs under the same lock as event processing, so neither overwrites the other. The history refers to the activity log
 * entry instead of an event, so that it shows who set a value.
 */
async function updatePerson(
  { metadata, clock, ids }: PersonDeps,
  project: Project,
  ref: PersonRef | null,
  update: PropertyUpdate,
  entryOf: (person: StoredPerson, changes: readonly PropertyChange[]) => ActivityEntry,
): Promise<StoredPerson> {
  return metadata.transaction(async (store) => {
    const person = await getPerson(store.persons, project.id, ref);
    const { properties, changes, isTooLarge } = applyProperties(person.properties, update);
    if (isTooLarge) throw invalid('properties', 'All properties of a person together may have 128 kB of JSON at most.');
    if (changes.length === 0) return person;
    const at = clock.now();
    const activityId = ids.orderedUuid(at);
    await recordActivity({ clock, ids }, store, { ...entryOf(person, changes), id: activityId });
    const updated = { ...person, properties, version: person.version + 1 };
    const common = { projectId: project.id, personUuid: person.uuid, at, eventUuid: activityId };
    await store.persons.update({
      person: updated,
      history: changes.map((one) => ({ ...common, ...one })),
      properties: personPropertyDefinitions(ids, project.id, changes, at),
    });
    return updated;
  });
}

/** Property definitions that these changes may add to the project. */
export function personPropertyDefinitions(
  ids: Ids,
  projectId: number,
  changes: readonly PropertyChange[],
  at: number,
): SeenPropertyDefinition[] {
  const common = { projectId, kind: 'person', groupTypeIndex: -1, at } as const;
  return changes.flatMap(({ key: name, after }) =>
    after === undefined || !isDefinable(name)
      ? []
      : [{ ...common, id: ids.uuid(), name, propertyType: propertyType(name, after) }],
  );
}

const ID_BATCH_SIZE = 5000;

/** All distinct ids of a person in order of creation. Some persons have a hundred thousand. */
export async function listDistinctIds(persons: PersonStore, personId: number): Promise<string[]> {
  const all: string[] = [];
  for (let after = 0; ; ) {
    const batch = await persons.listDistinctIdsAfter(personId, after, ID_BATCH_SIZE);
    for (const { distinctId } of batch) all.push(distinctId);
    if (batch.length < ID_BATCH_SIZE) return all;
    after = batch.at(-1)?.id ?? after;
    await nextTurn();
  }
}

export function readPropertyKey(attr: string, key: string | undefined): string {
  if (key === undefined) throw invalid(attr, 'This field is required.', 'required');
  if (key === '') throw invalid(attr, 'This field may not be blank.', 'blank');
  return cleanText(key);
}
