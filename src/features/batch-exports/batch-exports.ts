/** Creates and changes exports, and records who did. Only admins: they decide where a project's data goes. */
import type { Caller } from '../../access/callers.ts';
import { type ActivityEntry, changesBetween, recordActivity } from '../../access/record-activity.ts';
import { invalid, notFound } from '../../core/errors.ts';
import type { Json, JsonObject } from '../../core/json/json.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Ids } from '../../lib/ids.ts';
import type { SecretKey } from '../../lib/secret-key.ts';
import { createZstd } from '../../lib/zstd.ts';
import type { Project } from '../../stores/metadata/accounts.ts';
import type { MetadataStore } from '../../stores/metadata/metadata-store.ts';
import { requireWebhookAddress } from '../deliveries/webhook-address.ts';
import { checkFilters } from '../destinations/read-destination-filters.ts';
import {
  type ExportDestination,
  type ExportModel,
  exportPlace,
  NO_ZSTD,
  presentDestination,
  readDestination,
  storeServer,
} from './rules/export-destination.ts';
import { countIntervals, type ExportInterval, intervalStart } from './rules/export-interval.ts';
import { runAgain } from './rules/run-again.ts';
import type { BatchExport, ExportBackfill, ExportRun } from './store/batch-export-store.ts';
import { NO_EXPORT_DIR, sealCredentials, type TargetSettings } from './targets/open-target.ts';

export interface BatchExportDeps {
  metadata: MetadataStore;
  clock: Clock;
  ids: Ids;
  secretKey(): SecretKey | null;
  config: TargetSettings;
}

/** As they were sent; only what is given changes. */
export interface BatchExportChanges {
  name?: string;
  model?: ExportModel;
  destination?: Json;
  interval?: ExportInterval;
  filters?: Json;
  paused?: boolean;
  startAt?: number | null;
  endAt?: number | null;
}

const SCOPE = 'BatchExport';
const MAX_EXPORTS = 50;
const MAX_BACKFILL_RUNS = 10_000;

export async function createBatchExport(
  deps: BatchExportDeps,
  caller: Caller,
  project: Project,
  changes: BatchExportChanges,
): Promise<BatchExport> {
  const now = deps.clock.now();
  const id = deps.ids.uuid();
  const model = changes.model ?? 'events';
  const interval = changes.interval ?? 'hour';
  const created: BatchExport = {
    id,
    projectId: project.id,
    name: changes.name ?? 'Export',
    model,
    destination: checkedDestination(deps, id, changes.destination, null),
    interval,
    filters: await readFilters(deps, project, model, changes.filters),
    paused: changes.paused ?? false,
    pausedReason: null,
    startAt: changes.startAt ?? null,
    endAt: changes.endAt ?? null,
    exportedUntil: intervalStart(interval, now),
    personPosition: null,
    createdAt: now,
    createdBy: caller.user.id,
    updatedAt: now,
  };
  requireOrder(created);
  await deps.metadata.transaction(async (store) => {
    const others = await store.batchExports.listAll(project.id);
    if (others.length >= MAX_EXPORTS)
      throw invalid(undefined, `A project has at most ${MAX_EXPORTS} exports. Delete one.`, 'limit_reached');
    requireOwnPlace(created, others);
    await store.batchExports.create(created);
    await recordActivity(deps, store, { ...about(caller, project, created), activity: 'created', changes: null });
  });
  return created;
}

