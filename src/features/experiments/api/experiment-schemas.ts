import { Type } from '@sinclair/typebox';
import { isJsonObject, type Json } from '../../../core/json/json.ts';
import {
  AnyObject,
  DateTime,
  iso,
  nullable,
  presentUserOrNull,
  UserSummarySchema,
} from '../../../http/schemas/common.ts';
import type { User } from '../../../stores/metadata/accounts.ts';
import type { FeatureFlag } from '../../../stores/metadata/flags.ts';
import { statusOf } from '../manage/experiments.ts';
import { withFingerprints } from '../rules/fingerprint.ts';
import { flagVariantsAsSent } from '../rules/flag-variants.ts';
import { readSavedMetricUses } from '../rules/saved-metrics.ts';
import type { Experiment } from '../store/experiment-store.ts';
import type { ExperimentHoldout } from '../store/holdout-store.ts';
import type { SavedMetric } from '../store/saved-metric-store.ts';
import { HoldoutSchema, presentHoldout } from './holdout-schemas.ts';

const Metrics = Type.Array(Type.Unknown(), {
  fromText: true,
  maxItems: 50,
  description:
    '`{metric_type, name, goal, conversion_window, conversion_window_unit}` with the `source` of a mean, the `series` of a funnel, `numerator` and `denominator` of a ratio, or `start_event`, `completion_event` and `retention_window_start`, `_end`, `_unit` of a retention. With `insight_id` the events and filters of a saved insight are taken.',
});

export const ExperimentSchema = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  description: Type.String(),
  type: Type.String(),
  status: Type.String({ description: '`draft`, `running`, `paused` (its flag is off) or `stopped`.' }),
  feature_flag_key: Type.String(),
  feature_flag: nullable(AnyObject),
  parameters: AnyObject,
  metrics: Type.Array(Type.Unknown()),
  metrics_secondary: Type.Array(Type.Unknown()),
  exposure_criteria: AnyObject,
  stats_config: AnyObject,
  plan: AnyObject,
  changed_after_start: Type.Array(Type.Unknown(), { description: 'What was changed while it ran, and when.' }),
  saved_metrics: Type.Array(Type.Unknown()),
  primary_metrics_ordered_uuids: nullable(Type.Array(Type.Unknown())),
  secondary_metrics_ordered_uuids: nullable(Type.Array(Type.Unknown())),
  only_count_matured_users: Type.Boolean(),
  excluded_variants: Type.Array(Type.Unknown()),
  running_time_calculation: AnyObject,
  scheduling_config: AnyObject,
  filters: AnyObject,
  secondary_metrics: Type.Array(Type.Unknown()),
  user_access_level: Type.Union([Type.Literal('editor'), Type.Literal('viewer')]),
  guardrails: Type.Array(Type.Unknown()),
  guardrail_alarms: Type.Array(Type.Unknown(), { description: 'What guardrails have done, each with its evidence.' }),
  rolled_back: nullable(Type.Record(Type.String(), Type.Unknown(), { description: 'Why a guardrail ended it.' })),
  pause_on_split: Type.Boolean(),
  shipped: nullable(
    Type.Record(Type.String(), Type.Unknown(), { description: 'The `variant` that everybody got, when, and by whom.' }),
  ),
  mode: Type.String({ description: '`ab`, or `aa`: all variants are the same, to check the set-up.' }),
  holdout_id: nullable(Type.Integer()),
  holdout: nullable(HoldoutSchema),
  exposure_cohort: nullable(Type.Integer({ description: 'The cohort of those who were exposed, if one was made.' })),
  start_date: nullable(DateTime),
  end_date: nullable(DateTime),
  archived: Type.Boolean(),
  deleted: Type.Boolean(),
  conclusion: nullable(Type.String()),
  conclusion_comment: nullable(Type.String()),
  created_at: DateTime,
  created_by: nullable(UserSummarySchema),
  updated_at: DateTime,
});

const CONCLUSIONS = ['won', 'lost', 'inconclusive', 'stopped_early', 'invalid'] as const;
const ConclusionSchema = Type.Union(CONCLUSIONS.map((name) => Type.Literal(name)));

