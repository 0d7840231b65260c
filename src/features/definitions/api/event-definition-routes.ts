import type { Static } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import { notFound } from '../../../core/errors.ts';
import { usersById } from '../../../http/api/activity-list.ts';
import { projectRoute } from '../../../http/api/route.ts';
import { envelope, readPage } from '../../../http/paging.ts';
import { PAGE_QUERY, pageSchema } from '../../../http/schemas/common.ts';
import type { EventDefinition } from '../../../stores/metadata/definitions.ts';
import { isOutage } from '../../../stores/outage.ts';
import {
  deleteEventDefinition,
  EVENT_DEFINITION_SCOPE,
  type EventDefinitionChanges,
  updateEventDefinition,
} from '../definitions.ts';
import { countEventsByName } from '../event-volumes.ts';
import { definitionActivityRoutes } from './definition-activity.ts';
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
  projectRoute(app, deps, {
    method: 'GET',
    url: all,
    summary: 'Event definitions',
    tag,
    scope: 'event_definition',
    query: {
      ...PAGE_QUERY,
      search: 'Words that must all be in the name.',
      ordering: '`volume_30_day`, `query_usage_30_day` or `name`, with `-` for descending. Default: `-volume_30_day`.',
      event_type: '`event` (all), `event_custom` or `event_posthog`.',
    },
    response: pageSchema(EventDefinitionSchema),
    handler: async ({ project, query, url }) => {
      const filters = readEventDefinitionQuery(query);
      const page = readPage(query);
      const usage = await usageIn(deps, project.id);
      const listed = await deps.listEventDefinitions(project.id, filters, usage, page);
      const counts = { volumes: listed.volumes, usage };
      const users = await usersById(deps.metadata, listed.items.flatMap(userIdsOf));
      return envelope(url, page, listed, (definition) => presentEventDefinition(definition, counts, users));
    },
  });
  projectRoute(app, deps, {
    method: 'GET',
    url: one,
    summary: 'One event definition',
    tag,
    scope: 'event_definition',
    response: EventDefinitionSchema,
    handler: async ({ project, params }) =>
      present(deps, project.id, await getDefinition(deps, project.id, params['id'])),
  });
  changeRoutes(app, deps);
  definitionActivityRoutes(app, deps, {
    url: all,
    noun: 'event',
    scope: EVENT_DEFINITION_SCOPE,
    get: (projectId, id) => getDefinition(deps, projectId, id),
  });
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

/** Also while the event store is down; the volume is null then. */
async function present(deps: DefinitionApiDeps, projectId: number, definition: EventDefinition) {
  const counts = {
    volumes: await volumesOf(deps, projectId, [definition.name]).catch(nullIfOutage),
    usage: await usageIn(deps, projectId),
  };
  const users = await usersById(deps.metadata, userIdsOf(definition));
  return presentEventDefinition(definition, counts, users);
}

function nullIfOutage(error: unknown): null {
  if (isOutage(error)) return null;
  throw error;
}

const EVENT = { kind: 'event', groupTypeIndex: -1 } as const;

const volumesOf = (deps: DefinitionApiDeps, projectId: number, names: readonly string[]) =>
  countEventsByName(deps, projectId, deps.clock.now(), names);
const usageIn = (deps: DefinitionApiDeps, projectId: number) => deps.usage.countsOfLast30Days(projectId, EVENT);

/** All fields are optional, so PATCH and PUT do the same. */
function changeRoutes(app: FastifyInstance, deps: DefinitionApiDeps): void {
  projectRoute(app, deps, {
    method: 'DELETE',
    url: one,
    edits: ['data management'],
    summary: 'Delete an event definition; events are kept, and it comes back when the event is seen again',
    tag,
    scope: 'event_definition',
    status: 204,
    handler: ({ caller, project, params }) =>
      deleteEventDefinition(deps, caller, project, readDefinitionId(params['id'])),
  });
  for (const method of ['PATCH', 'PUT'] as const) {
    projectRoute(app, deps, {
      method,
      url: one,
      edits: ['data management'],
      summary: 'Update an event definition',
      tag,
      scope: 'event_definition',
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
