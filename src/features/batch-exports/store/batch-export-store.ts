/** Scheduled exports, their runs and files, and the events that came too late for the file of their time. */
import type { Insertable, Selectable } from 'kysely';
import type { JsonObject } from '../../../core/json/json.ts';
import type { MirrorPosition } from '../../../stores/events/person-mirror.ts';
import type { Page, Paged } from '../../../stores/metadata/page.ts';
import { parseStoredJson } from '../../../stores/sql/json-text.ts';
import { paged } from '../../../stores/sql/paging.ts';
import { type Sql, type Tables, toBit } from '../../../stores/sql/tables.ts';
import { unpackUuids } from '../../../stores/sql/uuid-list.ts';
import type { ExportDestination, ExportModel } from '../rules/export-destination.ts';
import type { ExportInterval } from '../rules/export-interval.ts';

declare module '../../../stores/metadata/metadata-store.ts' {
  interface FeatureStores {
    readonly batchExports: BatchExportStore;
  }
}

declare module '../../../stores/sql/tables.ts' {
  interface Tables {
    batchExportRuns: Omit<ExportRun, 'fromPosition' | 'upload'> & {
      fromPosition: string | null;
      upload: string | null;
    };
    batchExportParts: ExportPart & { runId: string; projectId: number; exportId: string };
    batchExportBackfills: ExportBackfill;
  }
}

export interface BatchExport {
  id: string;
  projectId: number;
  name: string;
  model: ExportModel;
  /** Credentials are encrypted. */
  destination: ExportDestination;
  interval: ExportInterval;
  /** As they were sent; read anew for each run. */
  filters: JsonObject;
  paused: boolean;
  /** Why the server has paused it. */
  pausedReason: string | null;
  startAt: number | null;
  endAt: number | null;
  /** The start of the next scheduled run. What was received before and is stored from now on is late. */
  exportedUntil: number;
  /** Of persons: up to which change they are exported. */
  personPosition: MirrorPosition | null;
  createdAt: number;
  createdBy: number | null;
  updatedAt: number;
}

/** PostHog's names. */
type RunStatus = 'Starting' | 'Running' | 'FailedRetryable' | 'Completed' | 'Failed' | 'Cancelled';
const UNFINISHED: readonly RunStatus[] = ['Starting', 'Running', 'FailedRetryable'];

export interface ExportRun {
  id: string;
  projectId: number;
  exportId: string;
  startAt: number;
  endAt: number;
  status: RunStatus;
  /** When its interval was taken: what was accepted before has to be stored before it is read. */
  claimedAt: number;
  /** Since it last succeeded or was asked for. */
  attempts: number;
  failingSince: number | null;
  retryAt: number | null;
  error: string | null;
  records: number;
  bytes: number;
  /** How many files it had before it was repeated. */
  earlierParts: number;
  /** Of persons: after which change it begins. */
  fromPosition: MirrorPosition | null;
  /** The name of its manifest, once it is complete. */
  manifest: string | null;
  /** An upload that was begun, to be ended after a crash. */
  upload: StartedUpload | null;
  createdAt: number;
  finishedAt: number | null;
  updatedAt: number;
}

export interface StartedUpload {
  name: string;
  uploadId: string;
}

export interface ExportPart {
  number: number;
  name: string;
  records: number;
  bytes: number;
  sha256: string;
  /** Where the next part begins; JSON of the model's reader. */
  position: string;
}

export interface ExportBackfill {
  id: string;
  projectId: number;
  exportId: string;
  startAt: number;
  endAt: number;
  nextStart: number;
  createdAt: number;
  createdBy: number | null;
  finishedAt: number | null;
}

export interface LateRow {
  id: number;
  uuids: string[];
  firstTimestamp: number;
  lastTimestamp: number;
}

interface Range {
  from: number;
  until: number;
}

