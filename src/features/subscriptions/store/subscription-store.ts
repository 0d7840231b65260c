/** Digests: what is sent to whom, and when next. Times are in ms UTC. */
import type { Generated, Insertable, Selectable } from 'kysely';
import type { Recurrence } from '../../../core/schedules/recurrence.ts';
import type { Page, Paged } from '../../../stores/metadata/page.ts';
import { parseStoredJson } from '../../../stores/sql/json-text.ts';
import { paged } from '../../../stores/sql/paging.ts';
import { type Sql, type Tables, toBit } from '../../../stores/sql/tables.ts';
import type { SubscriptionTarget } from '../rules/subscription-target.ts';

declare module '../../../stores/metadata/metadata-store.ts' {
  interface FeatureStores {
    readonly subscriptions: SubscriptionStore;
  }
}

declare module '../../../stores/sql/tables.ts' {
  interface Tables {
    subscriptions: {
      id: Generated<number>;
      projectId: number;
      dashboardId: number | null;
      insightId: number | null;
      title: string;
      target: string;
      externalRecipients: Flag;
      inviteMessage: string | null;
      recurrence: string;
      enabled: Flag;
      pausedReason: string | null;
      deleted: Flag;
      nextSlot: number | null;
      lastSlot: number | null;
      revision: number;
      createdAt: number;
      createdBy: number | null;
      updatedAt: number;
    };
  }
}

export interface Subscription {
  id: number;
  projectId: number;
  /** One of the two. */
  dashboardId: number | null;
  insightId: number | null;
  title: string;
  target: SubscriptionTarget;
  /** An admin has allowed addresses that are no member's. */
  externalRecipients: boolean;
  inviteMessage: string | null;
  recurrence: Recurrence;
  enabled: boolean;
  /** Why the server has paused it; null where it has not. */
  pausedReason: string | null;
  deleted: boolean;
  /** Null: no other comes. */
  nextSlot: number | null;
  lastSlot: number | null;
  /** Counts changes by users, so that a digest that was begun before one is not sent. */
  revision: number;
  createdAt: number;
  /** Whose rights count. */
  createdBy: number | null;
  updatedAt: number;
}

interface SubscriptionQuery {
  dashboardId?: number | undefined;
  insightId?: number | undefined;
}

interface SubscriptionStore {
  /** Returns its id. */
  create(subscription: Omit<Subscription, 'id'>): Promise<number>;
  /** Null if it was deleted. */
  get(projectId: number, id: number): Promise<Subscription | null>;
  /** Newest first, without those that were deleted. */
  list(projectId: number, query: SubscriptionQuery, page: Page): Promise<Paged<Subscription>>;
  count(projectId: number): Promise<number>;
  /** Of all projects: enabled, due up to now, the longest due first. */
  listDue(now: number): Promise<Subscription[]>;
  update(subscription: Subscription): Promise<void>;
  delete(projectId: number, id: number): Promise<void>;
}

const toSubscription = (row: Selectable<Tables['subscriptions']>): Subscription => ({
  ...row,
  id: Number(row.id),
  revision: Number(row.revision),
  enabled: row.enabled === 1,
  externalRecipients: row.externalRecipients === 1,
  deleted: row.deleted === 1,
  target: parseStoredJson(row.target) as unknown as SubscriptionTarget,
  recurrence: parseStoredJson(row.recurrence) as unknown as Recurrence,
});

const toColumns = (subscription: Omit<Subscription, 'id'>): Insertable<Tables['subscriptions']> => ({
  ...subscription,
  enabled: toBit(subscription.enabled),
  externalRecipients: toBit(subscription.externalRecipients),
  deleted: toBit(subscription.deleted),
  target: JSON.stringify(subscription.target),
  recurrence: JSON.stringify(subscription.recurrence),
});

export function subscriptionStore({ db }: Sql): SubscriptionStore {
  const all = () => db.selectFrom('subscriptions').selectAll().where('deleted', '=', 0);
  return {
    async create(subscription) {
      const { id } = await db
        .insertInto('subscriptions')
        .values(toColumns(subscription))
        .returning('id')
        .executeTakeFirstOrThrow();
      return Number(id);
    },
    async get(projectId, id) {
      const row = await all().where('projectId', '=', projectId).where('id', '=', id).executeTakeFirst();
      return row ? toSubscription(row) : null;
    },
    list(projectId, { dashboardId, insightId }, page) {
      const matching = all()
        .where('projectId', '=', projectId)
        .$if(dashboardId !== undefined, (q) => q.where('dashboardId', '=', dashboardId ?? 0))
        .$if(insightId !== undefined, (q) => q.where('insightId', '=', insightId ?? 0));
      return paged(matching.orderBy('id', 'desc'), page, toSubscription);
    },
    async count(projectId) {
      const { count } = await db
        .selectFrom('subscriptions')
        .select((eb) => eb.fn.countAll<number>().as('count'))
        .where('deleted', '=', 0)
        .where('projectId', '=', projectId)
        .executeTakeFirstOrThrow();
      return Number(count);
    },
    async listDue(now) {
      const rows = await all()
        .where('enabled', '=', 1)
        .where('nextSlot', '<=', now)
        .orderBy('nextSlot')
        .orderBy('id')
        .execute();
      return rows.map(toSubscription);
    },
    async update({ id, ...subscription }) {
      await db.updateTable('subscriptions').set(toColumns(subscription)).where('id', '=', id).execute();
    },
    async delete(projectId, id) {
      await db.deleteFrom('subscriptions').where('projectId', '=', projectId).where('id', '=', id).execute();
    },
  };
}
