/** Destinations of events, what waits for them, and what was sent. Times are in ms UTC. */
import type { Generated, Insertable, Selectable } from 'kysely';
import { sql } from 'kysely';
import type { JsonObject } from '../../../core/json/json.ts';
import { HOUR_MS } from '../../../core/time/units.ts';
import type { Page, Paged } from '../../../stores/metadata/page.ts';
import { parseStoredJson } from '../../../stores/sql/json-text.ts';
import { paged } from '../../../stores/sql/paging.ts';
import { type Sql, type Tables, toBit } from '../../../stores/sql/tables.ts';
import { UUID_BYTES, unpackUuids } from '../../../stores/sql/uuid-list.ts';
import type { DestinationInputs } from '../rules/destination-inputs.ts';
import type { Mask, Masking } from '../rules/masking.ts';

declare module '../../../stores/metadata/metadata-store.ts' {
  interface FeatureStores {
    readonly destinations: DestinationStore;
  }
}

declare module '../../../stores/sql/tables.ts' {
  interface Tables {
    destinationMasks: { projectId: number; destinationId: string; hash: string; endsAt: number; events: number };
    destinationLog: {
      id: Generated<number>;
      projectId: number;
      destinationId: string;
      at: number;
      state: SentState;
      eventUuid: string | null;
      event: string | null;
      events: number;
      status: number | null;
      ms: number;
      error: string | null;
    };
    destinationCounts: { projectId: number; destinationId: string; hour: number; state: SentState; events: number };
  }
}

/**
 * `sent`; `failed`: refused by the receiver, not tried again; `skipped`: waited too long, or was deleted before it was
 * sent; `masked`: one that is alike was sent; `filtered`: does not match; `retried`: an attempt that is repeated.
 */
export const SENT_STATES = ['sent', 'failed', 'skipped', 'masked', 'filtered', 'retried'] as const;
export type SentState = (typeof SENT_STATES)[number];

export interface Destination {
  id: string;
  projectId: number;
  name: string;
  description: string;
  enabled: boolean;
  /** As they were sent; read anew each time, because actions and test accounts change. */
  filters: JsonObject;
  /** Values of headers are encrypted. */
  inputs: DestinationInputs;
  masking: Masking | null;
  executionOrder: number | null;
  secret: string;
  previousSecret: string | null;
  rolledAt: number | null;
  /** Since when nothing could be delivered; null: it works. */
  failingSince: number | null;
  /** Attempts in a row that failed. */
  failures: number;
  retryAt: number | null;
  lastError: string | null;
  /** Nothing is sent, but events still wait for it. */
  pausedAt: number | null;
  /** Counts changes by users. */
  revision: number;
  createdAt: number;
  createdBy: number | null;
  updatedAt: number;
}

export interface QueueRow {
  id: number;
  uuids: string[];
  firstTimestamp: number;
  lastTimestamp: number;
  receivedAt: number;
  waitingSince: number;
}

export interface WaitingEvents {
  events: number;
  bytes: number;
  oldest: number | null;
}

export interface LogLine {
  id: number;
  at: number;
  state: SentState;
  eventUuid: string | null;
  event: string | null;
  events: number;
  status: number | null;
  ms: number;
  error: string | null;
}

/** What became of some events. */
interface SentResult {
  at: number;
  counts: Readonly<Partial<Record<SentState, number>>>;
  lines: readonly Omit<LogLine, 'id'>[];
}

export interface HourCount {
  hour: number;
  state: SentState;
  events: number;
}

type Health = Pick<Destination, 'failingSince' | 'failures' | 'retryAt' | 'lastError' | 'pausedAt'>;
export const HEALTHY: Health = { failingSince: null, failures: 0, retryAt: null, lastError: null, pausedAt: null };

interface DestinationStore {
  create(destination: Destination): Promise<void>;
  get(projectId: number, id: string): Promise<Destination | null>;
  /** Newest first. */
  list(projectId: number, page: Page): Promise<Paged<Destination>>;
  count(projectId: number): Promise<number>;
  /** Of all projects: those that events wait for and that may be sent to now. */
  listDue(now: number): Promise<Destination[]>;
  /** Ids of all destinations that events wait for. */
  listWaiting(): Promise<{ id: string; projectId: number }[]>;
  update(destination: Destination): Promise<void>;
  /** Only if no user has changed it since. */
  setHealth(id: string, revision: number, health: Health): Promise<boolean>;
  delete(id: string): Promise<void>;
  /** The first ones in the queue, or behind a row: at least one, and about this many events. */
  listQueued(id: string, events: number, after?: number): Promise<QueueRow[]>;
  /** False if one of them is no longer there: somebody else has dealt with it. */
  areQueued(ids: readonly number[]): Promise<boolean>;
  deleteQueued(ids: readonly number[]): Promise<void>;
  countWaiting(id: string): Promise<WaitingEvents>;
  /** Removes what has waited since before then, and the oldest beyond `maxBytes`. How many events. */
  deleteOverdue(id: string, before: number, maxBytes: number): Promise<number>;
  listMasks(id: string, hashes: readonly string[]): Promise<Mask[]>;
  saveMasks(projectId: number, id: string, masks: readonly Mask[], endedBefore: number): Promise<void>;
  record(projectId: number, id: string, result: SentResult): Promise<void>;
  /** Newest first. */
  listLog(id: string, states: readonly SentState[] | null, page: Page): Promise<Paged<LogLine>>;
  listCounts(id: string, since: number): Promise<HourCount[]>;
  /** Of all projects, by state. */
  countAll(): Promise<{ state: SentState; events: number }[]>;
  countAllWaiting(): Promise<WaitingEvents>;
  deleteLogBefore(logBefore: number, countsBefore: number): Promise<void>;
}

