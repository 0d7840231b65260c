/** The outbox of all messages, and targets that are paused. Times are in ms UTC. */
import type { Generated, Insertable, Selectable } from 'kysely';
import type { Page, Paged } from '../../../stores/metadata/page.ts';
import { parseStoredJson } from '../../../stores/sql/json-text.ts';
import { paged } from '../../../stores/sql/paging.ts';
import type { Sql, Tables } from '../../../stores/sql/tables.ts';
import type { DeliveryKind, DeliveryState } from '../rules/delivery-kinds.ts';
import type { DeliveryTarget } from '../rules/delivery-target.ts';
import type { Message } from '../rules/message.ts';

declare module '../../../stores/metadata/metadata-store.ts' {
  interface FeatureStores {
    readonly deliveries: DeliveryStore;
  }
}

declare module '../../../stores/sql/tables.ts' {
  interface Tables {
    deliveries: {
      id: Generated<number>;
      projectId: number;
      key: string;
      kind: DeliveryKind;
      subjectId: string;
      slot: number;
      target: string;
      targetHash: string;
      message: string;
      ownerId: number | null;
      state: DeliveryState;
      attempts: string;
      attempt: number;
      dueAt: number;
      createdAt: number;
    };
    pausedTargets: { projectId: number; targetHash: string; reason: string; pausedAt: number };
  }
}

export interface Attempt {
  at: number;
  ms: number;
  /** Of the answer; null where there was none. */
  status: number | null;
  error: string | null;
}

export interface Delivery {
  id: number;
  /** `NO_PROJECT` for messages about an organization. */
  projectId: number;
  /** Unique: of the kind, subject, slot and target. Its first digits are the id that receivers see. */
  key: string;
  kind: DeliveryKind;
  subjectId: string;
  slot: number;
  target: DeliveryTarget;
  /** Of what identifies the target, to find it again. */
  targetHash: string;
  message: Message;
  /** Who is told when the target does not exist any more. */
  ownerId: number | null;
  state: DeliveryState;
  attempts: Attempt[];
  /** How many were begun. */
  attempt: number;
  dueAt: number;
  createdAt: number;
}

export type NewDelivery = Pick<
  Delivery,
  'projectId' | 'key' | 'kind' | 'subjectId' | 'slot' | 'target' | 'targetHash' | 'message' | 'ownerId' | 'createdAt'
>;

interface DeliveryQuery {
  /** Of one of these kinds. */
  kinds?: readonly DeliveryKind[] | undefined;
  state?: DeliveryState | undefined;
  targetHash?: string | undefined;
  subjectId?: string | undefined;
  /** Created at this time or later. */
  after?: number | undefined;
}

type Subject = Pick<Delivery, 'projectId' | 'kind' | 'subjectId'>;

interface DeliveryCounts {
  made: number;
  sent: number;
  failed: number;
  waiting: number;
  oldestWaiting: number | null;
}

interface DeliveryStore {
  /** Those whose key is there already are left out; the keys of the new ones. */
  create(deliveries: readonly NewDelivery[]): Promise<string[]>;
  get(projectId: number, id: number): Promise<Delivery | null>;
  /** Newest first. */
  list(projectId: number, query: DeliveryQuery, page: Page): Promise<Paged<Delivery>>;
  /** Of all projects: waiting and due, or sending for too long; the longest due first. `without`: hashes of targets. */
  listDue(now: number, limit: number, without?: readonly string[]): Promise<Delivery[]>;
  /** How many about this subject have each state; those that none has are left out. */
  countStates(about: Subject): Promise<Partial<Record<DeliveryState, number>>>;
  /** Those about this subject that failed or were skipped wait again; how many. */
  retryFailed(about: Subject, now: number): Promise<number>;
  /** Begins the next attempt, in that state, if nobody else has: false if so. */
  claim(
    delivery: Pick<Delivery, 'id' | 'attempt' | 'state'>,
    state: 'waiting' | 'sending',
    leaseUntil: number,
  ): Promise<boolean>;
  /** From now on the attempt may arrive; false, and nothing changes, if another was begun meanwhile. */
  markSending(id: number, attempt: number, leaseUntil: number): Promise<boolean>;
  /** Ends that attempt, if no other was begun meanwhile: false if so. */
  finish(
    id: number,
    attempt: number,
    result: Pick<Delivery, 'state' | 'attempts' | 'dueAt'> & { attempt?: number },
  ): Promise<boolean>;
  deleteBefore(time: number): Promise<void>;
  count(): Promise<DeliveryCounts>;
  pauseTarget(projectId: number, targetHash: string, reason: string, now: number): Promise<void>;
  resumeTarget(projectId: number, targetHash: string): Promise<void>;
  /** Why it is paused; null if it is not. */
  pausedReason(projectId: number, targetHash: string): Promise<string | null>;
}

const toDelivery = (row: Selectable<Tables['deliveries']>): Delivery => ({
  ...row,
  id: Number(row.id),
  attempt: Number(row.attempt),
  target: parseStoredJson(row.target) as unknown as DeliveryTarget,
  message: parseStoredJson(row.message) as unknown as Message,
  attempts: JSON.parse(row.attempts),
});

const toColumns = (delivery: NewDelivery): Insertable<Tables['deliveries']> => ({
  ...delivery,
  target: JSON.stringify(delivery.target),
  message: JSON.stringify(delivery.message),
  state: 'waiting',
  attempts: '[]',
  attempt: 0,
  dueAt: delivery.createdAt,
});

