import type { Json } from '../../../core/json/json.ts';
import type { FeatureFlag } from '../../../stores/metadata/flags.ts';

/** Fields of a flag that people change and hear about, with their names on the wire. */
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

/** What a caller may set. */
export type FlagChanges = Partial<Pick<FeatureFlag, FlagField | 'createdAt'>>;

/** The flag in the words of the wire, as the activity log compares it: filters in the form that is stored. */
export const visibleFields = (flag: FlagChanges): Record<string, Json> =>
  Object.fromEntries(
    (Object.entries(FLAG_FIELDS) as [FlagField, string][]).map(([field, name]) => [name, flag[field] ?? null]),
  );
