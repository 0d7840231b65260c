import type { Static } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import { invalid } from '../../../core/errors.ts';
import type { Json } from '../../../core/json/json.ts';
import { listActivity, usersById } from '../../../http/api/activity-list.ts';
import { projectRoute } from '../../../http/api/route.ts';
import { idFromPath } from '../../../http/path-ids.ts';
import { ACTIVITY_QUERY, ActivityPageSchema } from '../../../http/schemas/activity.ts';
import type { Project } from '../../../stores/metadata/accounts.ts';
import type { Action } from '../../../stores/metadata/actions.ts';
import { ACTION, type ActionChanges, createAction, getAction, updateAction } from '../actions.ts';
import {
  ActionChangeSchema,
  ActionCreateSchema,
  ActionListSchema,
  ActionSchema,
  presentAction,
} from './action-schemas.ts';
import type { ActionApiDeps } from './deps.ts';

const ALL = { url: '/api/projects/:project_id/actions/', legacy: 'action', tag: 'actions', scope: 'action' } as const;
const ONE = { ...ALL, url: `${ALL.url}:id/` } as const;

export function actionRoutes(app: FastifyInstance, deps: ActionApiDeps): void {
  listAndCreate(app, deps);
  oneAction(app, deps);
  activity(app, deps);
}

async function presentActions({ metadata }: ActionApiDeps, actions: readonly Action[]) {
  const users = await usersById(
    metadata,
    actions.map(({ createdBy }) => createdBy),
  );
  return actions.map((action) => presentAction(action, users));
}

const presentOneAction = async (deps: ActionApiDeps, action: Action) => (await presentActions(deps, [action]))[0];

function readChanges(body: Static<typeof ActionChangeSchema>): ActionChanges {
  const { name, description, tags, steps, deleted, post_to_slack } = body;
  if (post_to_slack === true) {
    throw invalid(
      'post_to_slack',
      'Webhooks are sent for events: enable them in the definitions of the events instead.',
    );
  }
  return {
    ...(name === undefined ? {} : { name }),
    ...(description === undefined ? {} : { description: description ?? '' }),
    ...(tags === undefined ? {} : { tags }),
    ...(steps === undefined ? {} : { steps: steps as Json[] }),
    ...(deleted === undefined ? {} : { deleted }),
  };
}

function listAndCreate(app: FastifyInstance, deps: ActionApiDeps): void {
  projectRoute(app, deps, {
    ...ALL,
    method: 'GET',
    summary: 'Actions, newest first, all of them',
    response: ActionListSchema,
    handler: async ({ project }) => ({
      results: await presentActions(deps, await deps.metadata.actions.listByProject(project.id)),
    }),
  });
  projectRoute(app, deps, {
    ...ALL,
    method: 'POST',
    edits: ['data management'],
    summary: 'Create an action: several kinds of events under one name',
    body: ActionCreateSchema,
    status: 201,
    response: ActionSchema,
    handler: async ({ caller, project, body }) =>
      presentOneAction(deps, await createAction(deps, caller, project, { ...readChanges(body), name: body.name })),
  });
}

function oneAction(app: FastifyInstance, deps: ActionApiDeps): void {
  projectRoute(app, deps, {
    ...ONE,
    method: 'GET',
    summary: 'One action',
    response: ActionSchema,
    handler: async ({ project, params }) =>
      presentOneAction(deps, await getAction(deps.metadata, project.id, idFromPath(params))),
  });
  for (const method of ['PATCH', 'PUT'] as const) {
    projectRoute(app, deps, {
      ...ONE,
      method,
      edits: ['data management'],
      summary: 'Change an action; fields that are not sent stay as they are',
      body: ActionChangeSchema,
      response: ActionSchema,
      handler: async ({ caller, project, params, body }) =>
        presentOneAction(deps, await updateAction(deps, caller, project, idFromPath(params), readChanges(body))),
    });
  }
  projectRoute(app, deps, {
    ...ONE,
    method: 'DELETE',
    hidden: true,
    summary: 'Actions are deleted by changing them: deleted is true',
    handler: async ({ reply }) => reply.code(405).send(),
  });
}

function activity(app: FastifyInstance, deps: ActionApiDeps): void {
  const about = { method: 'GET', query: ACTIVITY_QUERY, response: ActivityPageSchema } as const;
  const of = ({ id, organizationId }: Project) => ({ organizationId, projectId: id, scope: ACTION });
  projectRoute(app, deps, {
    ...ALL,
    ...about,
    url: `${ALL.url}activity/`,
    scope: 'activity_log',
    summary: 'Who changed actions, with before and after',
    handler: ({ project, query, url }) => listActivity(deps, of(project), query, url),
  });
  projectRoute(app, deps, {
    ...ONE,
    ...about,
    url: `${ONE.url}activity/`,
    scope: 'activity_log',
    summary: 'Who changed this action, with before and after',
    handler: async ({ project, params, query, url }) => {
      const { id } = await getAction(deps.metadata, project.id, idFromPath(params));
      return listActivity(deps, { ...of(project), itemId: String(id) }, query, url);
    },
  });
}
