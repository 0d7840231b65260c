/** The persons, or groups, behind a number, as they are now. */
import type { Actor } from '../../../core/actor.ts';
import { countFitting } from '../../../core/count-fitting.ts';
import { iso } from '../../../http/schemas/common.ts';
import type { MetadataStore } from '../../../stores/metadata/metadata-store.ts';
import { presentListedPerson, presentPerson } from '../../persons/api/person-schemas.ts';
import type { People } from '../kinds.ts';
import type { FoundActor } from '../rules/answers.ts';

type Stores = Pick<MetadataStore, 'persons' | 'groups' | 'cohortMembers'>;
type PersonStores = Pick<Stores, 'persons' | 'cohortMembers'>;
type PresentedActor = FoundActor & { shown: object };
type Shown = Pick<People, 'order' | 'person' | 'showsUnknownGroups'>;

/** Distinct ids of one person. */
const MAX_LISTED_IDS = 1000;

/** The properties of a page, about: it is shorter where persons are large. */
const MAX_PAGE_BYTES = 4 * 1024 * 1024;

/** As many, from the first on, as may be in memory at once; at least one. Groups are limited by their number. */
export async function fittingActors(
  { persons, cohortMembers }: PersonStores,
  projectId: number,
  actor: Actor,
  found: readonly FoundActor[],
): Promise<readonly FoundActor[]> {
  if (actor.kind === 'group' || found.length <= 1) return found;
  const uuids = found.map((one) => one.actor);
  const sizes = await persons.listSizes(projectId, await cohortMembers.listPersonIdsByUuid(projectId, uuids));
  if (countFitting(sizes, MAX_PAGE_BYTES) === sizes.length) return found;
  // Sizes come in another order, so half of them are tried.
  return fittingActors({ persons, cohortMembers }, projectId, actor, found.slice(0, found.length >> 1));
}

/** Those who no longer exist are left out. */
export const presentActors = (
  stores: Stores,
  projectId: number,
  actor: Actor,
  found: readonly FoundActor[],
  people: Shown,
): Promise<PresentedActor[]> =>
  actor.kind === 'group'
    ? presentGroups(stores, projectId, actor.index, found, people)
    : presentPersons(stores, projectId, found, people);

async function presentPersons(
  { persons: store, cohortMembers }: Stores,
  projectId: number,
  found: readonly FoundActor[],
  { order, person: shape }: Shown,
): Promise<PresentedActor[]> {
  const byUuid = new Map(found.map((one) => [one.actor, one]));
  const numbers = await cohortMembers.listPersonIdsByUuid(projectId, [...byUuid.keys()]);
  const persons = await store.listByIds(projectId, numbers);
  const ids = await store.listDistinctIds(
    persons.map(({ id }) => id),
    MAX_LISTED_IDS,
  );
  const present = shape === 'listed' ? presentListedPerson : presentPerson;
  const shown = new Map(persons.map((person) => [person.uuid, present(person, ids.get(person.id) ?? [])]));
  const ordered = order === 'found' ? byUuid.keys() : shown.keys();
  return [...ordered].flatMap((uuid) => {
    const [one, person] = [byUuid.get(uuid), shown.get(uuid)];
    return one === undefined || person === undefined ? [] : [{ ...one, shown: person }];
  });
}

async function presentGroups(
  { groups }: Stores,
  projectId: number,
  index: number,
  found: readonly FoundActor[],
  { showsUnknownGroups }: Shown,
): Promise<PresentedActor[]> {
  const stored = await Promise.all(found.map(({ actor }) => groups.get(projectId, index, actor)));
  return found.flatMap((one, at) => {
    const group = stored[at] ?? null;
    if (group === null && !showsUnknownGroups) return [];
    const shown = {
      type: 'group',
      id: one.actor,
      group_key: one.actor,
      group_type_index: index,
      created_at: group === null ? null : iso(group.createdAt),
      properties: group?.properties ?? {},
      matched_recordings: [],
      value_at_data_point: null,
    };
    return [{ ...one, shown }];
  });
}

interface PeoplePage {
  found: readonly FoundActor[];
  presented: readonly PresentedActor[];
  next: string | null;
  initial: string;
  freshness: object;
}

/** The answer of a kind, and its rows for a CSV file. */
export function peopleAnswer({ envelope }: People, page: PeoplePage): { rows: object[]; answer: object } {
  const { found, presented, next, initial, freshness } = page;
  const missing_persons = found.length - presented.length;
  if (envelope === 'appearances') {
    const rows = presented.map(({ shown, appearances = [] }) => ({ person: shown, appearances }));
    return { rows, answer: { result: rows, next, missing_persons } };
  }
  const rows = presented.map(({ shown, value }) =>
    value === undefined ? shown : { ...shown, value_at_data_point: value },
  );
  const results = [{ people: rows, count: rows.length }];
  if (envelope === 'short') return { rows, answer: { results, next } };
  return { rows, answer: { results, next, initial, missing_persons, ...freshness } };
}
