/** Checks before a flag is saved, in the same transaction. */
import { invalid } from '../../../core/errors.ts';
import type { Json } from '../../../core/json/json.ts';
import { jsonBytes } from '../../../core/json/json-bytes.ts';
import { hasControlCharacters } from '../../../core/json/text.ts';
import type { FeatureFlag } from '../../../stores/metadata/flags.ts';
import type { MetadataStore } from '../../../stores/metadata/metadata-store.ts';
import { checkCohorts, checkDependencies, dependentFlags, flagDependencies } from '../rules/validate/references.ts';
import { readRollbackConditions } from '../rules/validate/rollback-conditions.ts';
import { validateFilters } from '../rules/validate/validate-filters.ts';
import type { FlagChanges } from './flag-fields.ts';

type NewFlag = Omit<FeatureFlag, 'id'> & { id: number | null };

/** Checks the values by themselves. */
export function validateChanges({ key, filters, rollbackConditions }: FlagChanges): void {
  if (key !== undefined && hasControlCharacters(key)) {
    throw invalid('key', 'A key is text without control characters, such as line breaks.', 'invalid_key');
  }
  if (filters !== undefined && Object.keys(filters).length > 0) validateFilters(filters);
  if (rollbackConditions !== undefined) validateRollbacks(rollbackConditions);
}

const MAX_ROLLBACK_BYTES = 64 * 1024;

function validateRollbacks(conditions: Json): void {
  readRollbackConditions(conditions);
  if (jsonBytes(conditions) <= MAX_ROLLBACK_BYTES) return;
  throw invalid(
    'rollback_conditions',
    `Rollback conditions may have up to ${MAX_ROLLBACK_BYTES} bytes as JSON.`,
    'too_large',
  );
}

/** `before` null: the flag is new. */
export async function checkFlag(store: MetadataStore, before: FeatureFlag | null, after: NewFlag): Promise<void> {
  if (after.bucketingIdentifier === 'device_id' && after.ensureExperienceContinuity) {
    throw invalid(
      'bucketing_identifier',
      'A flag that is bucketed by device keeps its value anyway: ensure_experience_continuity cannot be set as well.',
    );
  }
  await refuseTakenKey(store, after);
  await checkReferences(store, before, after);
  if (before === null) return;
  await refuseBreakingDependents(store, before, after);
  if (after.deleted && !before.deleted) {
    await refuseMeasured(store, before);
    await refuseEarlyAccess(store, before);
  }
}

/** A running experiment would go on without anybody being exposed. */
async function refuseMeasured(store: MetadataStore, { projectId, id }: FeatureFlag): Promise<void> {
  const running = (await store.experiments.listByProject(projectId)).find(
    ({ flagId, startDate, endDate }) => flagId === id && startDate !== null && endDate === null,
  );
  if (running === undefined) return;
  throw invalid(
    'deleted',
    `The experiment "${running.name}" (ID: ${running.id}) runs on this feature flag. End or delete the experiment first.`,
  );
}

/** Persons could opt in to it, and would get nothing. */
async function refuseEarlyAccess(store: MetadataStore, { projectId, id }: FeatureFlag): Promise<void> {
  const feature = await store.earlyAccessFeatures.getByFlag(projectId, id);
  if (feature === null) return;
  throw invalid(
    'deleted',
    `Persons can opt in to this feature flag by the early access feature "${feature.name}". Delete the early access feature first.`,
  );
}

async function refuseTakenKey(store: MetadataStore, { projectId, key, id, deleted }: NewFlag): Promise<void> {
  const other = deleted ? null : await store.flags.getByKey(projectId, key);
  if (other && other.id !== id) throw invalid('key', 'There is already a feature flag with this key.', 'unique');
}

/** Checked when the filters change, and when a flag is turned on or restored: what it needs may have been deleted. */
async function checkReferences(store: MetadataStore, before: FeatureFlag | null, after: NewFlag): Promise<void> {
  const isNew = before === null || before.filters !== after.filters;
  if (isNew) checkCohorts(after.filters, await store.cohorts.listByProject(after.projectId));
  const isReturning = isInUse(after) && !(before && isInUse(before));
  if ((isNew || isReturning) && flagDependencies(after.filters).length > 0) {
    checkDependencies(after, await store.flags.listByProject(after.projectId));
  }
}

const isInUse = ({ active, deleted }: NewFlag): boolean => active && !deleted;

/** A flag that others depend on cannot be deleted or disabled: their values would change unnoticed. */
async function refuseBreakingDependents(store: MetadataStore, before: FeatureFlag, after: NewFlag): Promise<void> {
  const deletes = after.deleted && !before.deleted;
  const disables = isInUse(before) && !after.active;
  if (!deletes && !disables) return;
  const dependents = dependentFlags(before.id, await store.flags.listByProject(before.projectId));
  const affected = deletes ? dependents : dependents.filter((flag) => flag.active);
  if (affected.length === 0) return;
  const named = affected.map((flag) => `${flag.key} (ID: ${flag.id})`).join(', ');
  throw invalid(
    undefined,
    `Cannot ${deletes ? 'delete' : 'disable'} this feature flag because other flags depend on it: ${named}. Change them first.`,
  );
}
