/** Validates cohorts: readable criteria, known references, no cycles, nothing that flags cannot evaluate. */
import { cohortReferences, readableCriteria } from '../../core/cohorts/cohort-criteria.ts';
import { hasBehaviour, referencedActions } from '../../core/cohorts/criteria.ts';
import { filtersFromGroups } from '../../core/cohorts/legacy-groups.ts';
import { parseCriteria } from '../../core/cohorts/parse-criteria.ts';
import { dependsOnItself, type References, reachableFrom } from '../../core/cohorts/references.ts';
import { Failure, invalid } from '../../core/errors.ts';
import type { Cohort } from '../../stores/metadata/cohorts.ts';
import type { MetadataStore } from '../../stores/metadata/metadata-store.ts';
import { negationsArePaired } from './rules/negations.ts';
import { flagsTargeting } from './targeting-flags.ts';

/** Rejects criteria that cannot be read. */
export function validateCriteria({ filters, groups }: Partial<Pick<Cohort, 'filters' | 'groups'>>): void {
  if (filters !== undefined) readFilters(filters);
  if (groups !== undefined) withErrorAttr('groups', () => readFilters(filtersFromGroups(groups)));
}

function readFilters(filters: Cohort['filters']): void {
  parseCriteria(filters);
  if (!negationsArePaired(filters['properties'] ?? null)) {
    throw invalid('filters', 'Negations must be paired with a positive filter.');
  }
}

function withErrorAttr(attr: string, work: () => void): void {
  try {
    work();
  } catch (error) {
    throw error instanceof Failure ? invalid(attr, error.message, error.code) : error;
  }
}

/** Checks the cohort, as it is in the store now, against the other cohorts. */
export async function checkCohort(store: MetadataStore, cohort: Cohort): Promise<void> {
  if (cohort.isStatic || cohort.deleted) return;
  const cohorts = await store.cohorts.listByProject(cohort.projectId);
  const references = cohortReferences(cohorts);
  const known = new Set(references.keys());
  if (!(references.get(cohort.id) ?? []).every((id) => known.has(id))) {
    throw invalid(undefined, 'Invalid Cohort ID in filter');
  }
  if (dependsOnItself(cohort.id, references)) {
    throw invalid(undefined, 'Cohorts cannot reference other cohorts in a loop.');
  }
  await requireKnownActions(store, cohort);
  await requireNoBehaviourInFlags(store, cohort, cohorts, references);
}

async function requireKnownActions({ actions }: MetadataStore, cohort: Cohort): Promise<void> {
  for (const id of referencedActions(readableCriteria(cohort))) {
    const action = await actions.get(cohort.projectId, id);
    if (action && !action.deleted) continue;
    throw invalid('properties' in cohort.filters ? 'filters' : 'groups', `Action ID ${id} does not exist!`);
  }
}

/** Flags are evaluated from properties alone; they cannot query events. */
async function requireNoBehaviourInFlags(
  store: MetadataStore,
  cohort: Cohort,
  cohorts: readonly Cohort[],
  references: References,
): Promise<void> {
  const reached = reachableFrom([cohort.id], references);
  const culprit = cohorts.find((one) => reached.has(one.id) && hasBehaviour(readableCriteria(one)));
  if (culprit === undefined) return;
  const flags = (await store.flags.listByProject(cohort.projectId)).filter((flag) => flag.active);
  if (flagsTargeting(cohort.id, flags, references).length === 0) return;
  const detail =
    culprit.id === cohort.id
      ? 'Behavioral filters cannot be added to cohorts used in feature flags.'
      : `Cohort '${culprit.name}' has behavioral filters and cannot be part of cohorts used in feature flags.`;
  throw invalid('filters', detail, 'behavioral_cohort_found');
}
