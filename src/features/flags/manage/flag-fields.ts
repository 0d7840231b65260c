import type { Json, JsonObject } from '../../../core/json/json.ts';
import type { FeatureFlag } from '../../../stores/metadata/flags.ts';

/** Fields of a flag that can be changed and are shown in the activity log, with their names in the API. */
export const FLAG_FIELDS = {
  key: 'key',
  name: 'name',
  filters: 'filters',
  active: 'active',
  deleted: 'deleted',
  ensureExperienceContinuity: 'ensure_experience_continuity',
  rollbackConditions: 'rollback_conditions',
  performedRollback: 'performed_rollback',
  tags: 'tags',
  evaluationRuntime: 'evaluation_runtime',
  bucketingIdentifier: 'bucketing_identifier',
  isRemoteConfiguration: 'is_remote_configuration',
} as const;

export type FlagField = keyof typeof FLAG_FIELDS;

export type FlagChanges = Partial<Pick<FeatureFlag, FlagField | 'createdAt' | 'promotedFrom'>>;

/** The flag with the names of the API, as the activity log compares it; filters as they are stored. */
export const visibleFields = (flag: FlagChanges): Record<string, Json> =>
  Object.fromEntries(
    (Object.entries(FLAG_FIELDS) as [FlagField, string][]).map(([field, name]) => [name, flag[field] ?? null]),
  );

/** The reverse. Other fields are left out. */
export const changesFromFields = (fields: JsonObject): FlagChanges =>
  Object.fromEntries(
    Object.entries({ ...FLAG_FIELDS, promotedFrom: 'promoted_from' })
      .filter(([, name]) => Object.hasOwn(fields, name))
      .map(([field, name]) => [field, fields[name]]),
  );
