/** Display names of group types. */

import type { Caller } from '../../access/callers.ts';
import { changesBetween, recordActivity } from '../../access/record-activity.ts';
import { invalid } from '../../core/errors.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Ids } from '../../lib/ids.ts';
import type { Project } from '../../stores/metadata/accounts.ts';
import type { NamedGroupType } from '../../stores/metadata/groups.ts';
import type { MetadataStore } from '../../stores/metadata/metadata-store.ts';

export interface GroupTypeDeps {
  metadata: MetadataStore;
  clock: Clock;
  ids: Ids;
}

export interface GroupTypeNames {
  index: number;
  nameSingular?: string | null;
  namePlural?: string | null;
}

/** All or none; returns the updated group types. */
export async function renameGroupTypes(
  deps: GroupTypeDeps,
  caller: Caller,
  project: Project,
  all: readonly GroupTypeNames[],
): Promise<NamedGroupType[]> {
  return deps.metadata.transaction(async (store) => {
    for (const [at, one] of all.entries()) await renameGroupType(deps, store, caller, project, one, at);
    return store.groups.listTypes(project.id);
  });
}

async function renameGroupType(
  deps: GroupTypeDeps,
  store: MetadataStore,
  caller: Caller,
  project: Project,
  { index, ...names }: GroupTypeNames,
  at: number,
): Promise<void> {
  const before = (await store.groups.listTypes(project.id)).find((type) => type.index === index);
  if (!before) {
    throw invalid(`${at}__group_type_index`, `This project has no group type ${index}.`, 'does_not_exist');
  }
  await store.groups.updateType(project.id, index, names);
  await recordActivity(deps, store, {
    organizationId: project.organizationId,
    projectId: project.id,
    userId: caller.user.id,
    activity: 'updated',
    scope: 'GroupType',
    itemId: String(index),
    name: before.name,
    changes: changesBetween('GroupType', visible(before), visible({ ...before, ...names })),
  });
}

const visible = ({ nameSingular, namePlural }: NamedGroupType) => ({
  name_singular: nameSingular,
  name_plural: namePlural,
});
