/** Flags and cohorts to write directly into the store. */
import type { Json, JsonObject } from '../../src/core/json/json.ts';
import type { Cohort } from '../../src/stores/metadata/cohorts.ts';
import type { FeatureFlag } from '../../src/stores/metadata/flags.ts';

export const aFlag = (projectId: number, flag: Partial<FeatureFlag> & { key: string }): Omit<FeatureFlag, 'id'> => ({
  projectId,
  name: '',
  filters: everybody(),
  active: true,
  deleted: false,
  ensureExperienceContinuity: false,
  rollbackConditions: null,
  performedRollback: null,
  tags: [],
  evaluationRuntime: 'all',
  bucketingIdentifier: 'distinct_id',
  isRemoteConfiguration: false,
  promotedFrom: null,
  activeSince: 0,
  version: 1,
  createdAt: 0,
  createdBy: null,
  updatedAt: 0,
  lastModifiedBy: null,
  ...flag,
});

export const aCohort = (projectId: number, cohort: Partial<Cohort> = {}): Omit<Cohort, 'id'> => ({
  projectId,
  name: 'A cohort',
  description: '',
  groups: [],
  filters: {},
  isStatic: false,
  deleted: false,
  isCalculating: false,
  lastCalculation: null,
  errorsCalculating: 0,
  count: null,
  version: 1,
  createdAt: 0,
  createdBy: null,
  ...cohort,
});

/** On for all, or for a share of all. */
export const everybody = (rollout: number | null = null): JsonObject => ({
  groups: [{ properties: [], rollout_percentage: rollout }],
});

/** On for those whose property has the value. */
export const those = (key: string, value: Json, more: JsonObject = {}): JsonObject => ({
  groups: [{ properties: [{ key, value, type: 'person', ...more }], rollout_percentage: null }],
});

export const variants = (...shares: [key: string, percentage: number][]): JsonObject => ({
  variants: shares.map(([key, percentage]) => ({ key, rollout_percentage: percentage })),
});
