import { type Static, Type } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import { isAdmin } from '../../../access/callers.ts';
import { invalid } from '../../../core/errors.ts';
import type { Recurrence } from '../../../core/schedules/recurrence.ts';
import { callerSignal } from '../../../http/api/caller-signal.ts';
import { projectRoute } from '../../../http/api/route.ts';
import { envelope, type Query, queryText, readPage } from '../../../http/paging.ts';
import { idFromPath } from '../../../http/path-ids.ts';
import { readTimeField } from '../../../http/read-time.ts';
import { PAGE_QUERY, pageSchema } from '../../../http/schemas/common.ts';
import { DeliverySchema, presentDelivery } from '../../deliveries/api/delivery-schemas.ts';
import { readRecurrence } from '../rules/read-recurrence.ts';
import type { Subscription } from '../store/subscription-store.ts';
import {
  createSubscription,
  deleteSubscription,
  getSubscription,
  type SubscriptionChanges,
  testSubscription,
  updateSubscription,
} from '../subscriptions.ts';
import type { SubscriptionApiDeps } from './deps.ts';
import {
  presentSubscriptions,
  SubscriptionChangeSchema,
  SubscriptionCreateSchema,
  SubscriptionSchema,
  shownTarget,
} from './subscription-schemas.ts';

const ALL = { url: '/api/projects/:project_id/subscriptions/', tag: 'subscriptions', scope: 'subscription' } as const;
const ONE = { ...ALL, url: `${ALL.url}:id/` } as const;
const EDITS = { edits: ['insights'] } as const;

type Body = Static<typeof SubscriptionChangeSchema>;

export function subscriptionRoutes(app: FastifyInstance, deps: SubscriptionApiDeps): void {
  listAndCreate(app, deps);
  oneSubscription(app, deps);
  sending(app, deps);
}

const SCHEDULE_FIELDS = [
  'frequency',
  'interval',
  'byweekday',
  'bysetpos',
  'count',
  'start_date',
  'until_date',
] as const;

/** Fields that are not sent stay as they are. Undefined: none was sent. */
function recurrenceOf(body: Body, before?: Recurrence): Recurrence | undefined {
  if (before && !SCHEDULE_FIELDS.some((name) => body[name] !== undefined)) return undefined;
  const time = (attr: 'start_date' | 'until_date', known: number | null): number | null => {
    const text = body[attr];
    if (text === undefined) return known;
    return text === null ? null : readTimeField(attr, text);
  };
  const either = <T>(sent: T | undefined, known: T): T => (sent === undefined ? known : sent);
  return readRecurrence({
    frequency: body.frequency ?? before?.frequency ?? '',
    interval: body.interval ?? before?.interval ?? 1,
    byweekday: either(body.byweekday, before ? [...before.weekdays] : null),
    bysetpos: either(body.bysetpos, before?.position ?? null),
    count: either(body.count, before?.count ?? null),
    start: time('start_date', before?.start ?? null) ?? Number.NaN,
    until: time('until_date', before?.until ?? null),
  });
}

/** A target that is sent back as it was shown to whoever may not see it whole has not changed. */
function targetOf(body: Body, before: Subscription | null, isFull: boolean): SubscriptionChanges['target'] | undefined {
  const { target_type: type, target_value: value, roll_secret: rollSecret = false } = body;
  if (before === null) {
    if (type === undefined) throw invalid('target_type', 'target_type is email, slack or webhook.', 'required');
    return { type, value: value ?? '', rollSecret };
  }
  const isSameType = type === undefined || type === before.target.type;
  const isSame = value === undefined || value === shownTarget(before, isFull);
  if (isSameType && isSame && !rollSecret) return undefined;
  const known = isSameType && isSame ? shownTarget(before, true) : value;
  return { type: type ?? before.target.type, value: known ?? '', rollSecret };
}

function readChanges(body: Body): SubscriptionChanges {
  const { dashboard, insight, title, invite_message, external_recipients, enabled, deleted } = body;
  return {
    ...(dashboard === undefined ? {} : { dashboardId: dashboard }),
    ...(insight === undefined ? {} : { insightId: insight }),
    ...(title === undefined ? {} : { title: title ?? '' }),
    ...(invite_message === undefined ? {} : { inviteMessage: invite_message?.trim() || null }),
    ...(external_recipients === undefined ? {} : { externalRecipients: external_recipients }),
    ...(enabled === undefined ? {} : { enabled }),
    ...(deleted === undefined ? {} : { deleted }),
  };
}

function idInQuery(query: Query, name: string): number | undefined {
  const id = Number(queryText(query, name));
  return Number.isSafeInteger(id) && id > 0 ? id : undefined;
}

