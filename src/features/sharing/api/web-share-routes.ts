/** Links to parts of a site. What else a link has is changed below `shares/:id/sharing/`, as of other shared things. */
import type { FastifyInstance } from 'fastify';
import type { Json } from '../../../core/json/json.ts';
import { usersById } from '../../../http/api/activity-list.ts';
import { projectRoute } from '../../../http/api/route.ts';
import { idFromPath } from '../../../http/path-ids.ts';
import { recentViews } from '../shares.ts';
import {
  changeWebShare,
  createWebShare,
  deleteWebShare,
  getWebShare,
  listWebShares,
  type SharedPart,
} from '../web-shares.ts';
import type { SharingApiDeps } from './deps.ts';
import {
  presentWebShare,
  WebShareChangeSchema,
  WebShareCreateSchema,
  WebShareListSchema,
  WebShareSchema,
} from './web-share-schemas.ts';

const URL_PREFIX = '/api/projects/:project_id/web_analytics/shares/';
const ABOUT = { tag: 'sharing', scope: 'sharing_configuration' } as const;

async function present(deps: SharingApiDeps, found: readonly SharedPart[]) {
  const users = await usersById(
    deps.metadata,
    found.map(({ part }) => part.createdBy),
  );
  const shown = found.map(async (one) => presentWebShare(one, users, await recentViews(deps, one.share)));
  return Promise.all(shown);
}

async function presentOne(deps: SharingApiDeps, found: SharedPart) {
  const [shown] = await present(deps, [found]);
  return shown;
}

export function webShareRoutes(app: FastifyInstance, deps: SharingApiDeps): void {
  projectRoute(app, deps, {
    ...ABOUT,
    method: 'GET',
    url: URL_PREFIX,
    summary: 'Links to parts of the site, the oldest first',
    response: WebShareListSchema,
    handler: async ({ project }) => {
      const results = await present(deps, await listWebShares(deps, project));
      return { count: results.length, next: null, previous: null, results };
    },
  });
  projectRoute(app, deps, {
    ...ABOUT,
    method: 'POST',
    url: URL_PREFIX,
    edits: ['insights'],
    summary: 'Share the overview of the site, or the part of it that fits filters',
    body: WebShareCreateSchema,
    status: 201,
    response: WebShareSchema,
    handler: async ({ caller, project, body: { name, filters = [], password } }) => {
      const given = { name, filters: filters as Json[], password: password ?? undefined };
      return presentOne(deps, await createWebShare(deps, caller, project, given));
    },
  });
  projectRoute(app, deps, {
    ...ABOUT,
    method: 'GET',
    url: `${URL_PREFIX}:id/`,
    summary: 'A link to a part of the site',
    response: WebShareSchema,
    handler: async ({ project, params }) => presentOne(deps, await getWebShare(deps, project, idFromPath(params))),
  });
  projectRoute(app, deps, {
    ...ABOUT,
    method: 'PATCH',
    url: `${URL_PREFIX}:id/`,
    edits: ['insights'],
    summary: 'Rename a link, or change what it shows',
    body: WebShareChangeSchema,
    response: WebShareSchema,
    handler: async ({ caller, project, params, body: { name, filters } }) => {
      const changes = {
        ...(name === undefined ? {} : { name }),
        ...(filters === undefined ? {} : { filters: filters as Json[] }),
      };
      return presentOne(deps, await changeWebShare(deps, caller, project, idFromPath(params), changes));
    },
  });
  projectRoute(app, deps, {
    ...ABOUT,
    method: 'DELETE',
    url: `${URL_PREFIX}:id/`,
    edits: ['insights'],
    summary: 'Revoke a link: it opens nothing any more',
    status: 204,
    handler: ({ caller, project, params }) => deleteWebShare(deps, caller, project, idFromPath(params)),
  });
}
