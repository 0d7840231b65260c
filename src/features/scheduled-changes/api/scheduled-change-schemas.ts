import { Type } from '@sinclair/typebox';
import {
  DateTime,
  iso,
  isoOrNull,
  nullable,
  presentUserOrNull,
  UserSummarySchema,
} from '../../../http/schemas/common.ts';
import type { User } from '../../../stores/metadata/accounts.ts';
import { RECURRENCE_INTERVALS } from '../rules/recurrence.ts';
import type { ScheduledChange } from '../store/scheduled-change-store.ts';

/** The only model that changes by itself. */
export const MODEL = 'FeatureFlag';

const Interval = Type.Union(RECURRENCE_INTERVALS.map((name) => Type.Literal(name)));
const Payload = Type.Unknown({
  description:
    '`{operation, value}`: `update_status` with true or false; `add_release_condition` with `{groups, payloads}`; `update_variants` with `{variants, payloads}`; `ramp` with `{condition_index, steps: [{at, rollout_percentage}], halt_if}`, where `halt_if` is the id of an alert that stops the rollout when it fires.',
});

export const ScheduledChangeSchema = Type.Object({
  id: Type.Integer(),
  team_id: Type.Integer(),
  record_id: Type.String({ description: 'The id of the flag.' }),
  model_name: Type.Literal(MODEL),
  payload: Payload,
  scheduled_at: DateTime,
  executed_at: nullable(DateTime),
  failure_reason: nullable(Type.String()),
  is_recurring: Type.Boolean({ description: 'False for a recurring change that is paused.' }),
  recurrence_interval: nullable(Interval),
  cron_expression: nullable(Type.String()),
  end_date: nullable(DateTime),
  timezone: Type.String(),
  last_executed_at: nullable(DateTime),
  created_at: DateTime,
  created_by: nullable(UserSummarySchema),
  updated_at: DateTime,
});

const timing = {
  scheduled_at: DateTime,
  is_recurring: Type.Boolean(),
  recurrence_interval: nullable(Interval),
  cron_expression: nullable(
    Type.String({ maxLength: 200, description: 'Five fields, in the time zone of the project.' }),
  ),
  end_date: nullable(DateTime),
};

export const ScheduledChangeCreateSchema = Type.Composite([
  Type.Object({
    record_id: Type.Unknown({ description: 'The id of the flag, as a number or text.', examples: [1] }),
    model_name: Type.String({ description: 'Always `FeatureFlag`.', examples: [MODEL] }),
    payload: Payload,
  }),
  Type.Partial(Type.Object(timing)),
]);
export const ScheduledChangeChangeSchema = Type.Partial(Type.Object({ payload: Payload, ...timing }));

export const presentScheduledChange = (change: ScheduledChange, users: ReadonlyMap<number, User>) => ({
  id: change.id,
  team_id: change.projectId,
  record_id: String(change.flagId),
  model_name: MODEL,
  payload: change.payload,
  scheduled_at: iso(change.scheduledAt),
  executed_at: isoOrNull(change.executedAt),
  failure_reason: change.failureReason,
  is_recurring: (change.recurrence !== null || change.cron !== null) && !change.isPaused,
  recurrence_interval: change.recurrence,
  cron_expression: change.cron,
  end_date: isoOrNull(change.endDate),
  timezone: change.timezone,
  last_executed_at: isoOrNull(change.lastExecutedAt),
  created_at: iso(change.createdAt),
  created_by: presentUserOrNull(users, change.createdBy),
  updated_at: iso(change.updatedAt),
});