function listAndCreate(app: FastifyInstance, deps: SubscriptionApiDeps): void {
  const { metadata, clock } = deps;
  projectRoute(app, deps, {
    ...ALL,
    method: 'GET',
    summary: 'Digests, the newest first',
    query: {
      ...PAGE_QUERY,
      dashboard: 'Only those of the dashboard with this id.',
      insight: 'Only those of the insight with this id.',
    },
    response: pageSchema(SubscriptionSchema),
    handler: async ({ caller, project, query, url }) => {
      const page = readPage(query);
      const about = { dashboardId: idInQuery(query, 'dashboard'), insightId: idInQuery(query, 'insight') };
      const { count, items } = await metadata.subscriptions.list(project.id, about, page);
      const shown = await presentSubscriptions(metadata, items, { caller, project, now: clock.now() });
      return envelope(url, page, { count, items: shown }, (item) => item);
    },
  });
  projectRoute(app, deps, {
    ...ALL,
    ...EDITS,
    method: 'POST',
    summary: 'Send a dashboard or an insight on a schedule',
    body: SubscriptionCreateSchema,
    status: 201,
    response: SubscriptionSchema,
    handler: async ({ caller, project, body }) => {
      const recurrence = recurrenceOf(body);
      const target = targetOf(body, null, true);
      if (!recurrence || !target) throw invalid('frequency', 'A digest needs a schedule and a target.', 'required');
      const changes = { ...readChanges(body), recurrence, target };
      const { subscription, secret } = await createSubscription(deps, caller, project, changes);
      const shown = { caller, project, now: clock.now(), secret };
      return (await presentSubscriptions(metadata, [subscription], shown))[0];
    },
  });
}

function oneSubscription(app: FastifyInstance, deps: SubscriptionApiDeps): void {
  const { metadata, clock } = deps;
  projectRoute(app, deps, {
    ...ONE,
    method: 'GET',
    summary: 'One digest',
    response: SubscriptionSchema,
    handler: async ({ caller, project, params }) => {
      const subscription = await getSubscription(metadata, project, idFromPath(params));
      return (await presentSubscriptions(metadata, [subscription], { caller, project, now: clock.now() }))[0];
    },
  });
  projectRoute(app, deps, {
    ...ONE,
    ...EDITS,
    method: 'PATCH',
    summary: 'Change a digest, pause it, or turn it on again',
    body: SubscriptionChangeSchema,
    response: SubscriptionSchema,
    handler: async ({ caller, project, params, body }) => {
      const before = await getSubscription(metadata, project, idFromPath(params));
      const recurrence = recurrenceOf(body, before.recurrence);
      const target = targetOf(body, before, isAdmin(caller, project.organizationId));
      const changes = {
        ...readChanges(body),
        ...(recurrence === undefined ? {} : { recurrence }),
        ...(target === undefined ? {} : { target }),
      };
      const { subscription, secret } = await updateSubscription(deps, caller, project, before.id, changes);
      const shown = { caller, project, now: clock.now(), secret };
      return (await presentSubscriptions(metadata, [subscription], shown))[0];
    },
  });
  projectRoute(app, deps, {
    ...ONE,
    ...EDITS,
    method: 'DELETE',
    summary: 'Delete a digest; what was delivered stays in the log',
    status: 204,
    handler: ({ caller, project, params }) => deleteSubscription(deps, caller, project, idFromPath(params)),
  });
}

function sending(app: FastifyInstance, deps: SubscriptionApiDeps): void {
  const { metadata } = deps;
  projectRoute(app, deps, {
    ...ONE,
    ...EDITS,
    url: `${ONE.url}test-delivery/`,
    method: 'POST',
    summary: 'Send a digest now, marked as a test: to the webhook, or as a mail to yourself',
    status: 201,
    response: Type.Object({ deliveries: Type.Integer({ description: 'How many messages were made.' }) }),
    handler: async ({ caller, project, params, reply }) => ({
      deliveries: await testSubscription(deps, caller, project, idFromPath(params), callerSignal(reply)),
    }),
  });
  projectRoute(app, deps, {
    ...ONE,
    url: `${ONE.url}deliveries/`,
    method: 'GET',
    summary: 'What was sent of a digest in the last 30 days, the newest first, with every attempt',
    query: PAGE_QUERY,
    response: pageSchema(DeliverySchema),
    handler: async ({ caller, project, params, query, url }) => {
      const page = readPage(query);
      const { id } = await getSubscription(metadata, project, idFromPath(params));
      const about = { kinds: ['digest', 'test'] as const, subjectId: String(id) };
      const found = await metadata.deliveries.list(project.id, about, page);
      const isFull = isAdmin(caller, project.organizationId);
      return envelope(url, page, found, (delivery) => presentDelivery(delivery, isFull));
    },
  });
}
