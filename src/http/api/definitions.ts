import type { FastifyInstance } from 'fastify';
import { notFound } from '../../core/errors.ts';
import { eventVolumes } from '../../insights/event-volumes.ts';
import { chooseEventDefinitions, choosePropertyDefinitions } from '../../insights/list-definitions.ts';
import { readEventDefinitionQuery, readPropertyKind, readPropertyQuery, readTexts } from '../definition-query.ts';
import { envelope, readPage } from '../paging.ts';
import { PAGE_QUERY, pageOf } from '../schemas/common.ts';
import {
  EventDefinitionSchema,
  PropertyDefinitionSchema,
  presentEventDefinition,
  presentPropertyDefinition,
} from '../schemas/definition.ts';
import type { ApiDeps } from './deps.ts';
import { projectRoute } from './route.ts';

const tag = 'definitions';
const EVENTS = '/api/projects/:project_id/event_definitions/';

export function definitionRoutes(app: FastifyInstance, deps: ApiDeps): void {
  const { definitions } = deps.metadata;
  projectRoute(app, deps, {
    method: 'GET',
    url: EVENTS,
    summary: 'Names of events seen by the project',
    tag,
    query: {
      ...PAGE_QUERY,
      search: 'Words that must all be in the name.',
      ordering:
        '`volume_30_day`, `query_usage_30_day` or `name`; with `-` in front, downwards. `-volume_30_day` unless given.',
      event_type: '`event` (all), `event_custom` or `event_posthog`.',
    },
    response: pageOf(EventDefinitionSchema),
    handler: async ({ project, query, url }) => {
      const asked = readEventDefinitionQuery(query);
      const page = readPage(query);
      const all = await definitions.events(project.id);
      const volumes = await eventVolumes(deps, project.id, deps.clock.now());
      return envelope(url, page, chooseEventDefinitions(all, volumes, asked, page), (definition) =>
        presentEventDefinition(definition, volumes.get(definition.name) ?? 0),
      );
    },
  });
  projectRoute(app, deps, {
    method: 'GET',
    url: `${EVENTS}:id/`,
    summary: 'One name of events',
    tag,
    response: EventDefinitionSchema,
    handler: async ({ project, params }) => {
      const definition = await definitions.event(project.id, (params['id'] ?? '').toLowerCase());
      if (!definition) throw notFound();
      const volumes = await eventVolumes(deps, project.id, deps.clock.now(), [definition.name]);
      return presentEventDefinition(definition, volumes.get(definition.name) ?? 0);
    },
  });
  propertyRoute(app, deps);
}

function propertyRoute(app: FastifyInstance, deps: ApiDeps): void {
  const { definitions } = deps.metadata;
  projectRoute(app, deps, {
    method: 'GET',
    url: '/api/projects/:project_id/property_definitions/',
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
    response: pageOf(PropertyDefinitionSchema),
    handler: async ({ project, query, url }) => {
      const names = readTexts(query, 'event_names');
      const seen = names && (await definitions.propertiesOf(project.id, names));
      const asked = readPropertyQuery(query, seen);
      const page = readPage(query);
      const all = await definitions.properties(project.id, readPropertyKind(query));
      return envelope(url, page, choosePropertyDefinitions(all, asked, page), presentPropertyDefinition);
    },
  });
}
