/** Changing persons by hand. Each change is one transaction: person, history, definitions and activity together. */
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

/** Sets properties; those that are not named stay as they are. */
export function setPersonProperties(
  deps: PersonDeps,
  caller: Caller,
  project: Project,
  ref: PersonRef | null,
  properties: JsonObject,
): Promise<StoredPerson> {
  const set = cleanJson(properties) as JsonObject;
  return updatePerson(deps, project, ref, { set }, (person, changes) => ({
    ...activityTarget(caller, project, person),
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
    ...activityTarget(caller, project, person),
    activity: 'delete_property',
    name: person.uuid,
    changes: [{ type: PERSON_SCOPE, action: 'changed', field: null, ...beforeAndAfter(changes) }],
  }));
}

const activityTarget = ({ user }: Caller, project: Project, person: StoredPerson) => ({
  organizationId: project.organizationId,
  projectId: project.id,
  userId: user.id,
  scope: PERSON_SCOPE,
  itemId: String(person.id),
});

/** Only what changed: a person may have hundreds of properties. */
const beforeAndAfter = (changes: readonly PropertyChange[]): { before: Json; after: Json } => ({
  before: pick(changes, 'before'),
  after: pick(changes, 'after'),
});

const pick = (changes: readonly PropertyChange[], side: 'before' | 'after'): JsonObject =>
  Object.fromEntries(changes.flatMap(({ key, [side]: value }) => (value === undefined ? [] : [[key, value]])));

/**
 * Reads, changes and writes under the lock that the processor of events takes too, so that neither overwrites the
 * other. The history names the entry in the activity log where an event's uuid stands otherwise: whoever asks where a
 * value comes from finds who set it.
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
    const { properties, changes } = applyProperties(person.properties, update);
    if (changes.length === 0) return person;
    const at = clock.now();
    const activityId = ids.orderedUuid(at);
    await recordActivity({ clock, ids }, store, { ...entryOf(person, changes), id: activityId });
    const next = { ...person, properties, version: person.version + 1 };
    const of = { projectId: project.id, personUuid: person.uuid, at, eventUuid: activityId };
    await store.persons.update({
      person: next,
      history: changes.map((one) => ({ ...of, ...one })),
      properties: personPropertyDefinitions(ids, project.id, changes, at),
    });
    return next;
  });
}

/** What is new to the project's definitions by these changes. */
export function personPropertyDefinitions(
  ids: Ids,
  projectId: number,
  changes: readonly PropertyChange[],
  at: number,
): SeenPropertyDefinition[] {
  const seen = { projectId, kind: 'person', groupTypeIndex: -1, at } as const;
  return changes.flatMap(({ key: name, after }) =>
    after === undefined || !isDefinable(name)
      ? []
      : [{ ...seen, id: ids.uuid(), name, propertyType: propertyType(name, after) }],
  );
}

const ID_BATCH_SIZE = 5000;

/** Every distinct id of one person, in the order in which they came: some have a hundred thousand. */
export async function listDistinctIds(persons: PersonStore, personId: number): Promise<string[]> {
  const all: string[] = [];
  for (let after = 0; ; ) {
    const some = await persons.listDistinctIdsAfter(personId, after, ID_BATCH_SIZE);
    for (const { distinctId } of some) all.push(distinctId);
    if (some.length < ID_BATCH_SIZE) return all;
    after = some.at(-1)?.id ?? after;
    await nextTurn();
  }
}

/** The key of a property, from outside. */
export function readPropertyKey(attr: string, key: string | undefined): string {
  if (key === undefined) throw invalid(attr, 'This field is required.', 'required');
  if (key === '') throw invalid(attr, 'This field may not be blank.', 'blank');
  return cleanText(key);
}
