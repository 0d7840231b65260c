import { type Static, Type } from '@sinclair/typebox';
import type { FeatureFlag } from '../../../stores/metadata/flags.ts';
import { type FlagSnapshot, toCohortDefinition } from '../decide/flag-snapshots.ts';
import { hasVendorBucketing, isSimple, simpleRollout, withExplicitGroups } from '../rules/filters-shape.ts';
import { expandCohort } from '../rules/local-evaluation/expand-cohort.ts';
import { linkDependencies } from '../rules/local-evaluation/link-dependencies.ts';
import { collectReferencedCohorts } from '../rules/local-evaluation/referenced-cohorts.ts';

const Open = Type.Record(Type.String(), Type.Unknown());

export const LocalDefinitionsSchema = Type.Object({
  flags: Type.Array(
    Type.Object({
      id: Type.Integer(),
      team_id: Type.Integer(),
      name: Type.String(),
      key: Type.String(),
      filters: Open,
      deleted: Type.Boolean(),
      active: Type.Boolean(),
      is_simple_flag: Type.Boolean(),
      rollout_percentage: Type.Union([Type.Number(), Type.Null()]),
      ensure_experience_continuity: Type.Boolean(),
      has_encrypted_payloads: Type.Boolean(),
      version: Type.Integer(),
      evaluation_runtime: Type.String(),
      bucketing_identifier: Type.String(),
      evaluation_contexts: Type.Array(Type.String()),
      has_experiment: Type.Boolean(),
    }),
  ),
  group_type_mapping: Type.Record(Type.String(), Type.String()),
  cohorts: Type.Record(Type.String(), Open, {
    description: 'With `send_cohorts`: the criteria of cohorts that flags refer to, without static ones.',
  }),
});

type LocalDefinitions = Static<typeof LocalDefinitionsSchema>;

/** Includes inactive flags: an SDK asks the server each time for a flag that it does not know. */
export function presentLocalDefinitions(snapshot: FlagSnapshot, sendCohorts: boolean): LocalDefinitions {
  const flags = snapshot.flags.map((flag) => ({ ...flag, filters: withExplicitGroups(flag.filters) }));
  const cohorts = new Map(snapshot.cohorts.map((cohort) => [cohort.id, toCohortDefinition(cohort)]));
  const byId = new Map(flags.map((flag) => [String(flag.id), flag]));
  return {
    flags: flags.toSorted(byKey).map((flag) => {
      const filters = sendCohorts ? flag.filters : expandCohort(flag.filters, cohorts);
      return presentFlag(flag, linkDependencies(filters, byId), snapshot.measuredFlags.has(flag.id));
    }),
    group_type_mapping: Object.fromEntries(snapshot.prepared.groupTypes),
    cohorts: sendCohorts
      ? collectReferencedCohorts(
          flags.map(({ filters }) => filters),
          cohorts,
        )
      : {},
  };
}

const byKey = (a: FeatureFlag, b: FeatureFlag): number => (a.key < b.key ? -1 : 1);

const presentFlag = (
  flag: FeatureFlag,
  filters: FeatureFlag['filters'],
  hasExperiment: boolean,
): LocalDefinitions['flags'][number] => ({
  id: flag.id,
  team_id: flag.projectId,
  name: flag.name,
  key: flag.key,
  filters,
  deleted: flag.deleted,
  active: flag.active,
  is_simple_flag: isSimple(flag.filters),
  rollout_percentage: simpleRollout(flag.filters),
  // Tells SDKs to ask the server, which they also have to for hash functions that they do not know.
  ensure_experience_continuity: flag.ensureExperienceContinuity || hasVendorBucketing(flag.filters),
  has_encrypted_payloads: false,
  version: flag.version,
  evaluation_runtime: flag.evaluationRuntime,
  bucketing_identifier: flag.bucketingIdentifier,
  evaluation_contexts: [],
  has_experiment: hasExperiment,
});
