import { Type } from '@sinclair/typebox';
import { type Caller, isAdmin } from '../../../access/callers.ts';
import { FREQUENCIES } from '../../../core/schedules/recurrence.ts';
import { usersById } from '../../../http/api/activity-list.ts';
import {
  DateTime,
  iso,
  isoOrNull,
  nullable,
  originOnly,
  presentUserOrNull,
  UserSummarySchema,
} from '../../../http/schemas/common.ts';
import type { Project } from '../../../stores/metadata/accounts.ts';
import type { MetadataStore } from '../../../stores/metadata/metadata-store.ts';
import { shortTarget, targetHash } from '../../deliveries/rules/delivery-target.ts';
import { scheduleText } from '../digest-message.ts';
import { webhookTarget } from '../digest-targets.ts';
import { TARGET_TYPES } from '../rules/subscription-target.ts';
import type { Subscription } from '../store/subscription-store.ts';

const oneOf = <T extends string>(values: readonly T[], description: string) =>
  Type.Union(
    values.map((value) => Type.Literal(value)),
    { description },
  );

const writable = {
  dashboard: nullable(Type.Integer({ description: 'The id of the dashboard; or an insight.' })),
  insight: nullable(Type.Integer({ description: 'The id of the insight; or a dashboard.' })),
  target_type: oneOf(TARGET_TYPES, 'Mail, a webhook in the form of Slack, or a signed webhook.'),
  target_value: Type.String({
    maxLength: 20_000,
    description: 'Addresses separated by commas, or the URL of the webhook; empty for slack: that of the project.',
  }),
  frequency: oneOf(FREQUENCIES, 'In the time zone of the project.'),
  interval: Type.Integer({ description: 'Every so many days, weeks, months or years.', examples: [1] }),
  byweekday: nullable(Type.Array(Type.String(), { maxItems: 7, examples: [['monday']] })),
  bysetpos: nullable(Type.Integer({ description: 'Which of these days of the period: 1 to 4, or -1 for the last.' })),
  count: nullable(Type.Integer({ description: 'How many times in all.' })),
  start_date: Type.String({ description: 'The first time; its time of day is that of all others.' }),
  until_date: nullable(Type.String()),
  title: nullable(Type.String({ maxLength: 255 })),
  invite_message: nullable(Type.String({ maxLength: 2000, description: 'Sent to recipients when they are added.' })),
  external_recipients: Type.Boolean({ description: 'Addresses that are no member’s are allowed; only by admins.' }),
  enabled: Type.Boolean(),
  deleted: Type.Boolean(),
  roll_secret: Type.Boolean({ description: 'A new secret for the webhook; the old one is valid for a day.' }),
};
const { target_type, target_value, frequency, start_date, deleted: _deleted, ...optional } = writable;
export const SubscriptionCreateSchema = Type.Composite([
  Type.Object({ target_type, frequency, start_date }),
  Type.Partial(Type.Object({ target_value, ...optional })),
]);
export const SubscriptionChangeSchema = Type.Partial(Type.Object(writable));

export const SubscriptionSchema = Type.Object({
  id: Type.Integer(),
  dashboard: nullable(Type.Integer()),
  insight: nullable(Type.Integer()),
  insight_short_id: nullable(Type.String()),
  resource_name: nullable(Type.String({ description: 'Of the dashboard or insight.' })),
  target_type: Type.String(),
  target_value: Type.String({ description: 'Shortened for whoever is no admin, where it is secret.' }),
  frequency: Type.String(),
  interval: Type.Integer(),
  byweekday: nullable(Type.Array(Type.String())),
  bysetpos: nullable(Type.Integer()),
  count: nullable(Type.Integer()),
  start_date: DateTime,
  until_date: nullable(DateTime),
  title: Type.String(),
  invite_message: nullable(Type.String()),
  external_recipients: Type.Boolean(),
  summary: Type.String({ examples: ['sent every week on Monday'] }),
  next_delivery_date: nullable(DateTime),
  last_delivery_date: nullable(DateTime),
  enabled: Type.Boolean(),
  paused_reason: nullable(Type.String({ description: 'Why the server has paused it, or its webhook.' })),
  deleted: Type.Boolean(),
  secret: Type.Optional(Type.String({ description: 'Of a new webhook, once: it verifies signatures.' })),
  created_by: nullable(UserSummarySchema),
  created_at: DateTime,
});

interface Shown {
  caller: Caller;
  project: Project;
  now: number;
  secret?: string | null;
}

export async function presentSubscriptions(
  store: MetadataStore,
  subscriptions: readonly Subscription[],
  { caller, project, now, secret }: Shown,
) {
  const users = await usersById(
    store,
    subscriptions.map(({ createdBy }) => createdBy),
  );
  const insightIds = [...new Set(subscriptions.flatMap(({ insightId }) => insightId ?? []))];
  const insights = new Map((await store.insights.listByIds(project.id, insightIds)).map((one) => [one.id, one]));
  const isFull = isAdmin(caller, project.organizationId);
  return Promise.all(
    subscriptions.map(async (subscription) => {
      const { recurrence, dashboardId, insightId } = subscription;
      const insight = insightId === null ? undefined : insights.get(insightId);
      const dashboard = dashboardId === null ? null : await store.dashboards.get(project.id, dashboardId);
      return {
        id: subscription.id,
        dashboard: dashboardId,
        insight: insightId,
        insight_short_id: insight?.shortId ?? null,
        resource_name: dashboard?.name ?? (insight?.name || insight?.derivedName) ?? null,
        target_type: subscription.target.type,
        target_value: shownTarget(subscription, isFull),
        frequency: recurrence.frequency,
        interval: recurrence.interval,
        byweekday: recurrence.weekdays.length === 0 ? null : [...recurrence.weekdays],
        bysetpos: recurrence.position,
        count: recurrence.count,
        start_date: iso(recurrence.start),
        until_date: isoOrNull(recurrence.until),
        title: subscription.title,
        invite_message: subscription.inviteMessage,
        external_recipients: subscription.externalRecipients,
        summary: `sent ${scheduleText(subscription, project)}`,
        next_delivery_date: subscription.enabled ? isoOrNull(subscription.nextSlot) : null,
        last_delivery_date: isoOrNull(subscription.lastSlot),
        enabled: subscription.enabled,
        paused_reason: subscription.pausedReason ?? (await pausedTarget(store, project, subscription, now)),
        deleted: subscription.deleted,
        ...(secret === null || secret === undefined ? {} : { secret }),
        created_by: presentUserOrNull(users, subscription.createdBy),
        created_at: iso(subscription.createdAt),
      };
    }),
  );
}

/** Members see addresses of members; those outside and webhooks are for admins. */
export function shownTarget({ target, externalRecipients }: Subscription, isFull: boolean): string {
  if (target.type !== 'email') return (isFull ? target.url : originOnly(target.url)) ?? '';
  if (isFull || !externalRecipients) return target.addresses.join(',');
  return target.addresses.map((address) => shortTarget({ type: 'email', userId: null, address })).join(',');
}

async function pausedTarget(
  store: MetadataStore,
  project: Project,
  { target }: Subscription,
  now: number,
): Promise<string | null> {
  const [webhook] = target.type === 'email' ? [] : webhookTarget(project, target, now);
  return webhook === undefined ? null : store.deliveries.pausedReason(project.id, targetHash(webhook));
}
