/** Flags as they were at a moment in the past: the versions of then, for a person with the properties of then. */

import type { FeatureFlag, FlagVersion } from '../../../stores/metadata/flags.ts';
import type { MetadataStore } from '../../../stores/metadata/metadata-store.ts';
import { evaluate } from '../rules/evaluate/evaluate.ts';
import type { FlagEvaluation } from '../rules/flag-evaluation.ts';
import type { SubjectProperties } from '../rules/subject.ts';
import type { DecideRequest } from './decide-request.ts';
import { buildSnapshot } from './flag-snapshots.ts';
import { type LoadSubjectDeps, loadSubject } from './load-subject.ts';

interface DecideAtDeps extends LoadSubjectDeps {
  metadata: Pick<MetadataStore, 'subjects' | 'flags' | 'cohorts'>;
}

interface PastDecision {
  /** All flags that existed, inactive ones included. */
  flags: readonly FeatureFlag[];
  evaluations: readonly FlagEvaluation[];
}

/** Cohorts, groups, static cohort members and continuity overrides are those of today: they have no history. */
export async function decideAt(
  deps: DecideAtDeps,
  projectId: number,
  request: DecideRequest,
  at: number,
  properties: SubjectProperties,
): Promise<PastDecision> {
  const { flags: flagStore, cohorts: cohortStore, subjects } = deps.metadata;
  const flags = flagsAt(await flagStore.listAllVersions(projectId), at);
  const cohorts = await cohortStore.listByProject(projectId);
  const snapshot = buildSnapshot({ flags, cohorts, groupTypes: await subjects.listGroupTypes(projectId) });
  const { subject } = await loadSubject(deps, projectId, snapshot, request);
  const then = { ...subject, properties: { ...properties, ...request.personProperties }, now: at };
  return { flags, evaluations: evaluate(snapshot.prepared, then, request.flagKeys ?? undefined) };
}

/** The last version of each flag at that moment, without the deleted flags. */
function flagsAt(versions: readonly FlagVersion[], at: number): FeatureFlag[] {
  const latest = new Map<number, FlagVersion>();
  for (const version of versions) if (version.updatedAt <= at) latest.set(version.id, version);
  return [...latest.values()].filter(({ deleted }) => !deleted);
}
