import { Type } from '@sinclair/typebox';
import type { Activity, User } from '../../stores/metadata/accounts.ts';
import { DateTime, iso, nullable, originOnly, Uuid } from './common.ts';

const ChangeSchema = Type.Object({
  type: Type.String(),
  action: Type.String(),
  field: nullable(Type.String()),
  before: Type.Unknown(),
  after: Type.Unknown(),
});

export const ActivitySchema = Type.Object({
  id: Uuid,
  user: Type.Object({
    first_name: Type.String(),
    email: nullable(Type.String()),
    is_system: Type.Optional(Type.Boolean()),
  }),
  activity: Type.String(),
  scope: Type.String(),
  item_id: Type.String(),
  detail: Type.Object({
    changes: nullable(Type.Array(ChangeSchema)),
    trigger: nullable(Type.Record(Type.String(), Type.Unknown())),
    name: nullable(Type.String()),
    short_id: nullable(Type.String()),
  }),
  created_at: DateTime,
});

export const ActivityPageSchema = Type.Object({
  results: Type.Array(ActivitySchema),
  next: nullable(Type.String()),
  previous: nullable(Type.String()),
  total_count: Type.Integer(),
});

export const ACTIVITY_QUERY = { limit: 'Entries per page: 10 by default.', page: 'Page number, from 1.' } as const;

/** Anybody who has the URL of a webhook can post to its channel, so only its origin is shown. */
const SECRET_ADDRESSES = new Set(['slack_incoming_webhook']);

const withoutSecrets = (detail: Activity['detail']): Activity['detail'] => ({
  ...detail,
  changes:
    detail.changes?.map((change) =>
      SECRET_ADDRESSES.has(change.field ?? '')
        ? { ...change, before: originOnly(change.before), after: originOnly(change.after) }
        : change,
    ) ?? null,
});

const SYSTEM = { first_name: 'System', email: null, is_system: true };

export const presentActivity = (activity: Activity, users: ReadonlyMap<number, User>) => {
  const user = activity.userId === null ? undefined : users.get(activity.userId);
  return {
    id: activity.id,
    user: user ? { first_name: user.firstName, email: user.email } : SYSTEM,
    activity: activity.activity,
    scope: activity.scope,
    item_id: activity.itemId,
    detail: withoutSecrets(activity.detail),
    created_at: iso(activity.createdAt),
  };
};
