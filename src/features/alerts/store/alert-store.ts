/** Alerts, and what each check of one found. Times are in ms UTC. */
import { type Generated, type Insertable, type Selectable, sql } from 'kysely';
import type { AlertBounds, JudgeState } from '../../../core/alerts/judge.ts';
import type { Page, Paged } from '../../../stores/metadata/page.ts';
import { parseStoredJson } from '../../../stores/sql/json-text.ts';
import { paged } from '../../../stores/sql/paging.ts';
import { type Sql, type Tables, toBit } from '../../../stores/sql/tables.ts';
import type { AlertDefinition } from '../rules/alert-definition.ts';

declare module '../../../stores/metadata/metadata-store.ts' {
  interface FeatureStores {
    readonly alerts: AlertStore;
  }
}

declare module '../../../stores/sql/tables.ts' {
  interface Tables {
    alerts: {
      id: string;
      projectId: number;
      insightId: number | null;
      name: string;
      enabled: Flag;
      definition: string;
      subscribedUsers: string;
      targets: string;
      snoozedUntil: number | null;
      state: AlertState;
      progress: string;
      nextSlot: number;
      nextCheckAt: number;
      lastCheckedAt: number | null;
      lastNotifiedAt: number | null;
      revision: number;
      createdAt: number;
      createdBy: number | null;
      updatedAt: number;
    };
    alertChecks: {
      id: Generated<number>;
      projectId: number;
      alertId: string;
      slot: number;
      details: string;
      createdAt: number;
    };
  }
}

/** `Snoozed` is shown, not stored: it ends by itself. */
type AlertState = 'Not firing' | 'Firing' | 'Errored';

export interface AlertTarget {
  id: string;
  type: 'slack_webhook' | 'webhook';
  /** Null: the webhook of the project. */
  url: string | null;
  /** Of signed webhooks. The one before is valid until `rolledAt` plus a day. */
  secret: string | null;
  previousSecret: string | null;
  rolledAt: number | null;
}

export interface Alert {
  id: string;
  projectId: number;
  insightId: number | null;
  name: string;
  enabled: boolean;
  definition: AlertDefinition;
  subscribedUsers: number[];
  targets: AlertTarget[];
  snoozedUntil: number | null;
  state: AlertState;
  progress: AlertProgress;
  /** The start of the slot that is checked next, and when. */
  nextSlot: number;
  nextCheckAt: number;
  lastCheckedAt: number | null;
  lastNotifiedAt: number | null;
  /** Counts changes by users, so that a check that began before one is not saved. */
  revision: number;
  createdAt: number;
  createdBy: number | null;
  updatedAt: number;
}

interface AlertProgress {
  judge: JudgeState;
  /** How many checks in a row have failed. */
  errors: number;
  lastValue: number | null;
}

export interface AlertCheck {
  id: number;
  projectId: number;
  alertId: string;
  slot: number;
  details: CheckDetails;
  createdAt: number;
}

interface CheckDetails {
  value: number | null;
  label: string | null;
  bounds: AlertBounds | null;
  state: AlertState | 'Snoozed';
  /** Why nothing was decided, or what failed. */
  reason: string | null;
  /** Events were still being processed. */
  late: boolean;
  /** Slots before it that were not checked. */
  missed: number;
  /** Shortened. */
  targets: string[];
}

interface AlertStore {
  create(alert: Alert): Promise<void>;
  get(projectId: number, id: string): Promise<Alert | null>;
  /** Newest first. */
  list(projectId: number, insightId: number | undefined, page: Page): Promise<Paged<Alert>>;
  listByProject(projectId: number): Promise<Alert[]>;
  /** Of all projects: enabled, to be checked up to now, the longest due first. */
  listDue(now: number): Promise<Alert[]>;
  /** Of all projects: enabled ones, for those that check the slot that is not over. */
  listEnabled(): Promise<Alert[]>;
  update(alert: Alert): Promise<void>;
  delete(id: string): Promise<void>;
  /** False if the slot was checked before. */
  createCheck(check: Omit<AlertCheck, 'id'>): Promise<boolean>;
  /** Newest slot first. */
  listChecks(alertId: string, page: Page): Promise<Paged<AlertCheck>>;
  /** When alerts of the project began to fire, the latest first; both ends belong to the range. */
  listFirings(projectId: number, range: FiringRange, limit: number): Promise<Firing[]>;
  deleteChecksBefore(time: number): Promise<void>;
}

interface FiringRange {
  after?: number | undefined;
  before?: number | undefined;
}

