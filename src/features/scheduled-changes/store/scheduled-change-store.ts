/** Changes that are made at a time. Times are in ms UTC. */
import type { Generated, Insertable, Selectable } from 'kysely';
import type { JsonObject } from '../../../core/json/json.ts';
import { parseStoredJson } from '../../../stores/sql/json-text.ts';
import { type Sql, type Tables, toBit } from '../../../stores/sql/tables.ts';
import type { RecurrenceInterval } from '../rules/recurrence.ts';

declare module '../../../stores/metadata/metadata-store.ts' {
  interface FeatureStores {
    readonly scheduledChanges: ScheduledChangeStore;
  }
}

declare module '../../../stores/sql/tables.ts' {
  interface Tables {
    scheduledChanges: {
      id: Generated<number>;
      projectId: number;
      flagId: number;
      payload: string;
      scheduledAt: number;
      startsAt: number;
      executedAt: number | null;
      failureReason: string | null;
      recurrence: RecurrenceInterval | null;
      cron: string | null;
      isPaused: Flag;
      endDate: number | null;
      timezone: string;
      step: number;
      lastExecutedAt: number | null;
      createdAt: number;
      createdBy: number | null;
      updatedAt: number;
      changeRequestId: string | null;
      alertId: string | null;
    };
  }
}

export interface ScheduledChange {
  id: number;
  projectId: number;
  flagId: number;
  /** What to change, as the API has it; `rules/` interprets it. */
  payload: JsonObject;
  /** When it is made next. */
  scheduledAt: number;
  /** When it was to be made first; recurrences count from it. */
  startsAt: number;
  /** When it was made for the last time, or given up; null while there is something to do. */
  executedAt: number | null;
  failureReason: string | null;
  /** Recurring by one of these, or once if both are null. */
  recurrence: RecurrenceInterval | null;
  cron: string | null;
  /** A recurring change that is not made for now. */
  isPaused: boolean;
  /** No recurrence after it. */
  endDate: number | null;
  timezone: string;
  /** How many steps of a gradual rollout were made. */
  step: number;
  lastExecutedAt: number | null;
  createdAt: number;
  createdBy: number | null;
  updatedAt: number;
  /** The approval with which it was scheduled, if it needed one. */
  changeRequestId: string | null;
  /** Stops a gradual rollout when it fires. */
  alertId: string | null;
}

interface ScheduledChangeStore {
  create(change: Omit<ScheduledChange, 'id'>): Promise<ScheduledChange>;
  get(projectId: number, id: number): Promise<ScheduledChange | null>;
  /** The soonest first. */
  listByProject(projectId: number, flagId?: number): Promise<ScheduledChange[]>;
  /** Of all projects: those to be made up to now, the soonest first. */
  listDue(now: number): Promise<ScheduledChange[]>;
  /** Of all projects: gradual rollouts that go on until an alert fires. */
  listGuarded(): Promise<ScheduledChange[]>;
  update(change: ScheduledChange): Promise<void>;
  delete(id: number): Promise<void>;
}

const toChange = (row: Selectable<Tables['scheduledChanges']>): ScheduledChange => ({
  ...row,
  id: Number(row.id),
  flagId: Number(row.flagId),
  step: Number(row.step),
  payload: parseStoredJson(row.payload) as JsonObject,
  isPaused: row.isPaused === 1,
});

const toColumns = (change: Omit<ScheduledChange, 'id'>): Insertable<Tables['scheduledChanges']> => ({
  ...change,
  payload: JSON.stringify(change.payload),
  isPaused: toBit(change.isPaused),
});

export function scheduledChangeStore({ db }: Sql): ScheduledChangeStore {
  const all = () => db.selectFrom('scheduledChanges').selectAll();
  return {
    async create(change) {
      const row = await db
        .insertInto('scheduledChanges')
        .values(toColumns(change))
        .returningAll()
        .executeTakeFirstOrThrow();
      return toChange(row);
    },
    async get(projectId, id) {
      const row = await all().where('projectId', '=', projectId).where('id', '=', id).executeTakeFirst();
      return row ? toChange(row) : null;
    },
    async listByProject(projectId, flagId) {
      const rows = await all()
        .where('projectId', '=', projectId)
        .$if(flagId !== undefined, (q) => q.where('flagId', '=', flagId ?? 0))
        .orderBy('scheduledAt')
        .orderBy('id')
        .execute();
      return rows.map(toChange);
    },
    async listDue(now) {
      const rows = await all()
        .where('executedAt', 'is', null)
        .where('scheduledAt', '<=', now)
        .where('isPaused', '=', 0)
        .orderBy('scheduledAt')
        .orderBy('id')
        .execute();
      return rows.map(toChange);
    },
    async listGuarded() {
      const rows = await all().where('executedAt', 'is', null).where('alertId', 'is not', null).orderBy('id').execute();
      return rows.map(toChange);
    },
    async update({ id, ...change }) {
      await db.updateTable('scheduledChanges').set(toColumns(change)).where('id', '=', id).execute();
    },
    async delete(id) {
      await db.deleteFrom('scheduledChanges').where('id', '=', id).execute();
    },
  };
}
