import { type Static, Type } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import { type Caller, requireKeyScopes } from '../../../access/callers.ts';
import { requireEditor } from '../../../access/resources.ts';
import { requiredScopes } from '../../../core/scopes.ts';
import { listActivity } from '../../../http/api/activity-list.ts';
import { callerSignal } from '../../../http/api/caller-signal.ts';
import { projectRoute, type RouteContext } from '../../../http/api/route.ts';
import { readCsvCells } from '../../../http/format.ts';
import { envelope, type Query, queryText, readPage } from '../../../http/paging.ts';
import { idFromPath } from '../../../http/path-ids.ts';
import { ACTIVITY_QUERY, ActivityPageSchema } from '../../../http/schemas/activity.ts';
import { pageSchema } from '../../../http/schemas/common.ts';
import type { CsvCells } from '../../../lib/csv-line.ts';
import type { Project } from '../../../stores/metadata/accounts.ts';
import { sendRowsCsv, sendRowsParquet } from '../../sql/api/send-rows.ts';
import { getDashboard } from '../dashboards.ts';
import { listSavedInsights } from '../list-saved-insights.ts';
import {
  createSavedInsight,
  getInsightOrDeleted,
  getSavedInsight,
  INSIGHT_SCOPE,
  recordInsightView,
  updateSavedInsight,
} from '../saved-insights.ts';
import type { SavedInsight } from '../store/saved-insight-store.ts';
import type { DashboardApiDeps } from './deps.ts';
import {
  type Asker,
  asksToRefresh,
  isBasic,
  presentInsights,
  presentOneInsight,
  tilesById,
  withoutResult,
} from './present-saved-insights.ts';
import { readSavedInsightBody } from './saved-insight-body.ts';
import { readSavedInsightQuery } from './saved-insight-query.ts';
import {
  BASIC_QUERY,
  INSIGHT_LIST_QUERY,
  REFRESH_QUERY,
  ROWS_FILE_QUERY,
  SavedInsightSchema,
  SavedInsightWriteSchema,
} from './saved-insight-schemas.ts';

const ALL = {
  url: '/api/projects/:project_id/insights/',
  legacy: 'insight',
  tag: 'insights',
  scope: 'insight',
} as const;
const ONE = { ...ALL, url: `${ALL.url}:id/` } as const;

export function savedInsightRoutes(app: FastifyInstance, deps: DashboardApiDeps): void {
  listAndCreate(app, deps);
  oneInsight(app, deps);
  views(app, deps);
  activity(app, deps);
}

type InProject = RouteContext<unknown> & { project: Project };

function listAndCreate(app: FastifyInstance, deps: DashboardApiDeps): void {
  projectRoute(app, deps, {
    ...ALL,
    method: 'GET',
    summary: 'Saved insights, the last modified first',
    query: INSIGHT_LIST_QUERY,
    response: pageSchema(SavedInsightSchema),
    handler: (context) => list(deps, context),
  });
  projectRoute(app, deps, {
    ...ALL,
    method: 'POST',
    edits: ['insights'],
    summary: 'Save an insight',
    body: SavedInsightWriteSchema,
    query: REFRESH_QUERY,
    status: 201,
    response: SavedInsightSchema,
    handler: async ({ caller, project, body, query, reply }) => {
      await requireDashboards(deps, caller, project, body);
      const changes = await readSavedInsightBody(deps, { caller, project, signal: callerSignal(reply) }, body);
      return show(deps, { caller, project, query, reply }, await createSavedInsight(deps, caller, project, changes));
    },
  });
}

async function list(deps: DashboardApiDeps, { caller, project, query, url }: InProject) {
  const { metadata, clock } = deps;
  const page = readPage(query);
  const question = readSavedInsightQuery(query, { userId: caller.user.id, now: clock.now(), project });
  const isOfDeleted = queryText(query, 'deleted') === 'true';
  const all = await metadata.insights[isOfDeleted ? 'listDeleted' : 'listByProject'](project.id);
  const tiles = await tilesById(metadata, project.id, all);
  const views = await metadata.insights.listViewsByUser(project.id, caller.user.id);
  const about = {
    dashboards: new Map([...tiles].map(([id, own]) => [id, own.map(({ dashboardId }) => dashboardId)])),
    views: new Map(views.map(({ insightId, viewedAt }) => [insightId, viewedAt])),
  };
  const { count, items } = listSavedInsights(all, question, about, page);
  const shown = await presentInsights(metadata, project, items);
  return envelope(url, page, { count, items: shown }, isBasic(query) ? withoutResult : (insight) => insight);
}

