/** Exports as the API returns them. */
import { usersById } from '../../../http/api/activity-list.ts';
import { iso, isoOrNull, presentUserOrNull } from '../../../http/schemas/common.ts';
import type { MetadataStore } from '../../../stores/metadata/metadata-store.ts';
import { presentDestination } from '../rules/export-destination.ts';
import type { BatchExport, ExportBackfill, ExportPart, ExportRun } from '../store/batch-export-store.ts';

const LATEST_RUNS = 10;

export async function presentBatchExports(store: MetadataStore, exports: readonly BatchExport[]) {
  const users = await usersById(
    store,
    exports.map(({ createdBy }) => createdBy),
  );
  return Promise.all(
    exports.map(async (one) => ({
      id: one.id,
      name: one.name,
      model: one.model,
      destination: presentDestination(one.destination),
      interval: one.interval,
      filters: one.filters,
      paused: one.paused,
      paused_reason: one.pausedReason,
      start_at: isoOrNull(one.startAt),
      end_at: isoOrNull(one.endAt),
      exported_until: iso(one.exportedUntil),
      latest_runs: (await store.batchExports.listRuns(one.id, { limit: LATEST_RUNS, offset: 0 })).items.map(presentRun),
      created_by: presentUserOrNull(users, one.createdBy),
      created_at: iso(one.createdAt),
      last_updated_at: iso(one.updatedAt),
    })),
  );
}

export const presentRun = (run: ExportRun) => ({
  id: run.id,
  batch_export: run.exportId,
  status: run.status,
  data_interval_start: iso(run.startAt),
  data_interval_end: iso(run.endAt),
  records_completed: run.records,
  bytes_exported: run.bytes,
  attempts: run.attempts,
  latest_error: run.error,
  retry_at: isoOrNull(run.retryAt),
  manifest: run.manifest,
  created_at: iso(run.createdAt),
  finished_at: isoOrNull(run.finishedAt),
  last_updated_at: iso(run.updatedAt),
});

export const presentRunDetail = (run: ExportRun, parts: readonly ExportPart[]) => ({
  ...presentRun(run),
  files: parts.map(({ name, records, bytes, sha256 }) => ({ name, records, bytes, sha256 })),
});

export const presentBackfill = (backfill: ExportBackfill) => ({
  id: backfill.id,
  batch_export: backfill.exportId,
  status: backfill.finishedAt === null ? 'Running' : 'Completed',
  start_at: iso(backfill.startAt),
  end_at: iso(backfill.endAt),
  progress: Math.min(1, (backfill.nextStart - backfill.startAt) / (backfill.endAt - backfill.startAt)),
  created_at: iso(backfill.createdAt),
  finished_at: isoOrNull(backfill.finishedAt),
});
