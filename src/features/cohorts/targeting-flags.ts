/** The flags that target a cohort. Who may not edit a flag may not change whom it reaches through a cohort either. */
import type { Caller } from '../../access/callers.ts';
import { getFlagPermissions } from '../../access/flag-permissions.ts';
import { cohortReferences } from '../../core/cohorts/cohort-criteria.ts';
import { type References, reachableFrom } from '../../core/cohorts/references.ts';
import { forbidden } from '../../core/errors.ts';
import { parseCohortId } from '../../core/filters/cohort-filter.ts';
import { isJsonObject, type Json } from '../../core/json/json.ts';
import type { Project } from '../../stores/metadata/accounts.ts';
import type { FeatureFlag } from '../../stores/metadata/flags.ts';
import type { MetadataStore } from '../../stores/metadata/metadata-store.ts';

/** Throws if a flag that the caller may not edit targets the cohort, also through other cohorts. */
export async function requireEditableFlags(
  store: MetadataStore,
  caller: Caller,
  project: Project,
  cohortId: number,
): Promise<void> {
  const { canEdit } = await getFlagPermissions(store, caller, project.organizationId);
  const flags = (await store.flags.listByProject(project.id)).filter((flag) => !canEdit(flag));
  if (flags.length === 0) return;
  const references = cohortReferences(await store.cohorts.listByProject(project.id));
  const [flag] = flagsTargeting(cohortId, flags, references);
  if (!flag) return;
  throw forbidden(
    `The feature flag '${flag.key}' targets this cohort, and you don't have edit permissions for that feature flag.`,
  );
}

export const flagsTargeting = (
  cohortId: number,
  flags: readonly FeatureFlag[],
  references: References,
): FeatureFlag[] => flags.filter(({ filters }) => reachableFrom(cohortsOfFlag(filters), references).has(cohortId));

/** The cohorts that a flag's conditions refer to. */
function cohortsOfFlag(filters: Json): number[] {
  if (Array.isArray(filters)) return filters.flatMap(cohortsOfFlag);
  if (!isJsonObject(filters)) return [];
  if (filters['type'] !== 'cohort') return Object.values(filters).flatMap(cohortsOfFlag);
  return [filters['value'] ?? []].flat().flatMap((value) => parseCohortId(value) ?? []);
}
