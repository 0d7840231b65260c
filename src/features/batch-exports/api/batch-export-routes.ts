/** PostHog's `batch_exports`: scheduled files of events, persons and sessions. */
import type { Static } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import { invalid, notFound } from '../../../core/errors.ts';
import type { Json } from '../../../core/json/json.ts';
import { projectRoute } from '../../../http/api/route.ts';
import { envelope, readPage } from '../../../http/paging.ts';
import { readTimeField } from '../../../http/read-time.ts';
import { PAGE_QUERY, pageSchema } from '../../../http/schemas/common.ts';
import { ADMIN } from '../../../stores/metadata/accounts.ts';
import {
  type BatchExportChanges,
  createBackfill,
  createBatchExport,
  deleteBatchExport,
  getBatchExport,
  retryRun,
  updateBatchExport,
} from '../batch-exports.ts';
import {
  BackfillCreateSchema,
  BackfillSchema,
  BatchExportChangeSchema,
  BatchExportCreateSchema,
  BatchExportSchema,
  ExportRunDetailSchema,
  ExportRunSchema,
} from './batch-export-schemas.ts';
import type { BatchExportApiDeps } from './deps.ts';
import { presentBackfill, presentBatchExports, presentRun, presentRunDetail } from './present-batch-exports.ts';

const ALL = { url: '/api/projects/:project_id/batch_exports/', tag: 'batch_exports', scope: 'batch_export' } as const;
const ONE = { ...ALL, url: `${ALL.url}:id/` } as const;
const RUNS = { ...ALL, url: `${ONE.url}runs/` } as const;
const ONE_RUN = { ...ALL, url: `${RUNS.url}:run_id/` } as const;
const BACKFILLS = { ...ALL, url: `${ONE.url}backfills/` } as const;
const CHANGE = { level: ADMIN } as const;
/** What the event stores can hold. */
const END_OF_TIME = Date.UTC(9999, 11, 31);

type Body = Static<typeof BatchExportChangeSchema>;

function readTime(attr: string, text: string | null): number | null {
  if (text === null) return null;
  const time = readTimeField(attr, text);
  if (time < 0 || time > END_OF_TIME) throw invalid(attr, `${attr} is a time from 1970 to 9999.`);
  return time;
}

function readChanges({ name, model, interval, paused, filters, destination, start_at, end_at }: Body) {
  const changes: BatchExportChanges = {
    ...(name === undefined ? {} : { name }),
    ...(model === undefined ? {} : { model }),
    ...(interval === undefined ? {} : { interval }),
    ...(paused === undefined ? {} : { paused }),
    ...(filters === undefined ? {} : { filters: filters as Json }),
    ...(destination === undefined ? {} : { destination: destination as Json }),
    ...(start_at === undefined ? {} : { startAt: readTime('start_at', start_at) }),
    ...(end_at === undefined ? {} : { endAt: readTime('end_at', end_at) }),
  };
  return changes;
}

const idOf = (params: Readonly<Record<string, string>>): string => params['id'] ?? '';

export function batchExportRoutes(app: FastifyInstance, deps: BatchExportApiDeps): void {
  listAndCreate(app, deps);
  oneExport(app, deps);
  pauses(app, deps);
  runs(app, deps);
  backfills(app, deps);
}

function listAndCreate(app: FastifyInstance, deps: BatchExportApiDeps): void {
  const { metadata } = deps;
  projectRoute(app, deps, {
    ...ALL,
    method: 'GET',
    summary: 'Scheduled exports, the newest first',
    query: PAGE_QUERY,
    response: pageSchema(BatchExportSchema),
    handler: async ({ project, query, url }) => {
      const page = readPage(query);
      const { count, items } = await metadata.batchExports.list(project.id, page);
      return envelope(url, page, { count, items: await presentBatchExports(metadata, items) }, (item) => item);
    },
  });
  projectRoute(app, deps, {
    ...ALL,
    ...CHANGE,
    method: 'POST',
    summary: 'Export events, persons or sessions to files on schedule',
    body: BatchExportCreateSchema,
    status: 201,
    response: BatchExportSchema,
    handler: async ({ caller, project, body }) => {
      const created = await createBatchExport(deps, caller, project, readChanges(body));
      return (await presentBatchExports(metadata, [created]))[0];
    },
  });
}

