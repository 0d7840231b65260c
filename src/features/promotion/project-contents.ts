/** Everything in a project that conditions refer to, to replace ids by names and names by ids. */
import type { Action } from '../../stores/metadata/actions.ts';
import type { Cohort } from '../../stores/metadata/cohorts.ts';
import type { FeatureFlag } from '../../stores/metadata/flags.ts';
import type { MetadataStore } from '../../stores/metadata/metadata-store.ts';
import type { IdsByName, NamesById } from './rules/references.ts';

/** Nothing in it is deleted. */
export interface ProjectContents {
  projectId: number;
  flags: readonly FeatureFlag[];
  cohorts: readonly Cohort[];
  actions: readonly Action[];
  groupTypes: ReadonlyMap<number, string>;
  names: NamesById;
  ids: IdsByName;
}

export async function readProjectContents(store: MetadataStore, projectId: number): Promise<ProjectContents> {
  const flags = await store.flags.listByProject(projectId);
  const cohorts = await store.cohorts.listByProject(projectId);
  const actions = await store.actions.listByProject(projectId);
  const groupTypes = await store.subjects.listGroupTypes(projectId);
  const names: NamesById = {
    flag: new Map(flags.map(({ id, key }) => [id, key])),
    cohort: new Map(cohorts.map(({ id, name }) => [id, name])),
    action: new Map(actions.map(({ id, name }) => [id, name])),
    group_type: groupTypes,
  };
  return { projectId, flags, cohorts, actions, groupTypes, names, ids: idsByName(names) };
}

const idsByName = (names: NamesById): IdsByName => ({
  flag: inverted(names.flag),
  cohort: inverted(names.cohort),
  action: inverted(names.action),
  group_type: inverted(names.group_type),
});

function inverted(names: ReadonlyMap<number, string>): Map<string, number[]> {
  const ids = new Map<string, number[]>();
  for (const [id, name] of names) ids.set(name, [...(ids.get(name) ?? []), id]);
  return ids;
}

/** With cohorts that are still to be created. */
export function withCohorts(contents: ProjectContents, added: readonly Pick<Cohort, 'id' | 'name'>[]): IdsByName {
  const names = new Map([...contents.names.cohort, ...added.map(({ id, name }) => [id, name] as const)]);
  return { ...contents.ids, cohort: inverted(names) };
}