interface BatchExportStore {
  create(batchExport: BatchExport): Promise<void>;
  get(projectId: number, id: string): Promise<BatchExport | null>;
  /** Newest first. */
  list(projectId: number, page: Page): Promise<Paged<BatchExport>>;
  listAll(projectId: number): Promise<BatchExport[]>;
  /** Of all projects: those that are not paused. */
  listActive(): Promise<BatchExport[]>;
  update(batchExport: BatchExport): Promise<void>;
  delete(id: string): Promise<void>;

  /** A new run, or an earlier one of the same interval that is repeated. */
  saveRun(run: ExportRun): Promise<void>;
  getRun(exportId: string, id: string): Promise<ExportRun | null>;
  /** The run whose interval has this time. */
  getRunAt(exportId: string, time: number): Promise<ExportRun | null>;
  /** When the first run after a time begins. */
  getNextStart(exportId: string, after: number): Promise<number | null>;
  /** The newest interval first. */
  listRuns(exportId: string, page: Page): Promise<Paged<ExportRun>>;
  /** Of an interval that has some time of the range, with at least one file; the earliest first. */
  listRunsWithFiles(exportId: string, range: Range): Promise<ExportRun[]>;
  /** Of all exports, the earliest interval first. */
  listUnfinishedRuns(): Promise<ExportRun[]>;
  countRuns(): Promise<{ status: RunStatus; runs: number; records: number }[]>;

  createPart(run: ExportRun, part: ExportPart): Promise<void>;
  listParts(runId: string): Promise<ExportPart[]>;
  deleteParts(runId: string): Promise<void>;

  createBackfill(backfill: ExportBackfill): Promise<void>;
  updateBackfill(backfill: ExportBackfill): Promise<void>;
  listBackfills(exportId: string, page: Page): Promise<Paged<ExportBackfill>>;
  /** Of all exports, the earliest first. */
  listUnfinishedBackfills(): Promise<ExportBackfill[]>;

  /** The events that came too late for their own file and are in no other yet. */
  assignLate(exportId: string, runId: string): Promise<void>;
  /** Those of a run, after a row: about this many events, at least one row where there is one. */
  listLate(runId: string, exportId: string, after: number, events: number): Promise<LateRow[]>;
  /** Of all runs, those that were received in this time. */
  listLateReceived(exportId: string, range: Range): Promise<(LateRow & { runId: string | null })[]>;
  countLateReceived(exportId: string, range: Range): Promise<number>;
}

const json = <T>(text: string | null): T | null => (text === null ? null : (parseStoredJson(text) as T));
const text = (value: unknown): string | null => (value === null ? null : JSON.stringify(value));
const number = (value: unknown): number | null => (value === null ? null : Number(value));

const toExport = (row: Selectable<Tables['batchExports']>): BatchExport => ({
  ...row,
  projectId: Number(row.projectId),
  model: row.model as ExportModel,
  interval: row.interval as ExportInterval,
  destination: parseStoredJson(row.destination) as unknown as ExportDestination,
  filters: parseStoredJson(row.filters) as JsonObject,
  paused: row.paused === 1,
  startAt: number(row.startAt),
  endAt: number(row.endAt),
  exportedUntil: Number(row.exportedUntil),
  personPosition: json<MirrorPosition>(row.personPosition),
  createdAt: Number(row.createdAt),
  createdBy: number(row.createdBy),
  updatedAt: Number(row.updatedAt),
});

const exportColumns = (one: BatchExport): Insertable<Tables['batchExports']> => ({
  ...one,
  destination: JSON.stringify(one.destination),
  filters: JSON.stringify(one.filters),
  paused: toBit(one.paused),
  personPosition: text(one.personPosition),
});

const toRun = (row: Selectable<Tables['batchExportRuns']>): ExportRun => ({
  ...row,
  projectId: Number(row.projectId),
  startAt: Number(row.startAt),
  endAt: Number(row.endAt),
  claimedAt: Number(row.claimedAt),
  failingSince: number(row.failingSince),
  retryAt: number(row.retryAt),
  records: Number(row.records),
  bytes: Number(row.bytes),
  fromPosition: json<MirrorPosition>(row.fromPosition),
  upload: json<StartedUpload>(row.upload),
  createdAt: Number(row.createdAt),
  finishedAt: number(row.finishedAt),
  updatedAt: Number(row.updatedAt),
});

