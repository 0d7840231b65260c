import { Type } from '@sinclair/typebox';
import { CALCULATION_INTERVALS } from '../../../core/alerts/slots.ts';
import { DateTime, nullable, UserSummarySchema, Uuid } from '../../../http/schemas/common.ts';

const oneOf = <T extends string>(values: readonly T[], description: string) =>
  Type.Union(
    values.map((value) => Type.Literal(value)),
    { description },
  );

const Interval = oneOf(
  CALCULATION_INTERVALS,
  'How long the slots are that are checked, one after the other: a minute, hour, day, week or month of the project.',
);
const Condition = Type.Unknown({
  description:
    '`{type}`: `absolute_value`, `relative_increase`, `relative_decrease` (against the slot before) or `seasonal`.',
  examples: [{ type: 'absolute_value' }],
});
const Threshold = Type.Unknown({
  description:
    '`{configuration}`: `{type: "absolute" | "percentage", bounds: {lower, upper}}`, where a percentage of 0.5 is 50 %; for seasonal ones `{type: "deviation", k: 4, direction: "both" | "up" | "down"}`.',
  examples: [{ configuration: { type: 'absolute', bounds: { lower: 10, upper: null } } }],
});
const Config = Type.Unknown({
  description:
    'What is watched. Of an insight: `{type: "TrendsAlertConfig", series_index, check_ongoing_interval}`, `{type: "FunnelAlertConfig", step}`, `{type: "RetentionAlertConfig", period}`, `{type: "LifecycleAlertConfig", status}`, `{type: "SqlAlertConfig"}`. Without one: `{type: "SilentEventConfig", event, silent_for: "6h"}`, `{type: "FlagChangeConfig", flag_ids, tags, kinds}`, `{type: "LagConfig"}`, `{type: "DiskConfig"}`, `{type: "NewErrorConfig"}`.',
  examples: [{ type: 'TrendsAlertConfig', series_index: 0 }],
});
const HysteresisField = Type.Unknown({
  description:
    '`{for, clear_for, margin, remind_every}`: fires after so many slots outside in a row, clears after so many inside, by this share of the distance of the bound; reminds each `1d`.',
  examples: [{ for: 2, clear_for: 2, margin: 0.1, remind_every: null }],
});

const Bounds = Type.Object({ lower: nullable(Type.Number()), upper: nullable(Type.Number()) });

export const AlertCheckSchema = Type.Object({
  id: Type.Integer(),
  created_at: DateTime,
  slot: Type.String({ description: 'The start of the slot.' }),
  calculated_value: nullable(Type.Number()),
  breakdown_value: nullable(Type.String()),
  bounds: nullable(Bounds),
  state: Type.String(),
  reason: nullable(Type.String({ description: 'Why nothing was decided, such as `not_enough_data`.' })),
  late: Type.Boolean({ description: 'Events of the slot were still being processed.' }),
  missed: Type.Integer({ description: 'Slots before it that were not checked, because the server stood still.' }),
  targets_notified: Type.Array(Type.String()),
});

const InsightSummary = Type.Object({
  id: Type.Integer(),
  short_id: Type.String(),
  name: nullable(Type.String()),
  derived_name: nullable(Type.String()),
});

const AlertTargetSchema = Type.Object({
  id: Uuid,
  type: Type.String({ description: '`slack_webhook` or `webhook`.' }),
  url: nullable(Type.String({ description: 'Shortened for whoever is no admin. Null: the webhook of the project.' })),
  paused: nullable(Type.String({ description: 'Why nothing is sent to it until it is saved again.' })),
  secret: Type.Optional(Type.String({ description: 'Of a new webhook, once: it verifies signatures.' })),
});

export const AlertSchema = Type.Object({
  id: Uuid,
  name: Type.String(),
  insight: nullable(InsightSummary),
  enabled: Type.Boolean(),
  subscribed_users: Type.Array(UserSummarySchema),
  targets: Type.Array(AlertTargetSchema),
  condition: Condition,
  threshold: nullable(Threshold),
  config: Config,
  calculation_interval: Interval,
  skip_weekend: Type.Boolean(),
  snoozed_until: nullable(DateTime),
  hysteresis: HysteresisField,
  state: Type.String({ description: '`Not firing`, `Firing`, `Errored` or `Snoozed`.' }),
  last_notified_at: nullable(DateTime),
  last_checked_at: nullable(DateTime),
  next_check_at: nullable(DateTime),
  last_value: nullable(Type.Number()),
  checks: Type.Array(AlertCheckSchema),
  created_by: nullable(UserSummarySchema),
  created_at: DateTime,
});

const Target = Type.Object({
  id: Type.Optional(nullable(Type.String())),
  type: oneOf(['slack_webhook', 'webhook'] as const, 'A webhook in the form of Slack, or a signed one.'),
  url: Type.Optional(nullable(Type.String({ maxLength: 500, description: 'Left out: the webhook of the project.' }))),
  roll_secret: Type.Optional(Type.Boolean({ description: 'A new secret; the old one is valid for a day.' })),
});

const definition = {
  condition: Condition,
  threshold: nullable(Threshold),
  config: nullable(Config),
  calculation_interval: Interval,
  skip_weekend: nullable(Type.Boolean()),
  hysteresis: nullable(HysteresisField),
};
const writable = {
  name: Type.String({ minLength: 1, maxLength: 255, examples: ['Sign-ups are low'] }),
  insight: nullable(Type.Integer({ description: 'The id of the insight.' })),
  enabled: Type.Boolean(),
  subscribed_users: Type.Array(Type.Integer(), { description: 'Ids of members, who get mails.' }),
  targets: Type.Array(Target),
  snoozed_until: nullable(DateTime),
  ...definition,
};
const { name, ...optional } = writable;
export const AlertCreateSchema = Type.Composite([Type.Object({ name }), Type.Partial(Type.Object(optional))]);
export const AlertChangeSchema = Type.Partial(Type.Object(writable));

export const BacktestRequestSchema = Type.Partial(
  Type.Object({
    ...definition,
    insight: nullable(Type.Integer()),
    weeks: Type.Integer({ minimum: 1, maximum: 13, description: 'How far back; 4 by default.' }),
  }),
);

export const BacktestSchema = Type.Object({
  slots: Type.Integer(),
  would_fire: Type.Array(
    Type.Object({
      from: DateTime,
      to: nullable(DateTime),
      peak: Type.Number(),
      bound: Type.Number(),
      breakdown_value: nullable(Type.String()),
    }),
  ),
  starts: Type.Array(DateTime, { description: 'Of the slots.' }),
  values: Type.Array(nullable(Type.Number())),
  bounds: Type.Object({
    lower: Type.Array(nullable(Type.Number())),
    upper: Type.Array(nullable(Type.Number())),
  }),
  noise: Type.String({ description: 'How often it would have fired.', examples: ['2.3 a week'] }),
  per_week: Type.Number(),
  suggestion: nullable(Type.Unknown({ description: 'A threshold that would fire at most once a week.' })),
});

export const TestResultSchema = Type.Object({
  deliveries: Type.Integer({ description: 'How many messages were made.' }),
});
