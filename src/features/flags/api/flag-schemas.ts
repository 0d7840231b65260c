import { type Static, Type } from '@sinclair/typebox';
import {
  DateTime,
  iso,
  isoOrNull,
  nullable,
  presentUserOrNull,
  UserSummarySchema,
} from '../../../http/schemas/common.ts';
import type { User } from '../../../stores/metadata/accounts.ts';
import type { FeatureFlag } from '../../../stores/metadata/flags.ts';
import { flagStatus } from '../manage/flag-status.ts';
import { isSimple, simpleRollout, withExplicitGroups } from '../rules/filters-shape.ts';
import type { LastUses } from '../usage/last-uses.ts';

const Filters = Type.Record(Type.String(), Type.Unknown(), {
  description:
    '`groups` of conditions, evaluated in order: `{properties, rollout_percentage, variant}`. `multivariate.variants`, `payloads`, `payload_schema` (a JSON Schema that payloads have to match), `aggregation_group_type_index`.',
});
const EXAMPLE_FILTERS = { groups: [{ rollout_percentage: 50 }] };

const Runtime = Type.Union([Type.Literal('all'), Type.Literal('client'), Type.Literal('server')]);
const Bucketing = Type.Union([Type.Literal('distinct_id'), Type.Literal('device_id')]);
const RollbackConditions = Type.Unknown({
  description:
    'Any object or list. Conditions in it, one or a list of them, of the form `{"threshold": 100, "operator": "gt", "threshold_metric": {"event": "$exception", "window": "1h"}}` act: if one is met, the flag is disabled.',
});

export const FeatureFlagSchema = Type.Object({
  id: Type.Integer(),
  name: Type.String({ description: 'The description of the flag.' }),
  key: Type.String(),
  filters: Filters,
  deleted: Type.Boolean(),
  active: Type.Boolean(),
  created_by: nullable(UserSummarySchema),
  created_at: DateTime,
  is_simple_flag: Type.Boolean(),
  rollout_percentage: nullable(
    Type.Integer({ description: 'Of a simple flag, rounded; `filters` has the exact value.' }),
  ),
  ensure_experience_continuity: Type.Boolean(),
  experiment_set: Type.Array(Type.Integer()),
  rollback_conditions: RollbackConditions,
  performed_rollback: nullable(Type.Boolean()),
  can_edit: Type.Boolean(),
  tags: Type.Array(Type.String()),
  usage_dashboard: Type.Null(),
  archived: Type.Boolean(),
  updated_at: DateTime,
  version: Type.Integer(),
  last_modified_by: nullable(UserSummarySchema),
  status: Type.Union([
    Type.Literal('ACTIVE'),
    Type.Literal('INACTIVE'),
    Type.Literal('STALE'),
    Type.Literal('DELETED'),
  ]),
  evaluation_runtime: Runtime,
  bucketing_identifier: Bucketing,
  is_remote_configuration: Type.Boolean(),
  has_encrypted_payloads: Type.Boolean(),
  experiment_set_metadata: Type.Array(Type.Object({ id: Type.Integer(), name: Type.String() })),
  surveys: Type.Array(Type.Unknown()),
  features: Type.Array(Type.Object({ id: Type.String(), name: Type.String(), stage: Type.String() }), {
    description: 'Early access features that persons can opt in to.',
  }),
  analytics_dashboards: Type.Array(Type.Integer()),
  has_enriched_analytics: Type.Boolean(),
  user_access_level: Type.Union([Type.Literal('editor'), Type.Literal('viewer')]),
  last_called_at: nullable(DateTime),
  promoted_from: nullable(
    Type.Object(
      { project: Type.Integer(), flag: Type.Integer(), version: Type.Integer() },
      { description: 'The flag of another project that it was last promoted from.' },
    ),
  ),
});

/** Features that this server does not have: surveys, dashboards, encrypted payloads. */
const UNSUPPORTED_FIELDS = {
  has_encrypted_payloads: false,
  surveys: [],
  analytics_dashboards: [],
  has_enriched_analytics: false,
};