const writable = {
  description: nullable(Type.String({ maxLength: 3000 })),
  type: Type.Union([Type.Literal('product'), Type.Literal('web')]),
  parameters: Type.Record(Type.String(), Type.Unknown(), {
    fromText: true,
    description:
      'Of a new flag: `feature_flag_variants`, `rollout_percentage`, `aggregation_group_type_index`, `ensure_experience_continuity`.',
  }),
  metrics: Metrics,
  metrics_secondary: Metrics,
  saved_metrics_ids: nullable(
    Type.Array(Type.Unknown(), {
      fromText: true,
      maxItems: 50,
      description: 'Saved metrics: `[{"id": 1, "metadata": {"type": "primary"}}]`; `type` may be `secondary`.',
    }),
  ),
  exposure_criteria: Type.Record(Type.String(), Type.Unknown(), { fromText: true }),
  stats_config: Type.Record(Type.String(), Type.Unknown(), { fromText: true }),
  plan: Type.Record(Type.String(), Type.Unknown(), { fromText: true }),
  guardrails: Type.Array(Type.Unknown(), {
    fromText: true,
    maxItems: 20,
    description:
      '`{metric | metric_uuid, margin_relative, action, min_users}`: what a variant must not harm by more than the margin. `action` is `notify`, `pause` or `roll_back`.',
  }),
  pause_on_split: Type.Boolean({
    description: 'A split that is not as planned pauses it; otherwise it is only told.',
  }),
  mode: Type.Union([Type.Literal('ab'), Type.Literal('aa')]),
  primary_metrics_ordered_uuids: nullable(Type.Array(Type.String(), { fromText: true, maxItems: 50 })),
  secondary_metrics_ordered_uuids: nullable(Type.Array(Type.String(), { fromText: true, maxItems: 50 })),
  only_count_matured_users: Type.Boolean({ description: 'Only those whose conversion window has ended count.' }),
  excluded_variants: Type.Array(Type.String(), {
    fromText: true,
    maxItems: 20,
    description: 'Keys of variants that count nowhere.',
  }),
  running_time_calculation: Type.Record(Type.String(), Type.Unknown(), { fromText: true }),
  scheduling_config: Type.Record(Type.String(), Type.Unknown(), {
    fromText: true,
    description: '`{"end_at_max_days": true}`: it ends by itself after `plan.max_days` (60 by default).',
  }),
  filters: Type.Record(Type.String(), Type.Unknown(), { fromText: true, description: 'Of old clients; only stored.' }),
  secondary_metrics: Type.Array(Type.Unknown(), {
    fromText: true,
    maxItems: 50,
    description: 'Of old clients; only stored.',
  }),
  holdout_id: nullable(
    Type.Integer({ description: 'People of this holdout are not part of it. Fixed at the launch.' }),
  ),
  start_date: nullable(
    Type.String({
      description: 'Launches a draft; in the future: it starts by itself then, and is a draft until then.',
    }),
  ),
  end_date: nullable(Type.String({ description: 'Ends a running experiment.' })),
  allow_unknown_events: Type.Boolean({
    description: 'Metrics may use events that this project has never sent; otherwise they are refused.',
  }),
  update_feature_flag_params: Type.Boolean({
    description: 'Percentages and rollout in `parameters` are set on the flag, even while it runs.',
  }),
  archived: Type.Boolean(),
  deleted: Type.Boolean(),
  conclusion: nullable(ConclusionSchema),
  conclusion_comment: nullable(Type.String({ maxLength: 10_000 })),
};

const Name = Type.String({ minLength: 1, maxLength: 400 });
const FlagKey = Type.String({ minLength: 1, maxLength: 400 });

export const ExperimentCreateSchema = Type.Composite([
  Type.Object({ name: Name, feature_flag_key: FlagKey }),
  Type.Partial(Type.Object(writable)),
]);
export const ExperimentChangeSchema = Type.Partial(Type.Object({ name: Name, feature_flag_key: FlagKey, ...writable }));
export const EndSchema = Type.Partial(
  Type.Object({ conclusion: ConclusionSchema, conclusion_comment: Type.String({ maxLength: 10_000 }) }),
);
export const DuplicateSchema = Type.Partial(Type.Object({ name: Name, feature_flag_key: FlagKey }));
export const ShipSchema = Type.Composite([Type.Object({ variant_key: Type.String({ minLength: 1 }) }), EndSchema]);

const textOrNull = (value: Json | undefined): string | null => (typeof value === 'string' ? value : null);
const objectOr = (value: Json | undefined) => (value !== undefined && isJsonObject(value) ? value : {});
const listOr = (value: Json | undefined): Json[] => (Array.isArray(value) ? value : []);
const listOrNull = (value: Json | undefined): Json[] | null => (Array.isArray(value) ? value : null);
const isoOrNull = (time: number | null): string | null => (time === null ? null : iso(time));

