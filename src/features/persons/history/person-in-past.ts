/** A person at a time in the past, by a distinct id that it has now. */

import { updatesPerson } from '../../../core/events/implicit-updates.ts';
import type { JsonObject } from '../../../core/json/json.ts';
import type { Person } from '../../../core/persons/person.ts';
import type { EventStoreDeps } from '../../../query/query-deps.ts';
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

/** Null if nobody had the id yet. */
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

/** The owner of the id at that time: the source of the first later merge that moved it, or the current owner. */
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
  // Merges come newest first.
  return later.at(-1)?.source ?? now;
}

async function propertiesAt(deps: PersonAtTimeDeps, now: StoredPerson, then: Person, at: number): Promise<JsonObject> {
  const implicit = implicitKeys({
    person: { ...now, properties: { ...now.properties, ...then.properties } },
    keys: [],
  });
  const range = { person: now, from: at + 1, to: at + 1 };
  const earlier = implicit.length === 0 ? [] : await queryPersonEvents(deps, range, implicit, 'before');
  const latest: JsonObject = {};
  for (const one of earlier.reverse()) {
    if (one.personId === then.uuid && updatesPerson(one.event)) Object.assign(latest, one.implicit);
  }
  const entries = await deps.metadata.persons.listHistory(now.projectId, then.uuid);
  return timelineMoment(at, new PropertyHistory(then.properties, entries), latest, implicit).properties();
}
