/** Somebody as they were at a moment of the past, known by a distinct id that they have now. */

import { updatesPerson } from '../../../core/events/implicit-updates.ts';
import type { JsonObject } from '../../../core/json/json.ts';
import type { Person } from '../../../core/persons/person.ts';
import type { EventStoreDeps } from '../../../query/filters/valid-patterns.ts';
import type { MetadataStore } from '../../../stores/metadata/metadata-store.ts';
import type { StoredPerson } from '../../../stores/metadata/persons.ts';
import { PropertyHistory } from '../rules/property-history.ts';
import { implicitKeys, queryPersonEvents, timelineMoment } from './properties-timeline.ts';

interface PersonAtTimeDeps extends EventStoreDeps {
  metadata: Pick<MetadataStore, 'persons' | 'personIdentities'>;
}

interface PersonAtTime {
  uuid: string;
  properties: JsonObject;
}

/** Null where nobody had the id yet. */
export async function getPersonAtTime(
  deps: PersonAtTimeDeps,
  projectId: number,
  distinctId: string,
  at: number,
): Promise<PersonAtTime | null> {
  const now = await deps.metadata.persons.getByDistinctId(projectId, distinctId);
  if (now === null) return null;
  const then = await ownerAt(deps, now, distinctId, at);
  return then.createdAt > at ? null : { uuid: then.uuid, properties: await propertiesAt(deps, now, then, at) };
}

const MAX_MERGES = 10_000;

/** The person who had the id: the source of the first merge after that moment which moved it, or the one who has it now. */
async function ownerAt(
  { metadata }: PersonAtTimeDeps,
  now: StoredPerson,
  distinctId: string,
  at: number,
): Promise<Person> {
  const page = { limit: MAX_MERGES, offset: 0 };
  const { items } = await metadata.personIdentities.listMerges(now.projectId, now.uuid, page);
  const later = items.filter(
    (merge) => merge.at > at && merge.undoneAt === null && merge.movedIds.includes(distinctId),
  );
  // Newest first.
  return later.at(-1)?.source ?? now;
}

async function propertiesAt(deps: PersonAtTimeDeps, now: StoredPerson, then: Person, at: number): Promise<JsonObject> {
  const told = implicitKeys({ person: { ...now, properties: { ...now.properties, ...then.properties } }, keys: [] });
  const question = { person: now, from: at + 1, to: at + 1 };
  const earlier = told.length === 0 ? [] : await queryPersonEvents(deps, question, told, 'before');
  const latest: JsonObject = {};
  for (const one of earlier.reverse()) {
    if (one.personId === then.uuid && updatesPerson(one.event)) Object.assign(latest, one.implicit);
  }
  const entries = await deps.metadata.persons.listHistory(now.projectId, then.uuid);
  return timelineMoment(at, new PropertyHistory(then.properties, entries), latest, told).properties();
}
