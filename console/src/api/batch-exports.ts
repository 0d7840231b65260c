/** Files of events, persons and sessions on schedule. */
import type { Static } from '@sinclair/typebox';
import type {
  BackfillCreateSchema,
  BackfillSchema,
  BatchExportChangeSchema,
  BatchExportCreateSchema,
  BatchExportSchema,
  ExportRunDetailSchema,
  ExportRunSchema,
} from '../../../src/features/batch-exports/api/batch-export-schemas.ts';
import { get, type Paged, patch, post, projectPath, type Query, remove } from './request.ts';

export type BatchExport = Static<typeof BatchExportSchema>;
export type BatchExportWrite = Static<typeof BatchExportCreateSchema>;
export type ExportRun = Static<typeof ExportRunSchema>;
export type ExportRunDetail = Static<typeof ExportRunDetailSchema>;
export type ExportFile = ExportRunDetail['files'][number];
export type Backfill = Static<typeof BackfillSchema>;

const path = (projectId: number, ...parts: string[]): string => projectPath(projectId, 'batch_exports', ...parts);

export const listBatchExports = (projectId: number, query: Query, signal?: AbortSignal): Promise<Paged<BatchExport>> =>
  get<Paged<BatchExport>>(path(projectId), query, signal);
export const getBatchExport = (projectId: number, id: string, signal?: AbortSignal): Promise<BatchExport> =>
  get<BatchExport>(path(projectId, id), {}, signal);
export const createBatchExport = (projectId: number, body: BatchExportWrite): Promise<BatchExport> =>
  post<BatchExport>(path(projectId), body);
export const updateBatchExport = (
  projectId: number,
  id: string,
  body: Static<typeof BatchExportChangeSchema>,
): Promise<BatchExport> => patch<BatchExport>(path(projectId, id), body);
export const deleteBatchExport = (projectId: number, id: string): Promise<unknown> => remove(path(projectId, id));
export const pauseBatchExport = (projectId: number, id: string, isPaused: boolean): Promise<BatchExport> =>
  post<BatchExport>(path(projectId, id, isPaused ? 'pause' : 'unpause'), {});

export const listRuns = (
  projectId: number,
  id: string,
  query: Query,
  signal?: AbortSignal,
): Promise<Paged<ExportRun>> => get<Paged<ExportRun>>(path(projectId, id, 'runs'), query, signal);
export const getRun = (projectId: number, id: string, run: string, signal?: AbortSignal): Promise<ExportRunDetail> =>
  get<ExportRunDetail>(path(projectId, id, 'runs', run), {}, signal);
export const retryRun = (projectId: number, id: string, run: string): Promise<ExportRun> =>
  post<ExportRun>(path(projectId, id, 'runs', run, 'retry'), {});

export const listBackfills = (
  projectId: number,
  id: string,
  query: Query,
  signal?: AbortSignal,
): Promise<Paged<Backfill>> => get<Paged<Backfill>>(path(projectId, id, 'backfills'), query, signal);
export const createBackfill = (
  projectId: number,
  id: string,
  body: Static<typeof BackfillCreateSchema>,
): Promise<Backfill> => post<Backfill>(path(projectId, id, 'backfills'), body);
