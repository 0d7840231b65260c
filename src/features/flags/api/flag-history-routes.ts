/** The activity log and the versions of flags. */
import type { FastifyInstance } from 'fastify';
import { listActivity, usersById } from '../../../http/api/activity-list.ts';
import { projectRoute } from '../../../http/api/route.ts';
import { envelope, readPage } from '../../../http/paging.ts';
import { ACTIVITY_QUERY, ActivityPageSchema } from '../../../http/schemas/activity.ts';
import { PAGE_QUERY, pageSchema } from '../../../http/schemas/common.ts';
import { FLAG_SCOPE, getFlag } from '../manage/flags.ts';
import type { FlagRouteDeps } from './deps.ts';
import { FlagVersionSchema, presentFlagVersion } from './flag-version-schemas.ts';
import { flagId, flagInPath } from './present-flags.ts';

const tag = 'feature flags';
const legacy = 'feature_flag';
const all = '/api/projects/:project_id/feature_flags/';

export function flagHistoryRoutes(app: FastifyInstance, deps: FlagRouteDeps): void {
  activityRoutes(app, deps);
  versionRoute(app, deps);
}

function activityRoutes(app: FastifyInstance, deps: FlagRouteDeps): void {
  projectRoute(app, deps, {
    method: 'GET',
    url: `${all}activity/`,
    legacy,
    summary: 'Activity log of feature flags',
    tag,
    scope: 'activity_log',
    query: ACTIVITY_QUERY,
    response: ActivityPageSchema,
    handler: ({ project, query, url }) => {
      const about = { organizationId: project.organizationId, projectId: project.id, scope: FLAG_SCOPE };
      return listActivity(deps, about, query, url);
    },
  });
  projectRoute(app, deps, {
    method: 'GET',
    url: `${all}:id/activity/`,
    legacy,
    summary: 'Activity log of one feature flag',
    tag,
    scope: 'activity_log',
    query: ACTIVITY_QUERY,
    response: ActivityPageSchema,
    handler: async ({ project, params, query, url }) => {
      const id = flagId(params['id']);
      const about = { organizationId: project.organizationId, projectId: project.id, scope: FLAG_SCOPE };
      const activity = await listActivity(deps, { ...about, itemId: String(id) }, query, url);
      // The history outlives the flag, whose row goes when another flag takes the key of a deleted one.
      if (activity.total_count === 0) await getFlag(deps.metadata, project.id, id);
      return activity;
    },
  });
}

function versionRoute(app: FastifyInstance, deps: FlagRouteDeps): void {
  projectRoute(app, deps, {
    method: 'GET',
    url: `${all}:id/versions/`,
    legacy,
    summary: 'All versions of the flag, newest first; PATCH the flag with one of them to restore it',
    tag,
    scope: 'feature_flag',
    query: PAGE_QUERY,
    response: pageSchema(FlagVersionSchema),
    handler: async ({ project, params, query, url }) => {
      const flag = await flagInPath(deps, project, params['id']);
      const versions = (await deps.metadata.flags.listVersions(project.id, flag.id)).reverse();
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