function oneInsight(app: FastifyInstance, deps: DashboardApiDeps): void {
  projectRoute(app, deps, {
    ...ONE,
    method: 'GET',
    summary: 'One saved insight, with its answer where that is asked for',
    query: { ...REFRESH_QUERY, ...BASIC_QUERY, ...ROWS_FILE_QUERY },
    response: SavedInsightSchema,
    handler: async ({ caller, project, params, query, reply }) => {
      const insight = await getSavedInsight(deps.metadata, project.id, idFromPath(params));
      const format = queryText(query, 'format');
      if (insight.query !== null && (format === 'csv' || format === 'parquet')) {
        return sendRows(deps, { caller, project, reply }, insight, { format, cells: readCsvCells(query) });
      }
      if (!isBasic(query)) return show(deps, { caller, project, query, reply }, insight);
      return withoutResult(await presentOneInsight(deps, { caller, project, reply }, insight, { refresh: false }));
    },
  });
  for (const method of ['PATCH', 'PUT'] as const) {
    projectRoute(app, deps, {
      ...ONE,
      method,
      edits: ['insights'],
      summary: 'Change a saved insight, or the dashboards that it is on; what is not sent stays as it is',
      body: SavedInsightWriteSchema,
      query: REFRESH_QUERY,
      response: SavedInsightSchema,
      handler: async ({ caller, project, params, body, query, reply }) => {
        const { id } = await getInsightOrDeleted(deps.metadata, project.id, idFromPath(params));
        await requireDashboards(deps, caller, project, body);
        const changes = await readSavedInsightBody(deps, { caller, project, signal: callerSignal(reply) }, body);
        return show(
          deps,
          { caller, project, query, reply },
          await updateSavedInsight(deps, caller, project, id, changes),
        );
      },
    });
  }
  projectRoute(app, deps, {
    ...ONE,
    method: 'DELETE',
    hidden: true,
    summary: 'Insights are deleted by changing them: deleted is true',
    handler: async ({ reply }) => reply.code(405).send(),
  });
}

async function sendRows(
  { statements }: DashboardApiDeps,
  { caller, project, reply }: Asker,
  { query, name, derivedName }: SavedInsight,
  { format, cells }: { format: 'csv' | 'parquet'; cells: CsvCells },
) {
  const signal = callerSignal(reply);
  const node = query ?? {};
  reply.header('content-disposition', `attachment; filename="${fileName(name || derivedName || 'sql')}.${format}"`);
  return format === 'csv'
    ? sendRowsCsv(reply, await statements.rows(project, node, caller.user.id, signal), cells)
    : sendRowsParquet(reply, await statements.parquet(project, node, caller.user.id, signal));
}

/** Letters and digits that every header and disk can take. */
const fileName = (name: string): string =>
  name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
    .slice(0, 80) || 'sql';

/** An insight that is put on dashboards, or taken from them, changes those. */
async function requireDashboards(
  { metadata }: DashboardApiDeps,
  caller: Caller,
  project: Project,
  { dashboards }: Static<typeof SavedInsightWriteSchema>,
): Promise<void> {
  if (!dashboards) return;
  requireKeyScopes(caller, requiredScopes('dashboard', 'write'));
  await requireEditor(metadata, caller, project.organizationId, ['dashboards']);
}

async function show(
  deps: DashboardApiDeps,
  { caller, project, query, reply }: Asker & { query: Query },
  insight: SavedInsight,
) {
  const from = queryText(query, 'from_dashboard');
  const dashboard = from ? await getDashboard(deps.metadata, project.id, idFromPath({ id: from })) : null;
  return presentOneInsight(deps, { caller, project, reply }, insight, {
    refresh: asksToRefresh(query),
    dashboard: dashboard?.filters ?? {},
  });
}

const MAX_LAST_VIEWED = 5;

function views(app: FastifyInstance, deps: DashboardApiDeps): void {
  const { insights } = deps.metadata;
  projectRoute(app, deps, {
    ...ALL,
    url: `${ALL.url}my_last_viewed/`,
    method: 'GET',
    summary: 'The insights that you looked at last, the latest first',
    response: Type.Array(SavedInsightSchema),
    handler: async ({ caller, project }) => {
      const ids = (await insights.listViewsByUser(project.id, caller.user.id)).map(({ insightId }) => insightId);
      const known = new Map((await insights.listByProject(project.id)).map((insight) => [insight.id, insight]));
      const last = ids.flatMap((id) => known.get(id) ?? []).slice(0, MAX_LAST_VIEWED);
      return presentInsights(deps.metadata, project, last);
    },
  });
  projectRoute(app, deps, {
    ...ONE,
    url: `${ONE.url}viewed/`,
    method: 'POST',
    summary: 'Say that you have looked at an insight',
    status: 201,
    handler: ({ caller, project, params }) => recordInsightView(deps, caller, project, idFromPath(params)),
  });
}

function activity(app: FastifyInstance, deps: DashboardApiDeps): void {
  const about = { method: 'GET', query: ACTIVITY_QUERY, response: ActivityPageSchema } as const;
  const of = ({ id, organizationId }: Project) => ({ organizationId, projectId: id, scope: INSIGHT_SCOPE });
  projectRoute(app, deps, {
    ...ALL,
    ...about,
    url: `${ALL.url}activity/`,
    scope: 'activity_log',
    summary: 'Who changed saved insights, with before and after',
    handler: ({ project, query, url }) => listActivity(deps, of(project), query, url),
  });
  projectRoute(app, deps, {
    ...ONE,
    ...about,
    url: `${ONE.url}activity/`,
    scope: 'activity_log',
    summary: 'Who changed this insight, with before and after',
    handler: async ({ project, params, query, url }) => {
      const { id } = await getInsightOrDeleted(deps.metadata, project.id, idFromPath(params));
      return listActivity(deps, { ...of(project), itemId: String(id) }, query, url);
    },
  });
}