interface PresentedWith {
  users: ReadonlyMap<number, User>;
  holdouts: readonly ExperimentHoldout[];
  savedMetrics: readonly SavedMetric[];
  /** Whether the caller may change it. */
  canEdit: boolean;
  now: number;
}

/** `flag` is null where it does not exist any more. */
export function presentExperiment(
  experiment: Experiment,
  flag: FeatureFlag | null,
  { users, holdouts, savedMetrics, canEdit, now }: PresentedWith,
) {
  const { settings, startDate } = experiment;
  const holdout = holdouts.find(({ id }) => id === settings['holdout_id']) ?? null;
  const variants = flag === null ? null : flagVariantsAsSent(flag.filters);
  return {
    id: experiment.id,
    name: experiment.name,
    description: experiment.description,
    type: textOrNull(settings['type']) ?? 'product',
    status: statusOf(experiment, flag, now),
    feature_flag_key: flag?.key ?? textOrNull(settings['feature_flag_key']) ?? '',
    feature_flag: flag === null ? null : presentFlagOf(flag),
    parameters: {
      ...objectOr(settings['parameters']),
      ...(variants === null
        ? {}
        : {
            feature_flag_variants: variants,
          }),
    },
    metrics: withFingerprints(listOr(settings['metrics']), settings, startDate),
    metrics_secondary: withFingerprints(listOr(settings['metrics_secondary']), settings, startDate),
    exposure_criteria: objectOr(settings['exposure_criteria']),
    stats_config: objectOr(settings['stats_config']),
    plan: objectOr(settings['plan']),
    changed_after_start: listOr(settings['changed_after_start']),
    saved_metrics: presentSavedUses(experiment, savedMetrics),
    primary_metrics_ordered_uuids: listOrNull(settings['primary_metrics_ordered_uuids']),
    secondary_metrics_ordered_uuids: listOrNull(settings['secondary_metrics_ordered_uuids']),
    only_count_matured_users: settings['only_count_matured_users'] === true,
    excluded_variants: listOr(settings['excluded_variants']),
    running_time_calculation: objectOr(settings['running_time_calculation']),
    scheduling_config: objectOr(settings['scheduling_config']),
    filters: objectOr(settings['filters']),
    secondary_metrics: listOr(settings['secondary_metrics']),
    user_access_level: canEdit ? ('editor' as const) : ('viewer' as const),
    guardrails: listOr(settings['guardrails']),
    guardrail_alarms: listOr(settings['guardrail_alarms']),
    rolled_back: settings['rolled_back'] === undefined ? null : objectOr(settings['rolled_back']),
    pause_on_split: settings['pause_on_split'] === true,
    shipped: settings['shipped'] === undefined ? null : objectOr(settings['shipped']),
    mode: textOrNull(settings['mode']) ?? 'ab',
    holdout_id: holdout?.id ?? null,
    holdout: holdout === null ? null : presentHoldout(holdout, users),
    exposure_cohort: typeof settings['exposure_cohort'] === 'number' ? settings['exposure_cohort'] : null,
    start_date: isoOrNull(experiment.startDate),
    end_date: isoOrNull(experiment.endDate),
    archived: experiment.archived,
    deleted: experiment.deleted,
    conclusion: textOrNull(settings['conclusion']),
    conclusion_comment: textOrNull(settings['conclusion_comment']),
    created_at: iso(experiment.createdAt),
    created_by: presentUserOrNull(users, experiment.createdBy),
    updated_at: iso(experiment.updatedAt),
  };
}

/** With the metric of each, as clients read it. */
const presentSavedUses = ({ id, settings, startDate, createdAt }: Experiment, saved: readonly SavedMetric[]): Json[] =>
  readSavedMetricUses(settings).flatMap(({ id: metricId, role, metadata }, at) => {
    const found = saved.find((one) => one.id === metricId);
    if (found === undefined) return [];
    const query = { ...found.query, name: found.name };
    return [
      {
        id: at + 1,
        experiment: id,
        saved_metric: metricId,
        metadata: { ...metadata, type: role },
        created_at: iso(createdAt),
        name: found.name,
        query: withFingerprints([query], settings, startDate)[0] ?? query,
      },
    ];
  });

/** As much of a flag as an experiment shows. */
export const presentFlagOf = ({ id, key, name, active, deleted, filters }: FeatureFlag) => ({
  id,
  key,
  name,
  active,
  deleted,
  filters,
});