export function deliveryStore({ db }: Sql): DeliveryStore {
  const all = () => db.selectFrom('deliveries').selectAll();
  return {
    async create(deliveries) {
      if (deliveries.length === 0) return [];
      const rows = await db
        .insertInto('deliveries')
        .values(deliveries.map(toColumns))
        .onConflict((conflict) => conflict.column('key').doNothing())
        .returning('key')
        .execute();
      return rows.map(({ key }) => key);
    },
    async get(projectId, id) {
      const row = await all().where('projectId', '=', projectId).where('id', '=', id).executeTakeFirst();
      return row ? toDelivery(row) : null;
    },
    list(projectId, { kinds = [], state, targetHash, subjectId, after }, page) {
      const matching = all()
        .where('projectId', '=', projectId)
        .$if(kinds.length > 0, (q) => q.where('kind', 'in', kinds))
        .$if(state !== undefined, (q) => q.where('state', '=', state ?? 'waiting'))
        .$if(targetHash !== undefined, (q) => q.where('targetHash', '=', targetHash ?? ''))
        .$if(subjectId !== undefined, (q) => q.where('subjectId', '=', subjectId ?? ''))
        .$if(after !== undefined, (q) => q.where('createdAt', '>=', after ?? 0));
      return paged(matching.orderBy('id', 'desc'), page, toDelivery);
    },
    async listDue(now, limit, without = []) {
      const rows = await all()
        .where('state', 'in', ['waiting', 'sending'])
        .where('dueAt', '<=', now)
        .$if(without.length > 0, (q) => q.where('targetHash', 'not in', without))
        .orderBy('dueAt')
        .orderBy('id')
        .limit(limit)
        .execute();
      return rows.map(toDelivery);
    },
    async countStates({ projectId, kind, subjectId }) {
      const rows = await db
        .selectFrom('deliveries')
        .select((eb) => ['state', eb.fn.countAll<number>().as('count')])
        .where('projectId', '=', projectId)
        .where('kind', '=', kind)
        .where('subjectId', '=', subjectId)
        .groupBy('state')
        .execute();
      return Object.fromEntries(rows.map(({ state, count }) => [state, Number(count)]));
    },
    async retryFailed({ projectId, kind, subjectId }, now) {
      const { numUpdatedRows } = await db
        .updateTable('deliveries')
        .set({ state: 'waiting', attempt: 0, dueAt: now })
        .where('projectId', '=', projectId)
        .where('kind', '=', kind)
        .where('subjectId', '=', subjectId)
        .where('state', 'in', ['failed', 'skipped'])
        .executeTakeFirst();
      return Number(numUpdatedRows);
    },
    async claim({ id, attempt, state: before }, state, leaseUntil) {
      const { numUpdatedRows } = await db
        .updateTable('deliveries')
        .set({ state, attempt: attempt + 1, dueAt: leaseUntil })
        .where('id', '=', id)
        .where('attempt', '=', attempt)
        .where('state', '=', before)
        .executeTakeFirst();
      return Number(numUpdatedRows) === 1;
    },
    async markSending(id, attempt, leaseUntil) {
      const { numUpdatedRows } = await db
        .updateTable('deliveries')
        .set({ state: 'sending', dueAt: leaseUntil })
        .where('id', '=', id)
        .where('attempt', '=', attempt)
        .where('state', 'in', ['waiting', 'sending'])
        .executeTakeFirst();
      return Number(numUpdatedRows) === 1;
    },
    async finish(id, attempt, { attempts, ...result }) {
      const { numUpdatedRows } = await db
        .updateTable('deliveries')
        .set({ ...result, attempts: JSON.stringify(attempts) })
        .where('id', '=', id)
        .where('attempt', '=', attempt)
        .executeTakeFirst();
      return Number(numUpdatedRows) === 1;
    },
    async deleteBefore(time) {
      await db.deleteFrom('deliveries').where('createdAt', '<', time).execute();
    },
    async count() {
      const rows = await db
        .selectFrom('deliveries')
        .select((eb) => ['state', eb.fn.countAll<number>().as('count'), eb.fn.min('createdAt').as('oldest')])
        .groupBy('state')
        .execute();
      const of = (state: DeliveryState) => Number(rows.find((row) => row.state === state)?.count ?? 0);
      const oldest = rows.find(({ state }) => state === 'waiting')?.oldest ?? null;
      return {
        made: rows.reduce((sum, { count }) => sum + Number(count), 0),
        sent: of('sent'),
        failed: of('failed'),
        waiting: of('waiting') + of('sending'),
        oldestWaiting: oldest === null ? null : Number(oldest),
      };
    },
    async pauseTarget(projectId, targetHash, reason, now) {
      await db
        .insertInto('pausedTargets')
        .values({ projectId, targetHash, reason, pausedAt: now })
        .onConflict((conflict) => conflict.columns(['projectId', 'targetHash']).doNothing())
        .execute();
    },
    async resumeTarget(projectId, targetHash) {
      await db
        .deleteFrom('pausedTargets')
        .where('projectId', '=', projectId)
        .where('targetHash', '=', targetHash)
        .execute();
    },
    async pausedReason(projectId, targetHash) {
      const row = await db
        .selectFrom('pausedTargets')
        .select('reason')
        .where('projectId', '=', projectId)
        .where('targetHash', '=', targetHash)
        .executeTakeFirst();
      return row?.reason ?? null;
    },
  };
}