const toDestination = (row: Selectable<Tables['destinations']>): Destination => ({
  ...row,
  projectId: Number(row.projectId),
  enabled: row.enabled === 1,
  filters: parseStoredJson(row.filters) as JsonObject,
  inputs: parseStoredJson(row.inputs) as unknown as DestinationInputs,
  masking: row.masking === null ? null : (JSON.parse(row.masking) as Masking),
});

const toColumns = (one: Destination): Insertable<Tables['destinations']> => ({
  ...one,
  enabled: toBit(one.enabled),
  filters: JSON.stringify(one.filters),
  inputs: JSON.stringify(one.inputs),
  masking: one.masking === null ? null : JSON.stringify(one.masking),
});

const toLogLine = ({ projectId: _, destinationId: __, ...row }: Selectable<Tables['destinationLog']>): LogLine => ({
  ...row,
  id: Number(row.id),
  at: Number(row.at),
});

const MAX_QUEUE_ROWS = 100;

export function destinationStore({ db }: Sql): DestinationStore {
  const all = () => db.selectFrom('destinations').selectAll();
  const queue = (id: string) => db.selectFrom('destinationQueue').where('destinationId', '=', id);
  const waiting = async (id: string | null): Promise<WaitingEvents> => {
    const row = await db
      .selectFrom('destinationQueue')
      .$if(id !== null, (q) => q.where('destinationId', '=', id ?? ''))
      .select((eb) => [eb.fn.sum<number>('events').as('events'), eb.fn.min('waitingSince').as('oldest')])
      .executeTakeFirst();
    const events = Number(row?.events ?? 0);
    return { events, bytes: events * UUID_BYTES, oldest: row?.oldest == null ? null : Number(row.oldest) };
  };
  return {
    async create(destination) {
      await db.insertInto('destinations').values(toColumns(destination)).execute();
    },
    async get(projectId, id) {
      const row = await all().where('projectId', '=', projectId).where('id', '=', id).executeTakeFirst();
      return row ? toDestination(row) : null;
    },
    list(projectId, page) {
      const rows = all().where('projectId', '=', projectId).orderBy('createdAt', 'desc').orderBy('id');
      return paged(rows, page, toDestination);
    },
    async count(projectId) {
      const row = await db
        .selectFrom('destinations')
        .where('projectId', '=', projectId)
        .select((eb) => eb.fn.countAll<number>().as('count'))
        .executeTakeFirst();
      return Number(row?.count ?? 0);
    },
    async listDue(now) {
      const rows = await all()
        .where('enabled', '=', 1)
        .where('pausedAt', 'is', null)
        .where((eb) => eb.or([eb('retryAt', 'is', null), eb('retryAt', '<=', now)]))
        .where((eb) =>
          eb.exists(
            eb
              .selectFrom('destinationQueue')
              .select(sql.lit(1).as('one'))
              .whereRef('destinationQueue.destinationId', '=', 'destinations.id'),
          ),
        )
        .orderBy('id')
        .execute();
      return rows.map(toDestination);
    },
    async listWaiting() {
      const rows = await db
        .selectFrom('destinationQueue')
        .select(['destinationId', 'projectId'])
        .distinct()
        .orderBy('destinationId')
        .execute();
      return rows.map(({ destinationId, projectId }) => ({ id: destinationId, projectId: Number(projectId) }));
    },
    async update(destination) {
      await db.updateTable('destinations').set(toColumns(destination)).where('id', '=', destination.id).execute();
    },
    async setHealth(id, revision, health) {
      const { numUpdatedRows } = await db
        .updateTable('destinations')
        .set(health)
        .where('id', '=', id)
        .where('revision', '=', revision)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
    async delete(id) {
      for (const table of ['destinationQueue', 'destinationMasks', 'destinationLog', 'destinationCounts'] as const)
        await db.deleteFrom(table).where('destinationId', '=', id).execute();
      await db.deleteFrom('destinations').where('id', '=', id).execute();
    },
    async listQueued(id, events, after = 0) {
      const behind = () => queue(id).where('id', '>', after).orderBy('id');
      const sizes = await behind().select(['id', 'events']).limit(MAX_QUEUE_ROWS).execute();
      let sum = 0;
      const taken = sizes.filter(({ events: size }) => {
        const isTaken = sum === 0 || sum + size <= events;
        sum += size;
        return isTaken;
      });
      const last = taken.at(-1);
      if (last === undefined) return [];
      const rows = await behind().selectAll().where('id', '<=', last.id).limit(taken.length).execute();
      return rows.map((row) => ({
        id: Number(row.id),
        uuids: unpackUuids(row.uuids),
        firstTimestamp: Number(row.firstTimestamp),
        lastTimestamp: Number(row.lastTimestamp),
        receivedAt: Number(row.receivedAt),
        waitingSince: Number(row.waitingSince),
      }));
    },
    async areQueued(ids) {
      const row = await db
        .selectFrom('destinationQueue')
        .where('id', 'in', [...ids])
        .select((eb) => eb.fn.countAll<number>().as('count'))
        .executeTakeFirst();
      return Number(row?.count ?? 0) === ids.length;
    },
    async deleteQueued(ids) {
      await db
        .deleteFrom('destinationQueue')
        .where('id', 'in', [...ids])
        .execute();
    },
    countWaiting: waiting,
    async deleteOverdue(id, before, maxBytes) {
      const rows = await queue(id).select(['id', 'events', 'waitingSince']).orderBy('id', 'desc').execute();
      let bytes = 0;
      const overdue = rows.filter(({ events, waitingSince }) => {
        bytes += events * UUID_BYTES;
        return Number(waitingSince) < before || bytes > maxBytes;
      });
      for (const row of overdue) await db.deleteFrom('destinationQueue').where('id', '=', row.id).execute();
      return overdue.reduce((sum, { events }) => sum + events, 0);
    },
    async listMasks(id, hashes) {
      if (hashes.length === 0) return [];
      const rows = await db
        .selectFrom('destinationMasks')
        .select(['hash', 'endsAt', 'events'])
        .where('destinationId', '=', id)
        .where('hash', 'in', [...hashes])
        .execute();
      return rows.map((row) => ({ ...row, endsAt: Number(row.endsAt), events: Number(row.events) }));
    },
    async saveMasks(projectId, destinationId, masks, endedBefore) {
      await db
        .deleteFrom('destinationMasks')
        .where('destinationId', '=', destinationId)
        .where('endsAt', '<', endedBefore)
        .execute();
      for (const mask of masks)
        await db
          .insertInto('destinationMasks')
          .values({ projectId, destinationId, ...mask })
          .onConflict((conflict) =>
            conflict.columns(['destinationId', 'hash']).doUpdateSet({ endsAt: mask.endsAt, events: mask.events }),
          )
          .execute();
    },
    async record(projectId, destinationId, { at, counts, lines }) {
      const hour = Math.floor(at / HOUR_MS) * HOUR_MS;
      for (const state of SENT_STATES) {
        const events = counts[state] ?? 0;
        if (events === 0) continue;
        await db
          .insertInto('destinationCounts')
          .values({ projectId, destinationId, hour, state, events })
          .onConflict((conflict) =>
            conflict
              .columns(['destinationId', 'hour', 'state'])
              .doUpdateSet((eb) => ({ events: eb('destinationCounts.events', '+', events) })),
          )
          .execute();
      }
      if (lines.length > 0)
        await db
          .insertInto('destinationLog')
          .values(lines.map((line) => ({ ...line, projectId, destinationId })))
          .execute();
    },
    listLog(id, states, page) {
      const rows = db
        .selectFrom('destinationLog')
        .selectAll()
        .where('destinationId', '=', id)
        .$if(states !== null, (q) => q.where('state', 'in', [...(states ?? [])]));
      return paged(rows.orderBy('id', 'desc'), page, toLogLine);
    },
    async listCounts(id, since) {
      const rows = await db
        .selectFrom('destinationCounts')
        .select(['hour', 'state', 'events'])
        .where('destinationId', '=', id)
        .where('hour', '>=', since)
        .orderBy('hour')
        .execute();
      return rows.map((row) => ({ ...row, hour: Number(row.hour), events: Number(row.events) }));
    },
    async countAll() {
      const rows = await db
        .selectFrom('destinationCounts')
        .select((eb) => ['state', eb.fn.sum<number>('events').as('events')])
        .groupBy('state')
        .execute();
      return rows.map(({ state, events }) => ({ state, events: Number(events) }));
    },
    countAllWaiting: () => waiting(null),
    async deleteLogBefore(logBefore, countsBefore) {
      await db.deleteFrom('destinationLog').where('at', '<', logBefore).execute();
      await db.deleteFrom('destinationCounts').where('hour', '<', countsBefore).execute();
    },
  };
}
