import { useMemo } from 'preact/hooks';
import { type Holdout, listHoldouts } from '../../../api/experiments.ts';
import { type CohortName, listCohortNames } from '../../../api/flag-targets.ts';
import { type FeatureFlag, listFlags } from '../../../api/flags.ts';
import { type GroupType, listGroupTypes } from '../../../api/groups.ts';
import { type Resource, useResource } from '../../../lib/use-resource.ts';
import type { Names } from '../model/descriptions.ts';

/** What conditions can refer to. */
export interface Targets {
  cohorts: readonly CohortName[];
  kinds: readonly GroupType[];
  flags: readonly FeatureFlag[];
  holdouts: readonly Holdout[];
}

const EMPTY: Targets = { cohorts: [], kinds: [], flags: [], holdouts: [] };

const kindName = (kind: GroupType): string => kind.name_plural ?? `${kind.group_type} groups`;

/** What flags and conditions can match by. */
export const audienceOptions = ({ kinds }: Targets): { value: string; label: string }[] => [
  { value: '', label: 'Persons' },
  ...kinds.map((kind) => ({ value: String(kind.group_type_index), label: kindName(kind) })),
];

export function useTargets(projectId: number): { targets: Targets; names: Names; resource: Resource<Targets> } {
  const resource = useResource(
    async (signal): Promise<Targets> => {
      const [cohorts, kinds, flags, holdouts] = await Promise.all([
        listCohortNames(projectId, signal),
        listGroupTypes(projectId, signal),
        listFlags(projectId, { limit: 1000 }, signal),
        listHoldouts(projectId, signal),
      ]);
      return { cohorts, kinds, flags: flags.results, holdouts: holdouts.results };
    },
    [projectId],
  );
  const targets = resource.data ?? EMPTY;
  const names = useMemo(() => namesOf(targets), [targets]);
  return { targets, names, resource };
}

const namesOf = ({ cohorts, kinds, flags }: Targets): Names => ({
  cohorts: new Map(cohorts.map(({ id, name }) => [id, name])),
  groups: new Map(kinds.map((kind) => [kind.group_type_index, kindName(kind)])),
  flags: new Map(flags.map(({ id, key }) => [id, key])),
});
