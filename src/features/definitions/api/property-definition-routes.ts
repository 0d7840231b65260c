import type { Static } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import { notFound } from '../../../core/errors.ts';
import { usersById } from '../../../http/api/activity-list.ts';
import { projectRoute } from '../../../http/api/route.ts';
import { envelope, readPage } from '../../../http/paging.ts';
import { PAGE_QUERY, pageSchema } from '../../../http/schemas/common.ts';
import type { PropertyDefinition, PropertyKindQuery } from '../../../stores/metadata/definitions.ts';
import {
  deletePropertyDefinition,
  PROPERTY_DEFINITION_SCOPE,
  type PropertyDefinitionChanges,
  updatePropertyDefinition,
} from '../definitions.ts';
import { definitionActivityRoutes } from './definition-activity.ts';
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
  projectRoute(app, deps, {
    method: 'GET',
    url: all,
    summary: 'Property definitions',
    tag,
    scope: 'property_definition',
    query: {
      ...PAGE_QUERY,
      search: 'Words that must all be in the name.',
      type: '`event` (default), `person` or `group`.',
      group_type_index: 'Group type, 0 to 4.',
      properties: 'Only these names, comma-separated.',
      excluded_properties: 'Names to leave out, as a JSON list.',
      is_numerical: 'True: only numeric properties. False: only others.',
      is_feature_flag: 'True: only feature flags. False: only others.',
      event_names: 'JSON list of events: `is_seen_on_filtered_events` says whether a property was seen on one of them.',
      filter_by_event_names: 'True: only properties seen on these events.',
    },
    response: pageSchema(PropertyDefinitionSchema),
    handler: async ({ project, query, url }) => {
      const page = readPage(query);
      const kind = readPropertyKind(query);
      const filters = { ...kind, ...readPropertyDefinitionQuery(query) };
      const usage = await usageOf(deps, project.id, kind);
      const listed = await deps.listPropertyDefinitions(project.id, filters, usage, page);
      const users = await usersById(deps.metadata, listed.items.flatMap(userIdsOf));
      return envelope(url, page, listed, (item) => presentPropertyDefinition(item, usage, users, item.isSeen));
    },
  });
  projectRoute(app, deps, {
    method: 'GET',
    url: one,
    summary: 'One property definition',
    tag,
    scope: 'property_definition',
    response: PropertyDefinitionSchema,
    handler: async ({ project, params }) =>
      present(deps, project.id, await getDefinition(deps, project.id, params['id'])),
  });
  changeRoutes(app, deps);
  definitionActivityRoutes(app, deps, {
    url: all,
    noun: 'property',
    scope: PROPERTY_DEFINITION_SCOPE,
    get: (projectId, id) => getDefinition(deps, projectId, id),
  });
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

/** All fields are optional, so PATCH and PUT do the same. */
function changeRoutes(app: FastifyInstance, deps: DefinitionApiDeps): void {
  projectRoute(app, deps, {
    method: 'DELETE',
    url: one,
    edits: ['data management'],
    summary: 'Delete a property definition; values are kept, and it comes back when the property is seen again',
    tag,
    scope: 'property_definition',
    status: 204,
    handler: ({ caller, project, params }) =>
      deletePropertyDefinition(deps, caller, project, readDefinitionId(params['id'])),
  });
  for (const method of ['PATCH', 'PUT'] as const) {
    projectRoute(app, deps, {
      method,
      url: one,
      edits: ['data management'],
      summary: 'Update a property definition',
      tag,
      scope: 'property_definition',
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