export async function updateBatchExport(
  deps: BatchExportDeps,
  caller: Caller,
  project: Project,
  id: string,
  changes: BatchExportChanges,
): Promise<BatchExport> {
  const now = deps.clock.now();
  const known = await getBatchExport(deps.metadata, project, id);
  if (changes.model !== undefined && changes.model !== known.model)
    throw invalid('model', 'The model of an export cannot be changed. Create another export.');
  const filters = changes.filters === undefined ? null : await readFilters(deps, project, known.model, changes.filters);
  return deps.metadata.transaction(async (store) => {
    const before = await getBatchExport(store, project, id);
    const { name, interval, startAt, endAt, paused = before.paused } = changes;
    const after: BatchExport = {
      ...before,
      name: name ?? before.name,
      interval: interval ?? before.interval,
      startAt: startAt === undefined ? before.startAt : startAt,
      endAt: endAt === undefined ? before.endAt : endAt,
      filters: filters ?? before.filters,
      destination: checkedDestination(deps, id, changes.destination, before.destination),
      paused,
      pausedReason: paused ? before.pausedReason : null,
      updatedAt: now,
    };
    requireOrder(after);
    requireOwnPlace(after, await store.batchExports.listAll(project.id));
    await store.batchExports.update(after);
    // What it was paused for is tried again.
    if (before.paused && !paused) await retryFailed(store, after, now);
    const differences = changesBetween(SCOPE, visible(before), visible(after));
    await recordActivity(deps, store, {
      ...about(caller, project, after),
      activity: 'updated',
      changes: differences,
    });
    return after;
  });
}

/** The files that it has made stay where they are. */
export function deleteBatchExport(deps: BatchExportDeps, caller: Caller, project: Project, id: string): Promise<void> {
  return deps.metadata.transaction(async (store) => {
    const before = await getBatchExport(store, project, id);
    await store.batchExports.delete(id);
    await recordActivity(deps, store, { ...about(caller, project, before), activity: 'deleted', changes: null });
  });
}

export async function getBatchExport(
  store: MetadataStore,
  project: Pick<Project, 'id'>,
  id: string,
): Promise<BatchExport> {
  const found = await store.batchExports.get(project.id, id);
  if (!found) throw notFound();
  return found;
}

/** A complete run is repeated from the start; one that failed goes on behind its last file. */
export function retryRun(
  deps: BatchExportDeps,
  caller: Caller,
  project: Project,
  id: string,
  runId: string,
): Promise<ExportRun> {
  return deps.metadata.transaction(async (store) => {
    const batchExport = await getBatchExport(store, project, id);
    const run = await store.batchExports.getRun(id, runId);
    if (!run) throw notFound();
    if (run.status === 'Starting' || run.status === 'Running') return run;
    const again = runAgain(run, deps.clock.now());
    if (run.status === 'Completed') await store.batchExports.deleteParts(run.id);
    await store.batchExports.saveRun(again);
    await recordActivity(deps, store, {
      ...about(caller, project, batchExport),
      activity: 'retried',
      changes: null,
    });
    return again;
  });
}

interface WantedBackfill {
  startAt: number | null;
  endAt: number | null;
}

/** Exports an earlier time, whole intervals of it, up to where the schedule begins. */
export function createBackfill(
  deps: BatchExportDeps,
  caller: Caller,
  project: Project,
  id: string,
  { startAt, endAt }: WantedBackfill,
): Promise<ExportBackfill> {
  return deps.metadata.transaction(async (store) => {
    const batchExport = await getBatchExport(store, project, id);
    const { model, interval, exportedUntil } = batchExport;
    if (model === 'persons')
      throw invalid(
        undefined,
        'An export of persons begins with all of them, so there is nothing to backfill. Create another export to get all of them again.',
        'unsupported',
      );
    if (startAt === null) throw invalid('start_at', 'start_at is the time to export from.', 'required');
    const until = Math.min(endAt ?? exportedUntil, exportedUntil);
    const from = intervalStart(interval, startAt);
    if (endAt !== null && endAt <= startAt) throw invalid('end_at', 'end_at is later than start_at.');
    if (from >= until)
      throw invalid(
        'start_at',
        `Everything received from ${new Date(exportedUntil).toISOString()} on is exported on schedule.`,
      );
    const runs = countIntervals(interval, from, until);
    if (runs > MAX_BACKFILL_RUNS)
      throw invalid(
        'start_at',
        `This would be ${runs} runs; a backfill has at most ${MAX_BACKFILL_RUNS}. Take a shorter time, or a longer interval.`,
      );
    const now = deps.clock.now();
    const backfill: ExportBackfill = {
      id: deps.ids.uuid(),
      projectId: project.id,
      exportId: id,
      startAt: from,
      endAt: until,
      nextStart: from,
      createdAt: now,
      createdBy: caller.user.id,
      finishedAt: null,
    };
    await store.batchExports.createBackfill(backfill);
    await recordActivity(deps, store, {
      ...about(caller, project, batchExport),
      activity: 'backfilled',
      changes: null,
    });
    return backfill;
  });
}

