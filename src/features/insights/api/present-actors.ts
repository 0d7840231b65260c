/** The persons, or groups, behind a number, as they are now. */

import type { Actor } from '../../../core/actor.ts';
import { iso } from '../../../http/schemas/common.ts';
import type { MetadataStore } from '../../../stores/metadata/metadata-store.ts';
import type { StoredPerson } from '../../../stores/metadata/persons.ts';
import { presentListedPerson, presentPerson } from '../../persons/api/person-schemas.ts';

/** Distinct ids of one person among many. */
const MAX_LISTED_IDS = 1000;

type Stores = Pick<MetadataStore, 'persons' | 'groups' | 'cohortMembers'>;

interface PresentedActor {
  actor: string;
  shown: ReturnType<typeof presentListedPerson> | Awaited<ReturnType<typeof presentGroup>>;
}

/** In the order in which they were found; who is no longer there is left out. */
export async function presentActors(
  stores: Stores,
  projectId: number,
  actor: Actor,
  actors: readonly string[],
): Promise<PresentedActor[]> {
  if (actor.kind === 'group') {
    return Promise.all(
      actors.map(async (key) => ({ actor: key, shown: await presentGroup(stores, projectId, actor.index, key) })),
    );
  }
  const { persons, ids } = await readPersons(stores, projectId, actors);
  const shown = new Map(persons.map((person) => [person.uuid, presentListedPerson(person, ids.get(person.id) ?? [])]));
  return actors.flatMap((uuid) => {
    const person = shown.get(uuid);
    return person === undefined ? [] : [{ actor: uuid, shown: person }];
  });
}

/** The newest first, each as it is shown alone. */
export async function presentPersons(stores: Stores, projectId: number, uuids: readonly string[]) {
  const { persons, ids } = await readPersons(stores, projectId, uuids);
  return persons.map((person) => presentPerson(person, ids.get(person.id) ?? []));
}

async function readPersons({ persons, cohortMembers }: Stores, projectId: number, uuids: readonly string[]) {
  const found: StoredPerson[] =
    uuids.length === 0
      ? []
      : await persons.listByIds(projectId, await cohortMembers.listPersonIdsByUuid(projectId, uuids));
  const ids = await persons.listDistinctIds(
    found.map(({ id }) => id),
    MAX_LISTED_IDS,
  );
  return { persons: found, ids };
}

/** A group of which nothing is known but its key is one all the same. */
async function presentGroup({ groups }: Stores, projectId: number, index: number, key: string) {
  const group = await groups.get(projectId, index, key);
  return {
    type: 'group' as const,
    id: key,
    group_key: key,
    group_type_index: index,
    created_at: group === null ? null : iso(group.createdAt),
    properties: group?.properties ?? {},
    matched_recordings: [],
    value_at_data_point: null,
  };
}
