/** People who are kept out of experiments, so that what all of these change together can be seen. */
import type { FastifyInstance } from 'fastify';
import type { Json } from '../../../core/json/json.ts';
import { usersById } from '../../../http/api/activity-list.ts';
import { projectRoute } from '../../../http/api/route.ts';
import { envelope, readPage } from '../../../http/paging.ts';
import { idFromPath } from '../../../http/path-ids.ts';
import { PAGE_QUERY, pageSchema } from '../../../http/schemas/common.ts';
import { createHoldout, deleteHoldout, getHoldout, updateHoldout } from '../manage/holdouts.ts';
import { readHoldoutGroups } from '../rules/holdout-groups.ts';
import type { ExperimentHoldout } from '../store/holdout-store.ts';
import type { ExperimentApiDeps } from './deps.ts';
import { HoldoutChangeSchema, HoldoutCreateSchema, HoldoutSchema, presentHoldout } from './holdout-schemas.ts';

const ALL = { url: '/api/projects/:project_id/experiment_holdouts/', tag: 'experiments', scope: 'experiment' } as const;
const ONE = { ...ALL, url: `${ALL.url}:id/` } as const;
const EDITS = { edits: ['experiments', 'feature flags'], scope: ['experiment', 'feature_flag'] } as const;

export function holdoutRoutes(app: FastifyInstance, deps: ExperimentApiDeps): void {
  listAndCreate(app, deps);
  oneHoldout(app, deps);
}

async function presentAll(deps: ExperimentApiDeps, holdouts: readonly ExperimentHoldout[]) {
  const creators = holdouts.map(({ createdBy }) => createdBy);
  const users = await usersById(deps.metadata, creators);
  return holdouts.map((holdout) => presentHoldout(holdout, users));
}

const presentOne = async (deps: ExperimentApiDeps, holdout: ExperimentHoldout) =>
  (await presentAll(deps, [holdout]))[0];

function listAndCreate(app: FastifyInstance, deps: ExperimentApiDeps): void {
  projectRoute(app, deps, {
    ...ALL,
    method: 'GET',
    summary: 'Holdouts, newest first',
    query: PAGE_QUERY,
    response: pageSchema(HoldoutSchema),
    handler: async ({ project, query, url }) => {
      const page = readPage(query);
      const found = await deps.metadata.holdouts.listByProject(project.id);
      const items = await presentAll(deps, found.slice(page.offset, page.offset + page.limit));
      return envelope(url, page, { count: found.length, items }, (item) => item);
    },
  });
  projectRoute(app, deps, {
    ...ALL,
    method: 'POST',
    ...EDITS,
    summary: 'Create a holdout; experiments take it with `holdout_id`',
    body: HoldoutCreateSchema,
    status: 201,
    response: HoldoutSchema,
    handler: async ({ caller, project, body }) => {
      const filters = readHoldoutGroups(body.filters as Json);
      const fields = { name: body.name, description: body.description ?? '', filters };
      return presentOne(deps, await createHoldout(deps, caller, project, fields));
    },
  });
}

function oneHoldout(app: FastifyInstance, deps: ExperimentApiDeps): void {
  projectRoute(app, deps, {
    ...ONE,
    method: 'GET',
    summary: 'One holdout',
    response: HoldoutSchema,
    handler: async ({ project, params }) =>
      presentOne(deps, await getHoldout(deps.metadata, project.id, idFromPath(params))),
  });
  projectRoute(app, deps, {
    ...ONE,
    method: 'PATCH',
    ...EDITS,
    summary: 'Change a holdout, and with it the flags that have it',
    body: HoldoutChangeSchema,
    response: HoldoutSchema,
    handler: async ({ caller, project, params, body }) => {
      const changed = await updateHoldout(deps, caller, project, idFromPath(params), {
        ...(body.name === undefined ? {} : { name: body.name }),
        ...(body.description === undefined ? {} : { description: body.description ?? '' }),
        ...(body.filters === undefined ? {} : { filters: readHoldoutGroups(body.filters as Json) }),
      });
      return presentOne(deps, changed);
    },
  });
  projectRoute(app, deps, {
    ...ONE,
    method: 'DELETE',
    ...EDITS,
    status: 204,
    summary: 'Delete a holdout; the flags that had it hold nobody out any more',
    handler: async ({ caller, project, params }) => {
      await deleteHoldout(deps, caller, project, idFromPath(params));
    },
  });
}
