import type { FastifyInstance } from 'fastify';
import { listActivity } from '../../../http/api/activity-list.ts';
import { projectRoute } from '../../../http/api/route.ts';
import { queryText } from '../../../http/paging.ts';
import { ACTIVITY_QUERY, ActivityPageSchema } from '../../../http/schemas/activity.ts';
import type { AuditApiDeps } from './deps.ts';

export function activityLogRoutes(app: FastifyInstance, deps: AuditApiDeps): void {
  projectRoute(app, deps, {
    method: 'GET',
    url: '/api/projects/:project_id/activity_log/',
    summary: 'Activity log of everything in the project, newest first',
    tag: 'projects',
    scope: 'activity_log',
    query: {
      ...ACTIVITY_QUERY,
      scope: 'Only changes to this kind of item: `FeatureFlag`, `Insight`, `Dashboard` and so on.',
      item_id: 'Only changes to the item with this id; with `scope`.',
    },
    response: ActivityPageSchema,
    handler: ({ project, query, url }) => {
      const [scope, itemId] = [queryText(query, 'scope'), queryText(query, 'item_id')];
      const about = {
        organizationId: project.organizationId,
        projectId: project.id,
        ...(scope && { scope }),
        ...(itemId && { itemId }),
      };
      return listActivity(deps, about, query, url);
    },
  });
}