interface Firing {
  alertId: string;
  name: string;
  insightId: number | null;
  slot: number;
}

const toAlert = (row: Selectable<Tables['alerts']>): Alert => ({
  ...row,
  insightId: row.insightId === null ? null : Number(row.insightId),
  revision: Number(row.revision),
  enabled: row.enabled === 1,
  definition: parseStoredJson(row.definition) as unknown as AlertDefinition,
  subscribedUsers: JSON.parse(row.subscribedUsers),
  targets: JSON.parse(row.targets),
  progress: JSON.parse(row.progress),
});

const toColumns = (alert: Alert): Insertable<Tables['alerts']> => ({
  ...alert,
  enabled: toBit(alert.enabled),
  definition: JSON.stringify(alert.definition),
  subscribedUsers: JSON.stringify(alert.subscribedUsers),
  targets: JSON.stringify(alert.targets),
  progress: JSON.stringify(alert.progress),
});

const toCheck = (row: Selectable<Tables['alertChecks']>): AlertCheck => ({
  ...row,
  id: Number(row.id),
  details: JSON.parse(row.details),
});

/** In the JSON of a check: no text in it can contain quotes that are not escaped. */
const FIRING = '%"state":"Firing"%';

export function alertStore({ db }: Sql): AlertStore {
  const all = () => db.selectFrom('alerts').selectAll();
  return {
    async create(alert) {
      await db.insertInto('alerts').values(toColumns(alert)).execute();
    },
    async get(projectId, id) {
      const row = await all().where('projectId', '=', projectId).where('id', '=', id).executeTakeFirst();
      return row ? toAlert(row) : null;
    },
    list(projectId, insightId, page) {
      const matching = all()
        .where('projectId', '=', projectId)
        .$if(insightId !== undefined, (q) => q.where('insightId', '=', insightId ?? 0));
      return paged(matching.orderBy('createdAt', 'desc').orderBy('id'), page, toAlert);
    },
    async listByProject(projectId) {
      return (await all().where('projectId', '=', projectId).execute()).map(toAlert);
    },
    async listDue(now) {
      const rows = await all()
        .where('enabled', '=', 1)
        .where('nextCheckAt', '<=', now)
        .orderBy('nextCheckAt')
        .orderBy('id')
        .execute();
      return rows.map(toAlert);
    },
    async listEnabled() {
      return (await all().where('enabled', '=', 1).execute()).map(toAlert);
    },
    async update(alert) {
      await db.updateTable('alerts').set(toColumns(alert)).where('id', '=', alert.id).execute();
    },
    async delete(id) {
      await db.deleteFrom('alertChecks').where('alertId', '=', id).execute();
      await db.deleteFrom('alerts').where('id', '=', id).execute();
    },
    async createCheck({ details, ...check }) {
      const row = await db
        .insertInto('alertChecks')
        .values({ ...check, details: JSON.stringify(details) })
        .onConflict((conflict) => conflict.columns(['alertId', 'slot']).doNothing())
        .returning('id')
        .executeTakeFirst();
      return row !== undefined;
    },
    listChecks(alertId, page) {
      const checks = db.selectFrom('alertChecks').selectAll().where('alertId', '=', alertId);
      return paged(checks.orderBy('slot', 'desc'), page, toCheck);
    },
    async listFirings(projectId, { after, before }, limit) {
      const checks = db
        .selectFrom('alertChecks')
        .innerJoin('alerts', 'alerts.id', 'alertChecks.alertId')
        .select(['alertId', 'name', 'insightId', 'slot', 'details'])
        .select(sql<string | null>`lag(details) over (partition by alert_id order by slot)`.as('earlier'))
        .where('alerts.projectId', '=', projectId)
        .$if(after !== undefined, (q) => q.where('slot', '>=', after ?? 0))
        .$if(before !== undefined, (q) => q.where('slot', '<=', before ?? 0));
      const rows = await db
        .selectFrom(checks.as('checks'))
        .select(['alertId', 'name', 'insightId', 'slot'])
        .where('details', 'like', FIRING)
        .where((eb) => eb.or([eb('earlier', 'is', null), eb('earlier', 'not like', FIRING)]))
        .orderBy('slot', 'desc')
        .limit(limit)
        .execute();
      return rows.map(({ insightId, slot, ...row }) => ({
        ...row,
        insightId: insightId === null ? null : Number(insightId),
        slot: Number(slot),
      }));
    },
    async deleteChecksBefore(time) {
      await db.deleteFrom('alertChecks').where('createdAt', '<', time).execute();
    },
  };
}
