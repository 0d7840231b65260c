/** Metrics that are defined once and used by several experiments, in PostHog's shape. */
import type { FastifyInstance } from 'fastify';
import type { Caller } from '../../../access/callers.ts';
import { mayEdit } from '../../../access/resources.ts';
import { Failure, invalid } from '../../../core/errors.ts';
import type { Json, JsonObject } from '../../../core/json/json.ts';
import { usersById } from '../../../http/api/activity-list.ts';
import { projectRoute } from '../../../http/api/route.ts';
import { envelope, readPage } from '../../../http/paging.ts';
import { idFromPath } from '../../../http/path-ids.ts';
import { PAGE_QUERY, pageSchema } from '../../../http/schemas/common.ts';
import type { Project } from '../../../stores/metadata/accounts.ts';
import { questionContext } from '../../insights/api/insight-request.ts';
import { createSavedMetric, deleteSavedMetric, getSavedMetric, updateSavedMetric } from '../manage/saved-metrics.ts';
import { readMetrics } from '../rules/read-metrics.ts';
import type { SavedMetric } from '../store/saved-metric-store.ts';
import type { ExperimentApiDeps } from './deps.ts';
import {
  presentSavedMetric,
  SavedMetricChangeSchema,
  SavedMetricCreateSchema,
  SavedMetricSchema,
} from './saved-metric-schemas.ts';

const ALL = {
  url: '/api/projects/:project_id/experiment_saved_metrics/',
  tag: 'experiments',
  scope: 'experiment',
} as const;
const ONE = { ...ALL, url: `${ALL.url}:id/` } as const;
const EDITS = { edits: ['experiments'] } as const;

export function savedMetricRoutes(app: FastifyInstance, deps: ExperimentApiDeps): void {
  listAndCreate(app, deps);
  oneSavedMetric(app, deps);
}

async function presentAll(deps: ExperimentApiDeps, caller: Caller, project: Project, metrics: readonly SavedMetric[]) {
  const canEdit = await mayEdit(deps.metadata, caller, project.organizationId, 'experiments');
  const users = await usersById(
    deps.metadata,
    metrics.map(({ createdBy }) => createdBy),
  );
  return metrics.map((metric) => presentSavedMetric(metric, users, canEdit));
}

const presentOne = async (deps: ExperimentApiDeps, caller: Caller, project: Project, metric: SavedMetric) =>
  (await presentAll(deps, caller, project, [metric]))[0];

/** Refused as in an experiment; it keeps one uuid, whatever experiment uses it. */
async function readQuery(deps: ExperimentApiDeps, project: Project, given: JsonObject, known?: JsonObject) {
  const { uuid } = given;
  const query = {
    ...given,
    uuid: typeof uuid === 'string' && uuid !== '' ? uuid : (known?.['uuid'] ?? deps.ids.uuid()),
  };
  try {
    readMetrics({ metrics: [query] }, await questionContext(deps, project, {}));
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    throw invalid(String(error.attr ?? '').replace(/^metrics__0/, 'query') || 'query', error.message);
  }
  return query;
}

function listAndCreate(app: FastifyInstance, deps: ExperimentApiDeps): void {
  projectRoute(app, deps, {
    ...ALL,
    method: 'GET',
    summary: 'Saved metrics, newest first',
    query: PAGE_QUERY,
    response: pageSchema(SavedMetricSchema),
    handler: async ({ caller, project, query, url }) => {
      const page = readPage(query);
      const found = await deps.metadata.savedMetrics.listByProject(project.id);
      const items = await presentAll(deps, caller, project, found.slice(page.offset, page.offset + page.limit));
      return envelope(url, page, { count: found.length, items }, (item) => item);
    },
  });
  projectRoute(app, deps, {
    ...ALL,
    method: 'POST',
    ...EDITS,
    summary: 'Save a metric; experiments take it with `saved_metrics_ids`',
    body: SavedMetricCreateSchema,
    status: 201,
    response: SavedMetricSchema,
    handler: async ({ caller, project, body }) => {
      const query = await readQuery(deps, project, body.query as JsonObject);
      const fields = { name: body.name, description: body.description ?? '', query, tags: body.tags ?? [] };
      return presentOne(deps, caller, project, await createSavedMetric(deps, caller, project, fields));
    },
  });
}

function oneSavedMetric(app: FastifyInstance, deps: ExperimentApiDeps): void {
  projectRoute(app, deps, {
    ...ONE,
    method: 'GET',
    summary: 'One saved metric',
    response: SavedMetricSchema,
    handler: async ({ caller, project, params }) =>
      presentOne(deps, caller, project, await getSavedMetric(deps.metadata, project.id, idFromPath(params))),
  });
  projectRoute(app, deps, {
    ...ONE,
    method: 'PATCH',
    ...EDITS,
    summary: 'Change a saved metric, and with it the experiments that use it; those that run note it',
    body: SavedMetricChangeSchema,
    response: SavedMetricSchema,
    handler: async ({ caller, project, params, body }) => {
      const id = idFromPath(params);
      const { query: known } = await getSavedMetric(deps.metadata, project.id, id);
      const changed = await updateSavedMetric(deps, caller, project, id, {
        ...(body.name === undefined ? {} : { name: body.name }),
        ...(body.description === undefined ? {} : { description: body.description ?? '' }),
        ...(body.tags === undefined ? {} : { tags: body.tags }),
        ...(body.query === undefined
          ? {}
          : { query: await readQuery(deps, project, body.query as Record<string, Json>, known) }),
      });
      return presentOne(deps, caller, project, changed);
    },
  });
  projectRoute(app, deps, {
    ...ONE,
    method: 'DELETE',
    ...EDITS,
    status: 204,
    summary: 'Delete a saved metric that no running experiment uses',
    handler: async ({ caller, project, params }) => {
      await deleteSavedMetric(deps, caller, project, idFromPath(params));
    },
  });
}
