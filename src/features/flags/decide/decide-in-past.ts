/** What flags were at a moment of the past: by their versions of then, for a person as they were then. */

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
  /** The flags there were, inactive ones too. */
  flags: readonly FeatureFlag[];
  evaluations: readonly FlagEvaluation[];
}

/**
 * Cohorts, groups, members of static cohorts and identifiers that keep values are as they are now: nothing is written of
 * their past.
 */
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

/** Of each flag the last version that was made by then, as far as it was not deleted. */
function flagsAt(versions: readonly FlagVersion[], at: number): FeatureFlag[] {
  const latest = new Map<number, FlagVersion>();
  for (const version of versions) if (version.updatedAt <= at) latest.set(version.id, version);
  return [...latest.values()].filter(({ deleted }) => !deleted);
}
