/** Activity logs of definitions: of all, and of one. */
import type { FastifyInstance } from 'fastify';
import { listActivity } from '../../../http/api/activity-list.ts';
import { projectRoute } from '../../../http/api/route.ts';
import { ACTIVITY_QUERY, ActivityPageSchema } from '../../../http/schemas/activity.ts';
import type { DefinitionApiDeps } from './deps.ts';

interface DefinitionActivity {
  /** The list of definitions, with a slash at the end. */
  url: string;
  noun: 'event' | 'property';
  scope: string;
  /** Throws if there is no such definition. */
  get(projectId: number, id: string | undefined): Promise<{ id: string }>;
}

export function definitionActivityRoutes(
  app: FastifyInstance,
  deps: DefinitionApiDeps,
  { url, noun, scope, get }: DefinitionActivity,
): void {
  const route = {
    tag: 'definitions',
    scope: 'activity_log',
    query: ACTIVITY_QUERY,
    response: ActivityPageSchema,
    method: 'GET',
  } as const;
  projectRoute(app, deps, {
    ...route,
    url: `${url}activity/`,
    summary: `Activity log of all ${noun} definitions`,
    handler: ({ project: { organizationId, id: projectId }, query, url: requested }) =>
      listActivity(deps, { organizationId, projectId, scope }, query, requested),
  });
  projectRoute(app, deps, {
    ...route,
    url: `${url}:id/activity/`,
    summary: `Activity log of one ${noun} definition`,
    handler: async ({ project: { organizationId, id: projectId }, params, query, url: requested }) => {
      const { id: itemId } = await get(projectId, params['id']);
      return listActivity(deps, { organizationId, projectId, scope, itemId }, query, requested);
    },
  });
}