async function retryFailed({ batchExports }: MetadataStore, { id }: BatchExport, now: number): Promise<void> {
  const { items } = await batchExports.listRuns(id, { limit: 1000, offset: 0 });
  for (const run of items) if (run.status === 'Failed') await batchExports.saveRun(runAgain(run, now));
}

function checkedDestination(
  { config, secretKey }: BatchExportDeps,
  id: string,
  given: Json | undefined,
  before: ExportDestination | null,
): ExportDestination {
  const read = readDestination(given, before);
  if (read.fileFormat === 'JSONLines' && read.compression === 'zstd' && createZstd === null)
    throw invalid('destination', NO_ZSTD, 'unsupported');
  if (read.type === 'Folder' && config.exportDir === null) throw invalid('destination', NO_EXPORT_DIR, 'unsupported');
  if (read.type === 'S3') {
    if (read.endpoint !== null)
      requireWebhookAddress(read.endpoint, 'destination', config.exportAllowPrivate, 'EXPORT_ALLOW_PRIVATE');
    const isMoved = before?.type === 'S3' && storeServer(before) !== storeServer(read);
    if (isMoved && (read.accessKeyId === before.accessKeyId || read.secretAccessKey === before.secretAccessKey))
      throw invalid('destination', 'Enter the credentials again: they are for another server now.', 'required');
  }
  return sealCredentials(secretKey(), id, read, before);
}

async function readFilters(
  { metadata, clock }: BatchExportDeps,
  project: Project,
  model: ExportModel,
  given: Json | undefined,
): Promise<JsonObject> {
  // PostHog has a list of properties here.
  const filters = Array.isArray(given) ? { properties: given } : given;
  const read = await checkFilters(metadata, project, filters, clock.now());
  const isEmpty = Object.values(read).every((value) => value === false || (Array.isArray(value) && value.length === 0));
  if (model !== 'events' && !isEmpty)
    throw invalid('filters', `Only exports of events have filters, not those of ${model}.`, 'unsupported');
  return read;
}

function requireOrder({ startAt, endAt }: BatchExport): void {
  if (startAt !== null && endAt !== null && endAt <= startAt) throw invalid('end_at', 'end_at is later than start_at.');
}

function requireOwnPlace(one: BatchExport, others: readonly BatchExport[]): void {
  const place = exportPlace(one.destination, one.model);
  const same = others.find(({ id, destination, model }) => id !== one.id && exportPlace(destination, model) === place);
  if (same)
    throw invalid(
      'destination',
      `The export "${same.name}" has the same prefix, so they would overwrite each other's files. Choose another prefix.`,
    );
}

const time = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());

/** For the activity log: without credentials. */
const visible = (one: BatchExport): Record<string, Json> => ({
  name: one.name,
  destination: presentDestination(one.destination),
  interval: one.interval,
  filters: one.filters,
  paused: one.paused,
  start_at: time(one.startAt),
  end_at: time(one.endAt),
});

const about = (caller: Caller, project: Project, { id, name }: BatchExport) =>
  ({
    organizationId: project.organizationId,
    projectId: project.id,
    userId: caller.user.id,
    scope: SCOPE,
    itemId: id,
    name,
  }) satisfies Partial<ActivityEntry>;
