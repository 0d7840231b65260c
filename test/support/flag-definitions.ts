/** Builders of flags and subjects with defaults, for tests and benchmarks. */
import type { FlagDefinition } from '../../src/features/flags/rules/flag.ts';
import type { Subject } from '../../src/features/flags/rules/subject.ts';

export const flagOf = (fields: Partial<FlagDefinition>): FlagDefinition => ({
  id: 1,
  key: 'flag',
  active: true,
  version: 1,
  filters: { groups: [{ properties: [], rollout_percentage: null }] },
  ensureExperienceContinuity: false,
  evaluationRuntime: 'all',
  bucketingIdentifier: 'distinct_id',
  ...fields,
});

export const subjectOf = (fields: Partial<Subject>): Subject => ({
  distinctId: 'somebody',
  deviceId: null,
  properties: {},
  groups: new Map(),
  staticCohorts: new Set(),
  overrides: new Map(),
  now: Date.parse('2023-05-01T12:00:00Z'),
  ...fields,
});