function oneExport(app: FastifyInstance, deps: BatchExportApiDeps): void {
  const { metadata } = deps;
  projectRoute(app, deps, {
    ...ONE,
    method: 'GET',
    summary: 'One export',
    response: BatchExportSchema,
    handler: async ({ project, params }) => {
      const found = await getBatchExport(metadata, project, idOf(params));
      return (await presentBatchExports(metadata, [found]))[0];
    },
  });
  projectRoute(app, deps, {
    ...ONE,
    ...CHANGE,
    method: 'PATCH',
    summary: 'Change an export; files that are there stay as they are',
    body: BatchExportChangeSchema,
    response: BatchExportSchema,
    handler: async ({ caller, project, params, body }) => {
      const changed = await updateBatchExport(deps, caller, project, idOf(params), readChanges(body));
      return (await presentBatchExports(metadata, [changed]))[0];
    },
  });
  projectRoute(app, deps, {
    ...ONE,
    ...CHANGE,
    method: 'DELETE',
    summary: 'Delete an export, not its files',
    status: 204,
    handler: ({ caller, project, params }) => deleteBatchExport(deps, caller, project, idOf(params)),
  });
}

function pauses(app: FastifyInstance, deps: BatchExportApiDeps): void {
  const steps = [
    { step: 'pause', paused: true, summary: 'Begin no more runs' },
    { step: 'unpause', paused: false, summary: 'Go on where it stopped, and repeat what had failed' },
  ];
  for (const { step, paused, summary } of steps)
    projectRoute(app, deps, {
      ...ONE,
      ...CHANGE,
      url: `${ONE.url}${step}/`,
      method: 'POST',
      summary,
      response: BatchExportSchema,
      handler: async ({ caller, project, params }) => {
        const changed = await updateBatchExport(deps, caller, project, idOf(params), { paused });
        return (await presentBatchExports(deps.metadata, [changed]))[0];
      },
    });
}

function runs(app: FastifyInstance, deps: BatchExportApiDeps): void {
  const { metadata } = deps;
  projectRoute(app, deps, {
    ...RUNS,
    method: 'GET',
    summary: 'Runs of an export, the newest interval first',
    query: PAGE_QUERY,
    response: pageSchema(ExportRunSchema),
    handler: async ({ project, params, query, url }) => {
      const page = readPage(query);
      const { id } = await getBatchExport(metadata, project, idOf(params));
      return envelope(url, page, await metadata.batchExports.listRuns(id, page), presentRun);
    },
  });
  projectRoute(app, deps, {
    ...ONE_RUN,
    method: 'GET',
    summary: 'One run, with its files',
    response: ExportRunDetailSchema,
    handler: async ({ project, params }) => {
      const { id } = await getBatchExport(metadata, project, idOf(params));
      const run = await metadata.batchExports.getRun(id, params['run_id'] ?? '');
      if (!run) throw notFound();
      return presentRunDetail(run, await metadata.batchExports.listParts(run.id));
    },
  });
  projectRoute(app, deps, {
    ...ONE_RUN,
    ...CHANGE,
    url: `${ONE_RUN.url}retry/`,
    method: 'POST',
    summary: 'Repeat a run: the files get the same names',
    response: ExportRunSchema,
    handler: async ({ caller, project, params }) =>
      presentRun(await retryRun(deps, caller, project, idOf(params), params['run_id'] ?? '')),
  });
}

function backfills(app: FastifyInstance, deps: BatchExportApiDeps): void {
  const { metadata } = deps;
  projectRoute(app, deps, {
    ...BACKFILLS,
    method: 'GET',
    summary: 'Backfills of an export, the newest first',
    query: PAGE_QUERY,
    response: pageSchema(BackfillSchema),
    handler: async ({ project, params, query, url }) => {
      const page = readPage(query);
      const { id } = await getBatchExport(metadata, project, idOf(params));
      return envelope(url, page, await metadata.batchExports.listBackfills(id, page), presentBackfill);
    },
  });
  projectRoute(app, deps, {
    ...BACKFILLS,
    ...CHANGE,
    method: 'POST',
    summary: 'Export an earlier time, interval by interval',
    body: BackfillCreateSchema,
    status: 201,
    response: BackfillSchema,
    handler: async ({ caller, project, params, body }) => {
      const wanted = {
        startAt: readTime('start_at', body.start_at ?? null),
        endAt: readTime('end_at', body.end_at ?? null),
      };
      return presentBackfill(await createBackfill(deps, caller, project, idOf(params), wanted));
    },
  });
}