const runColumns = (run: ExportRun): Insertable<Tables['batchExportRuns']> => ({
  ...run,
  fromPosition: text(run.fromPosition),
  upload: text(run.upload),
});

const toBackfill = (row: Selectable<Tables['batchExportBackfills']>): ExportBackfill => ({
  ...row,
  projectId: Number(row.projectId),
  startAt: Number(row.startAt),
  endAt: Number(row.endAt),
  nextStart: Number(row.nextStart),
  createdAt: Number(row.createdAt),
  createdBy: number(row.createdBy),
  finishedAt: number(row.finishedAt),
});

const toLate = (row: Selectable<Tables['lateExportEvents']>) => ({
  id: Number(row.id),
  runId: row.runId,
  uuids: unpackUuids(row.uuids),
  firstTimestamp: Number(row.firstTimestamp),
  lastTimestamp: Number(row.lastTimestamp),
});

const OWN_TABLES = ['lateExportEvents', 'batchExportParts', 'batchExportBackfills', 'batchExportRuns'] as const;

export function batchExportStore({ db }: Sql): BatchExportStore {
  return { ...exports({ db }), ...runs({ db }), ...backfills({ db }), ...lateEvents({ db }) };
}

const exports = ({ db }: Pick<Sql, 'db'>) => {
  const all = () => db.selectFrom('batchExports').selectAll();
  return {
    async create(one) {
      await db.insertInto('batchExports').values(exportColumns(one)).execute();
    },
    async get(projectId, id) {
      const row = await all().where('projectId', '=', projectId).where('id', '=', id).executeTakeFirst();
      return row ? toExport(row) : null;
    },
    list(projectId, page) {
      const rows = all().where('projectId', '=', projectId).orderBy('createdAt', 'desc').orderBy('id');
      return paged(rows, page, toExport);
    },
    async listAll(projectId) {
      return (await all().where('projectId', '=', projectId).orderBy('id').execute()).map(toExport);
    },
    async listActive() {
      return (await all().where('paused', '=', 0).orderBy('id').execute()).map(toExport);
    },
    async update(one) {
      await db.updateTable('batchExports').set(exportColumns(one)).where('id', '=', one.id).execute();
    },
    async delete(id) {
      for (const table of OWN_TABLES) await db.deleteFrom(table).where('exportId', '=', id).execute();
      await db.deleteFrom('batchExports').where('id', '=', id).execute();
    },
  } satisfies Partial<BatchExportStore>;
};

