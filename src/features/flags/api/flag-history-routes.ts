/** What happened to flags: who changed what, and how a flag was at each of its versions. */
import type { FastifyInstance } from 'fastify';
import { activityOf, usersById } from '../../../http/api/activity-list.ts';
import { projectRoute } from '../../../http/api/route.ts';
import { envelope, readPage } from '../../../http/paging.ts';
import { ACTIVITY_QUERY, ActivityPageSchema } from '../../../http/schemas/activity.ts';
import { PAGE_QUERY, pageOf } from '../../../http/schemas/common.ts';
import { FEATURE_FLAG } from '../manage/flags.ts';
import type { ApiDeps } from './deps.ts';
import { FlagVersionSchema, presentFlagVersion } from './flag-version-schemas.ts';
import { flagInPath } from './present-flags.ts';

const tag = 'feature flags';
const legacy = 'feature_flag';
const all = '/api/projects/:project_id/feature_flags/';

export function flagHistoryRoutes(app: FastifyInstance, deps: ApiDeps): void {
  activityRoutes(app, deps);
  versionRoute(app, deps);
}

function activityRoutes(app: FastifyInstance, deps: ApiDeps): void {
  projectRoute(app, deps, {
    method: 'GET',
    url: `${all}activity/`,
    legacy,
    summary: 'Who changed feature flags',
    tag,
    query: ACTIVITY_QUERY,
    response: ActivityPageSchema,
    handler: ({ project, query, url }) => {
      const about = { organizationId: project.organizationId, projectId: project.id, scope: FEATURE_FLAG };
      return activityOf(deps, about, query, url);
    },
  });
  projectRoute(app, deps, {
    method: 'GET',
    url: `${all}:id/activity/`,
    legacy,
    summary: 'Who changed the feature flag',
    tag,
    query: ACTIVITY_QUERY,
    response: ActivityPageSchema,
    handler: async ({ project, params, query, url }) => {
      const { id } = await flagInPath(deps, project, params['id']);
      const { id: projectId, organizationId } = project;
      return activityOf(deps, { organizationId, projectId, scope: FEATURE_FLAG, itemId: String(id) }, query, url);
    },
  });
}

function versionRoute(app: FastifyInstance, deps: ApiDeps): void {
  projectRoute(app, deps, {
    method: 'GET',
    url: `${all}:id/versions/`,
    legacy,
    summary: 'How the flag was at each of its versions, newest first; sent as a PATCH, one of them is restored',
    tag,
    query: PAGE_QUERY,
    response: pageOf(FlagVersionSchema),
    handler: async ({ project, params, query, url }) => {
      const flag = await flagInPath(deps, project, params['id']);
      const versions = (await deps.metadata.flags.versions(project.id, flag.id)).reverse();
      const page = readPage(query);
      const items = versions.slice(page.offset, page.offset + page.limit);
      const users = await usersById(
        deps.metadata,
        items.map((version) => version.lastModifiedBy),
      );
      return envelope(url, page, { count: versions.length, items }, (version) => presentFlagVersion(version, users));
    },
  });
}
