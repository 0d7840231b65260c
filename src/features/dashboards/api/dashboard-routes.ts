import type { FastifyInstance } from 'fastify';
import { listActivity } from '../../../http/api/activity-list.ts';
import { projectRoute } from '../../../http/api/route.ts';
import { envelope, pageByName, type Query, queryText, readPage } from '../../../http/paging.ts';
import { idFromPath } from '../../../http/path-ids.ts';
import { ACTIVITY_QUERY, ActivityPageSchema } from '../../../http/schemas/activity.ts';
import { PAGE_QUERY, pageSchema } from '../../../http/schemas/common.ts';
import type { Project } from '../../../stores/metadata/accounts.ts';
import {
  createDashboard,
  DASHBOARD_SCOPE,
  getDashboard,
  getDashboardOrDeleted,
  updateDashboard,
} from '../dashboards.ts';
import type { Dashboard } from '../store/dashboard-store.ts';
import { readDashboardBody } from './dashboard-body.ts';
import {
  DashboardChangeSchema,
  DashboardCreateSchema,
  DashboardSchema,
  ListedDashboardSchema,
} from './dashboard-schemas.ts';
import type { DashboardApiDeps } from './deps.ts';
import { presentDashboard, presentDashboards } from './present-dashboards.ts';
import { type Asker, asksToRefresh } from './present-saved-insights.ts';

const ALL = {
  url: '/api/projects/:project_id/dashboards/',
  legacy: 'dashboard',
  tag: 'dashboards',
  scope: 'dashboard',
} as const;
const ONE = { ...ALL, url: `${ALL.url}:id/` } as const;
const REFRESH = { refresh: '`true`, or present: answer the insights, too.' } as const;

export function dashboardRoutes(app: FastifyInstance, deps: DashboardApiDeps): void {
  listAndCreate(app, deps);
  oneDashboard(app, deps);
  activity(app, deps);
}

const show = (
  deps: DashboardApiDeps,
  { caller, project, query, reply }: Asker & { query: Query },
  dashboard: Dashboard,
) => presentDashboard(deps, { caller, project, reply }, dashboard, { refresh: asksToRefresh(query) });

const dates = ({ clock }: DashboardApiDeps, { timezone }: Project) => ({ now: clock.now(), timezone });

/** More than anybody makes. */
const MAX_SEARCHED = 10_000;

function listAndCreate(app: FastifyInstance, deps: DashboardApiDeps): void {
  projectRoute(app, deps, {
    ...ALL,
    method: 'GET',
    summary: 'Dashboards, without their tiles: pinned ones first, then by name',
    query: { ...PAGE_QUERY, search: 'Part of the name.' },
    response: pageSchema(ListedDashboardSchema),
    handler: async ({ project, query, url }) => {
      const page = readPage(query);
      const search = queryText(query, 'search');
      const all = { limit: MAX_SEARCHED, offset: 0 };
      const { count, items } = search
        ? pageByName((await deps.metadata.dashboards.list(project.id, all)).items, search, page)
        : await deps.metadata.dashboards.list(project.id, page);
      return envelope(url, page, { count, items: await presentDashboards(deps.metadata, items) }, (shown) => shown);
    },
  });
  projectRoute(app, deps, {
    ...ALL,
    method: 'POST',
    edits: ['dashboards'],
    summary: 'Make a dashboard',
    body: DashboardCreateSchema,
    query: REFRESH,
    status: 201,
    response: DashboardSchema,
    handler: async ({ caller, project, body, query, reply }) => {
      const changes = readDashboardBody(body, dates(deps, project));
      return show(deps, { caller, project, query, reply }, await createDashboard(deps, caller, project, changes));
    },
  });
}

function oneDashboard(app: FastifyInstance, deps: DashboardApiDeps): void {
  projectRoute(app, deps, {
    ...ONE,
    method: 'GET',
    summary: 'One dashboard: its insights in order, with their answers where they are asked for',
    query: REFRESH,
    response: DashboardSchema,
    handler: async ({ caller, project, params, query, reply }) =>
      show(deps, { caller, project, query, reply }, await getDashboard(deps.metadata, project.id, idFromPath(params))),
  });
  for (const method of ['PATCH', 'PUT'] as const) {
    projectRoute(app, deps, {
      ...ONE,
      method,
      edits: ['dashboards'],
      summary: 'Change a dashboard and its tiles; what is not sent stays as it is',
      body: DashboardChangeSchema,
      query: REFRESH,
      response: DashboardSchema,
      handler: async ({ caller, project, params, body, query, reply }) => {
        const { id } = await getDashboardOrDeleted(deps.metadata, project.id, idFromPath(params));
        const changes = readDashboardBody(body, dates(deps, project));
        return show(deps, { caller, project, query, reply }, await updateDashboard(deps, caller, project, id, changes));
      },
    });
  }
  projectRoute(app, deps, {
    ...ONE,
    method: 'DELETE',
    hidden: true,
    summary: 'Dashboards are deleted by changing them: deleted is true',
    handler: async ({ reply }) => reply.code(405).send(),
  });
}

function activity(app: FastifyInstance, deps: DashboardApiDeps): void {
  const about = { method: 'GET', query: ACTIVITY_QUERY, response: ActivityPageSchema } as const;
  const of = ({ id, organizationId }: Project) => ({ organizationId, projectId: id, scope: DASHBOARD_SCOPE });
  projectRoute(app, deps, {
    ...ALL,
    ...about,
    url: `${ALL.url}activity/`,
    scope: 'activity_log',
    summary: 'Who changed dashboards, with before and after',
    handler: ({ project, query, url }) => listActivity(deps, of(project), query, url),
  });
  projectRoute(app, deps, {
    ...ONE,
    ...about,
    url: `${ONE.url}activity/`,
    scope: 'activity_log',
    summary: 'Who changed this dashboard, with before and after',
    handler: async ({ project, params, query, url }) => {
      const { id } = await getDashboardOrDeleted(deps.metadata, project.id, idFromPath(params));
      return listActivity(deps, { ...of(project), itemId: String(id) }, query, url);
    },
  });
}
