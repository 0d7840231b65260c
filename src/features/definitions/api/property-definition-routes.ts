import type { Static } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import { notFound } from '../../../core/errors.ts';
import { listActivity, usersById } from '../../../http/api/activity-list.ts';
import { projectRoute } from '../../../http/api/route.ts';
import { envelope, readPage, readStringList } from '../../../http/paging.ts';
import { ACTIVITY_QUERY, ActivityPageSchema } from '../../../http/schemas/activity.ts';
import { PAGE_QUERY, pageSchema } from '../../../http/schemas/common.ts';
import type { PropertyDefinition, PropertyKindQuery } from '../../../stores/metadata/definitions.ts';
import { PROPERTY_DEFINITION_SCOPE, type PropertyDefinitionChanges, updatePropertyDefinition } from '../definitions.ts';
import { listPropertyDefinitions } from '../list-definitions.ts';
import { readDefinitionId, readPropertyDefinitionQuery, readPropertyKind } from './definition-query.ts';
import {
  PropertyDefinitionSchema,
  PropertyDefinitionWriteSchema,
  presentPropertyDefinition,
  userIdsOf,
} from './definition-schemas.ts';
import type { DefinitionApiDeps } from './deps.ts';

const tag = 'definitions';
const all = '/api/projects/:project_id/property_definitions/';
const one = `${all}:id/`;

export function propertyDefinitionRoutes(app: FastifyInstance, deps: DefinitionApiDeps): void {
  const { definitions } = deps.metadata;
  projectRoute(app, deps, {
    method: 'GET',
    url: all,
    summary: 'Names of properties seen by the project',
    tag,
    query: {
      ...PAGE_QUERY,
      search: 'Words that must all be in the name.',
      type: '`event` (unless given), `person` or `group`.',
      group_type_index: 'Which kind of group, 0 to 4.',
      properties: 'Only these names, separated by commas.',
      excluded_properties: 'Not these names: a JSON list.',
      is_numerical: 'Only numbers, or none of them.',
      is_feature_flag: 'Only feature flags, or none of them.',
      event_names: 'JSON list of events: says of each property whether it was seen on one of them.',
      filter_by_event_names: 'True: only those that were.',
    },
    response: pageSchema(PropertyDefinitionSchema),
    handler: async ({ project, query, url }) => {
      const names = readStringList(query, 'event_names');
      const seen = names && (await definitions.listPropertyNamesByEvents(project.id, names));
      const asked = readPropertyDefinitionQuery(query, seen);
      const page = readPage(query);
      const kind = readPropertyKind(query);
      const everything = await definitions.listProperties(project.id, kind);
      const usage = await usageOf(deps, project.id, kind);
      const chosen = listPropertyDefinitions(everything, usage, asked, page);
      const users = await usersById(deps.metadata, chosen.items.flatMap(userIdsOf));
      return envelope(url, page, chosen, (item) => presentPropertyDefinition(item, usage, users, item.isSeen));
    },
  });
  projectRoute(app, deps, {
    method: 'GET',
    url: one,
    summary: 'One name of properties',
    tag,
    response: PropertyDefinitionSchema,
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
): Promise<PropertyDefinition> {
  const definition = await deps.metadata.definitions.getProperty(projectId, readDefinitionId(id));
  if (!definition) throw notFound();
  return definition;
}

async function present(deps: DefinitionApiDeps, projectId: number, definition: PropertyDefinition) {
  const usage = await usageOf(deps, projectId, definition);
  return presentPropertyDefinition(definition, usage, await usersById(deps.metadata, userIdsOf(definition)), null);
}

const usageOf = ({ usage }: DefinitionApiDeps, projectId: number, { kind, groupTypeIndex }: PropertyKindQuery) =>
  usage.countsOfLast30Days(projectId, { kind: `${kind}_property`, groupTypeIndex });

/** Every field may be left out, so both methods mean the same: what is not sent stays as it is. */
function changeRoutes(app: FastifyInstance, deps: DefinitionApiDeps): void {
  for (const method of ['PATCH', 'PUT'] as const) {
    projectRoute(app, deps, {
      method,
      url: one,
      summary: 'Describe a name of properties: description, tags, type, verified',
      tag,
      body: PropertyDefinitionWriteSchema,
      response: PropertyDefinitionSchema,
      handler: async ({ caller, project, params, body }) => {
        const id = readDefinitionId(params['id']);
        return present(deps, project.id, await updatePropertyDefinition(deps, caller, project, id, toChanges(body)));
      },
    });
  }
}

function toChanges(body: Static<typeof PropertyDefinitionWriteSchema>): PropertyDefinitionChanges {
  const { description, tags, verified, property_type, is_numerical } = body;
  return {
    ...(description === undefined ? {} : { description: description ?? '' }),
    ...(tags === undefined ? {} : { tags }),
    ...(verified === undefined ? {} : { verified }),
    ...(property_type === undefined ? {} : { propertyType: property_type }),
    ...(is_numerical === undefined ? {} : { isNumerical: is_numerical }),
  };
}

function activityRoutes(app: FastifyInstance, deps: DefinitionApiDeps): void {
  const about = { tag, query: ACTIVITY_QUERY, response: ActivityPageSchema, method: 'GET' } as const;
  projectRoute(app, deps, {
    ...about,
    url: `${all}activity/`,
    summary: 'Who described which name of properties, with before and after',
    handler: ({ project: { organizationId, id: projectId }, query, url }) =>
      listActivity(deps, { organizationId, projectId, scope: PROPERTY_DEFINITION_SCOPE }, query, url),
  });
  projectRoute(app, deps, {
    ...about,
    url: `${one}activity/`,
    summary: 'Who described this name of properties, with before and after',
    handler: async ({ project: { organizationId, id: projectId }, params, query, url }) => {
      const { id: itemId } = await getDefinition(deps, projectId, params['id']);
      return listActivity(deps, { organizationId, projectId, scope: PROPERTY_DEFINITION_SCOPE, itemId }, query, url);
    },
  });
}