const runs = ({ db }: Pick<Sql, 'db'>) => {
  const all = () => db.selectFrom('batchExportRuns').selectAll();
  return {
    async saveRun(run) {
      const columns = runColumns(run);
      await db
        .insertInto('batchExportRuns')
        .values(columns)
        .onConflict((conflict) => conflict.column('id').doUpdateSet(columns))
        .execute();
    },
    async getRun(exportId, id) {
      const row = await all().where('exportId', '=', exportId).where('id', '=', id).executeTakeFirst();
      return row ? toRun(row) : null;
    },
    async getRunAt(exportId, time) {
      const row = await all()
        .where('exportId', '=', exportId)
        .where('startAt', '<=', time)
        .where('endAt', '>', time)
        .executeTakeFirst();
      return row ? toRun(row) : null;
    },
    async getNextStart(exportId, after) {
      const row = await db
        .selectFrom('batchExportRuns')
        .select((eb) => eb.fn.min('startAt').as('start'))
        .where('exportId', '=', exportId)
        .where('startAt', '>', after)
        .executeTakeFirst();
      return number(row?.start ?? null);
    },
    listRuns: (exportId, page) => paged(all().where('exportId', '=', exportId).orderBy('startAt', 'desc'), page, toRun),
    async listRunsWithFiles(exportId, { from, until }) {
      const rows = await all()
        .where('exportId', '=', exportId)
        .where('endAt', '>', from)
        .where('startAt', '<', until)
        .where((eb) =>
          eb.or([
            eb('earlierParts', '>', 0),
            eb.exists(
              eb
                .selectFrom('batchExportParts')
                .select('batchExportParts.number')
                .whereRef('batchExportParts.runId', '=', 'batchExportRuns.id'),
            ),
          ]),
        )
        .orderBy('startAt')
        .execute();
      return rows.map(toRun);
    },
    async listUnfinishedRuns() {
      return (await all().where('status', 'in', UNFINISHED).orderBy('startAt').execute()).map(toRun);
    },
    async countRuns() {
      const rows = await db
        .selectFrom('batchExportRuns')
        .select((eb) => ['status', eb.fn.countAll().as('runs'), eb.fn.sum('records').as('records')])
        .groupBy('status')
        .execute();
      return rows.map(({ status, runs: count, records }) => ({
        status,
        runs: Number(count),
        records: Number(records),
      }));
    },
    async createPart({ id: runId, projectId, exportId }, part) {
      await db
        .insertInto('batchExportParts')
        .values({ ...part, runId, projectId, exportId })
        .execute();
    },
    async listParts(runId) {
      const rows = await db
        .selectFrom('batchExportParts')
        .select(['number', 'name', 'records', 'bytes', 'sha256', 'position'])
        .where('runId', '=', runId)
        .orderBy('number')
        .execute();
      return rows.map((row) => ({ ...row, records: Number(row.records), bytes: Number(row.bytes) }));
    },
    async deleteParts(runId) {
      await db.deleteFrom('batchExportParts').where('runId', '=', runId).execute();
    },
  } satisfies Partial<BatchExportStore>;
};

const backfills = ({ db }: Pick<Sql, 'db'>) => {
  const all = () => db.selectFrom('batchExportBackfills').selectAll();
  return {
    async createBackfill(backfill) {
      await db.insertInto('batchExportBackfills').values(backfill).execute();
    },
    async updateBackfill(backfill) {
      await db.updateTable('batchExportBackfills').set(backfill).where('id', '=', backfill.id).execute();
    },
    listBackfills: (exportId, page) =>
      paged(all().where('exportId', '=', exportId).orderBy('createdAt', 'desc').orderBy('id'), page, toBackfill),
    async listUnfinishedBackfills() {
      const rows = await all().where('finishedAt', 'is', null).orderBy('createdAt').orderBy('id').execute();
      return rows.map(toBackfill);
    },
  } satisfies Partial<BatchExportStore>;
};

/** In one page of rows. */
const MAX_LATE_ROWS = 100;

const lateEvents = ({ db }: Pick<Sql, 'db'>) => {
  const received = (exportId: string, { from, until }: Range) =>
    db
      .selectFrom('lateExportEvents')
      .where('exportId', '=', exportId)
      .where('lastCreated', '>=', from)
      .where('firstCreated', '<', until);
  return {
    async assignLate(exportId, runId) {
      await db
        .updateTable('lateExportEvents')
        .set({ runId })
        .where('exportId', '=', exportId)
        .where('runId', 'is', null)
        .execute();
    },
    async listLate(runId, exportId, after, events) {
      const rows = await db
        .selectFrom('lateExportEvents')
        .selectAll()
        .where('exportId', '=', exportId)
        .where('runId', '=', runId)
        .where('id', '>', after)
        .orderBy('id')
        .limit(MAX_LATE_ROWS)
        .execute();
      let sum = 0;
      const taken = rows.filter((row) => {
        const isTaken = sum === 0 || sum + row.events <= events;
        sum += row.events;
        return isTaken;
      });
      return taken.map(toLate);
    },
    async listLateReceived(exportId, range) {
      return (await received(exportId, range).selectAll().orderBy('id').execute()).map(toLate);
    },
    async countLateReceived(exportId, range) {
      const row = await received(exportId, range)
        .select((eb) => eb.fn.countAll().as('count'))
        .executeTakeFirst();
      return Number(row?.count ?? 0);
    },
  } satisfies Partial<BatchExportStore>;
};
