/** Somebody as they were at a moment of the past, known by a distinct id that they have now. */

import { updatesPerson } from '../../../core/events/implicit-updates.ts';
import type { JsonObject } from '../../../core/json/json.ts';
import type { Person } from '../../../core/persons/person.ts';
import type { Asking } from '../../../query/filters/valid-patterns.ts';
import type { MetadataStore } from '../../../stores/metadata/metadata-store.ts';
import type { StoredPerson } from '../../../stores/metadata/persons.ts';
import { PropertyHistory } from '../rules/property-history.ts';
import { eventsOf, momentOf, toldKeys } from './properties-timeline.ts';

export interface PersonAtDeps extends Asking {
  metadata: Pick<MetadataStore, 'persons' | 'personJournal'>;
}

export interface PersonThen {
  uuid: string;
  properties: JsonObject;
}

/** Null where nobody had the id yet. */
export async function personAt(
  deps: PersonAtDeps,
  projectId: number,
  distinctId: string,
  at: number,
): Promise<PersonThen | null> {
  const now = await deps.metadata.persons.byDistinctId(projectId, distinctId);
  if (now === null) return null;
  const then = await ownerAt(deps, now, distinctId, at);
  return then.createdAt > at ? null : { uuid: then.uuid, properties: await propertiesAt(deps, now, then, at) };
}

const MOST_MERGES = 10_000;

/** The person who had the id: the source of the first merge after that moment which moved it, or the one who has it now. */
async function ownerAt({ metadata }: PersonAtDeps, now: StoredPerson, distinctId: string, at: number): Promise<Person> {
  const page = { limit: MOST_MERGES, offset: 0 };
  const { items } = await metadata.personJournal.merges(now.projectId, now.uuid, page);
  const later = items.filter(
    (merge) => merge.at > at && merge.undoneAt === null && merge.movedIds.includes(distinctId),
  );
  // Newest first.
  return later.at(-1)?.source ?? now;
}

async function propertiesAt(deps: PersonAtDeps, now: StoredPerson, then: Person, at: number): Promise<JsonObject> {
  const told = toldKeys({ person: { ...now, properties: { ...now.properties, ...then.properties } }, keys: [] });
  const question = { person: now, from: at + 1, to: at + 1 };
  const earlier = told.length === 0 ? [] : await eventsOf(deps, question, told, 'before');
  const latest: JsonObject = {};
  for (const one of earlier.reverse()) {
    if (one.personId === then.uuid && updatesPerson(one.event)) Object.assign(latest, one.told);
  }
  const entries = await deps.metadata.persons.history(now.projectId, then.uuid);
  return momentOf(at, new PropertyHistory(then.properties, entries), latest, told).properties();
}
