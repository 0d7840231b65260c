import type { Static } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import { notFound } from '../../../core/errors.ts';
import { listActivity, usersById } from '../../../http/api/activity-list.ts';
import { projectRoute } from '../../../http/api/route.ts';
import { envelope, readPage } from '../../../http/paging.ts';
import { ACTIVITY_QUERY, ActivityPageSchema } from '../../../http/schemas/activity.ts';
import { PAGE_QUERY, pageSchema } from '../../../http/schemas/common.ts';
import type { EventDefinition } from '../../../stores/metadata/definitions.ts';
import { isOutage } from '../../../stores/outage.ts';
import { EVENT_DEFINITION_SCOPE, type EventDefinitionChanges, updateEventDefinition } from '../definitions.ts';
import { countEventsByName } from '../event-volumes.ts';
import { listEventDefinitions } from '../list-definitions.ts';
import { readDefinitionId, readEventDefinitionQuery } from './definition-query.ts';
import {
  EventDefinitionSchema,
  EventDefinitionWriteSchema,
  presentEventDefinition,
  userIdsOf,
} from './definition-schemas.ts';
import type { DefinitionApiDeps } from './deps.ts';

const tag = 'definitions';
const all = '/api/projects/:project_id/event_definitions/';
const one = `${all}:id/`;

export function eventDefinitionRoutes(app: FastifyInstance, deps: DefinitionApiDeps): void {
  const { definitions } = deps.metadata;
  projectRoute(app, deps, {
    method: 'GET',
    url: all,
    summary: 'Names of events seen by the project',
    tag,
    query: {
      ...PAGE_QUERY,
      search: 'Words that must all be in the name.',
      ordering:
        '`volume_30_day`, `query_usage_30_day` or `name`; with `-` in front, downwards. `-volume_30_day` unless given.',
      event_type: '`event` (all), `event_custom` or `event_posthog`.',
    },
    response: pageSchema(EventDefinitionSchema),
    handler: async ({ project, query, url }) => {
      const asked = readEventDefinitionQuery(query);
      const page = readPage(query);
      const everything = await definitions.listEvents(project.id);
      const numbers = { volumes: await volumesOf(deps, project.id), usage: await usageIn(deps, project.id) };
      const chosen = listEventDefinitions(everything, numbers, asked, page);
      const users = await usersById(deps.metadata, chosen.items.flatMap(userIdsOf));
      return envelope(url, page, chosen, (definition) => presentEventDefinition(definition, numbers, users));
    },
  });
  projectRoute(app, deps, {
    method: 'GET',
    url: one,
    summary: 'One name of events',
    tag,
    response: EventDefinitionSchema,
    handler: async ({ project, params }) =>
      present(deps, project.id, await getDefinition(deps, project.id, params['id'])),
  });
  changeRoutes(app, deps);
  activityRoutes(app, deps);
}

async function getDefinition(
  deps: DefinitionApiDeps,
  projectId: number,
  id: string | undefined,
): Promise<EventDefinition> {
  const definition = await deps.metadata.definitions.getEvent(projectId, readDefinitionId(id));
  if (!definition) throw notFound();
  return definition;
}

/** Also while the event store is away: what was changed is changed, though nobody can say how often it happened. */
async function present(deps: DefinitionApiDeps, projectId: number, definition: EventDefinition) {
  const numbers = {
    volumes: await volumesOf(deps, projectId, [definition.name]).catch(nullIfOutage),
    usage: await usageIn(deps, projectId),
  };
  const users = await usersById(deps.metadata, userIdsOf(definition));
  return presentEventDefinition(definition, numbers, users);
}

function nullIfOutage(error: unknown): null {
  if (isOutage(error)) return null;
  throw error;
}

const EVENT = { kind: 'event', groupTypeIndex: -1 } as const;

/** How often events of these names, or of all, happened. */
const volumesOf = (deps: DefinitionApiDeps, projectId: number, names?: readonly string[]) =>
  countEventsByName(deps, projectId, deps.clock.now(), names);
/** How often they were asked for. */
const usageIn = (deps: DefinitionApiDeps, projectId: number) => deps.usage.countsOfLast30Days(projectId, EVENT);

/** Every field may be left out, so both methods mean the same: what is not sent stays as it is. */
function changeRoutes(app: FastifyInstance, deps: DefinitionApiDeps): void {
  for (const method of ['PATCH', 'PUT'] as const) {
    projectRoute(app, deps, {
      method,
      url: one,
      summary: 'Describe a name of events: owner, description, tags, verified, post_to_slack',
      tag,
      body: EventDefinitionWriteSchema,
      response: EventDefinitionSchema,
      handler: async ({ caller, project, params, body }) => {
        const id = readDefinitionId(params['id']);
        return present(deps, project.id, await updateEventDefinition(deps, caller, project, id, toChanges(body)));
      },
    });
  }
}

function toChanges(body: Static<typeof EventDefinitionWriteSchema>): EventDefinitionChanges {
  const { owner, description, tags, verified, post_to_slack } = body;
  return {
    ...(owner === undefined ? {} : { ownerId: owner }),
    ...(description === undefined ? {} : { description: description ?? '' }),
    ...(tags === undefined ? {} : { tags }),
    ...(verified === undefined ? {} : { verified }),
    ...(post_to_slack === undefined ? {} : { postToSlack: post_to_slack }),
  };
}

function activityRoutes(app: FastifyInstance, deps: DefinitionApiDeps): void {
  const about = { tag, query: ACTIVITY_QUERY, response: ActivityPageSchema, method: 'GET' } as const;
  projectRoute(app, deps, {
    ...about,
    url: `${all}activity/`,
    summary: 'Who described which name of events, with before and after',
    handler: ({ project: { organizationId, id: projectId }, query, url }) =>
      listActivity(deps, { organizationId, projectId, scope: EVENT_DEFINITION_SCOPE }, query, url),
  });
  projectRoute(app, deps, {
    ...about,
    url: `${one}activity/`,
    summary: 'Who described this name of events, with before and after',
    handler: async ({ project: { organizationId, id: projectId }, params, query, url }) => {
      const { id: itemId } = await getDefinition(deps, projectId, params['id']);
      return listActivity(deps, { organizationId, projectId, scope: EVENT_DEFINITION_SCOPE, itemId }, query, url);
    },
  });
}