interface FlagSurroundings {
  users: ReadonlyMap<number, User>;
  canEdit: boolean;
  /** Those that measure it, newest first. */
  experiments: readonly { id: number; name: string }[];
  earlyAccess: readonly { id: string; name: string; stage: string }[];
  uses: LastUses;
  now: number;
}

export const presentFlag = (
  flag: FeatureFlag,
  { users, canEdit, experiments, earlyAccess, uses, now }: FlagSurroundings,
): Static<typeof FeatureFlagSchema> => ({
  id: flag.id,
  name: flag.name,
  key: flag.key,
  filters: withExplicitGroups(flag.filters),
  deleted: flag.deleted,
  active: flag.active,
  created_by: presentUserOrNull(users, flag.createdBy),
  created_at: iso(flag.createdAt),
  is_simple_flag: isSimple(flag.filters),
  rollout_percentage: simpleRollout(flag.filters),
  ensure_experience_continuity: flag.ensureExperienceContinuity,
  experiment_set: experiments.map(({ id }) => id),
  experiment_set_metadata: [...experiments],
  rollback_conditions: flag.rollbackConditions,
  performed_rollback: flag.performedRollback,
  can_edit: canEdit,
  tags: flag.tags,
  usage_dashboard: null,
  archived: false,
  updated_at: iso(flag.updatedAt),
  version: flag.version,
  last_modified_by: presentUserOrNull(users, flag.lastModifiedBy),
  status: flagStatus(flag, uses, now).status,
  evaluation_runtime: flag.evaluationRuntime,
  bucketing_identifier: flag.bucketingIdentifier,
  is_remote_configuration: flag.isRemoteConfiguration,
  ...UNSUPPORTED_FIELDS,
  features: [...earlyAccess],
  user_access_level: canEdit ? 'editor' : 'viewer',
  last_called_at: isoOrNull(uses.of(flag)),
  promoted_from: flag.promotedFrom,
});

const Key = Type.String({ minLength: 1, maxLength: 400 });

const writable = {
  name: Type.String(),
  // Forms can only send strings, so JSON in a string is parsed.
  filters: Type.Record(Type.String(), Type.Unknown(), { ...Filters, fromText: true, examples: [EXAMPLE_FILTERS] }),
  deleted: Type.Boolean(),
  active: Type.Boolean(),
  created_at: DateTime,
  ensure_experience_continuity: nullable(Type.Boolean()),
  rollback_conditions: Type.Unknown({ ...RollbackConditions, fromText: true }),
  performed_rollback: nullable(Type.Boolean()),
  tags: Type.Array(Type.String({ maxLength: 255 }), { fromText: true }),
  evaluation_runtime: Runtime,
  bucketing_identifier: nullable(Bucketing),
  is_remote_configuration: nullable(Type.Boolean()),
  has_encrypted_payloads: nullable(
    Type.Boolean({ description: 'Not supported: payloads are stored as they are sent.', examples: [false] }),
  ),
};

export const FlagCreateSchema = Type.Composite([Type.Object({ key: Key }), Type.Partial(Type.Object(writable))]);

const baseVersion = {
  version: nullable(Type.Integer({ description: 'The version that you edited: changes by others since are kept.' })),
  original_flag: nullable(
    Type.Record(Type.String(), Type.Unknown(), { fromText: true, description: 'The flag in that version.' }),
  ),
};

export const FlagArchiveSchema = Type.Object({
  ids: Type.Array(Type.Integer()),
  archived: Type.Optional(Type.Boolean()),
});

export const FlagChangeSchema = Type.Partial(Type.Object({ key: Key, ...writable, ...baseVersion }));

export const FlagReplaceSchema = Type.Composite([
  Type.Object({ key: Key }),
  Type.Partial(Type.Object({ ...writable, ...baseVersion })),
]);
