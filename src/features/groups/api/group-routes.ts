import type { Static } from '@sinclair/typebox';
import { Type } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import { notFound } from '../../../core/errors.ts';
import { parseFilters } from '../../../core/filters/parse-filters.ts';
import { callerSignal } from '../../../http/api/caller-signal.ts';
import { projectRoute } from '../../../http/api/route.ts';
import { queryText, queryTexts } from '../../../http/paging.ts';
import { PAGE_QUERY } from '../../../http/schemas/common.ts';
import { withQueryLimits } from '../../../query/query-limits.ts';
import { type GroupTypeNames, renameGroupTypes } from '../group-types.ts';
import { countGroupProperties, countGroupValues } from '../group-values.ts';
import { listGroups } from '../list-groups.ts';
import { listRelated } from '../related.ts';
import type { GroupApiDeps } from './deps.ts';
import { groupPage, readGroupKey, readGroupQuery, readGroupTypeIndex, readRelatedTo } from './group-query.ts';
import {
  GroupListSchema,
  GroupPropertiesSchema,
  GroupSchema,
  GroupTypeNamesSchema,
  GroupTypeSchema,
  GroupValuesSchema,
  presentGroup,
  presentGroupType,
  presentRelatedGroup,
  presentRelatedPerson,
  RelatedSchema,
} from './group-schemas.ts';

const tag = 'groups';
const types = '/api/projects/:project_id/groups_types/';
const all = '/api/projects/:project_id/groups/';
const GROUP_TYPE_QUERY = { group_type_index: 'Group type, 0 to 4. Required.' } as const;

export function groupRoutes(app: FastifyInstance, deps: GroupApiDeps): void {
  typeRoutes(app, deps);
  projectRoute(app, deps, {
    method: 'GET',
    url: all,
    summary: 'Groups of one type, newest first',
    tag,
    scope: 'group',
    query: {
      ...GROUP_TYPE_QUERY,
      search: 'Part of the key or of a property.',
      properties: 'Property filters as JSON: a list, or a group `{type, values}`.',
      cursor: 'Cursor from `next` or `previous`.',
      limit: PAGE_QUERY.limit,
    },
    response: GroupListSchema,
    handler: async ({ project, query, url }) => {
      const typeIndex = readGroupTypeIndex(query);
      const groupQuery = readGroupQuery(query);
      // One more than shown, to know whether there is another page.
      const extended = { ...groupQuery, limit: groupQuery.limit + 1 };
      const filter = parseFilters(queryTexts(query, 'properties'));
      const found = await listGroups(deps.metadata.groups, project.id, typeIndex, extended, filter);
      return groupPage(url, groupQuery, found, presentGroup);
    },
  });
  projectRoute(app, deps, {
    method: 'GET',
    url: `${all}find/`,
    summary: 'One group',
    tag,
    scope: 'group',
    query: { ...GROUP_TYPE_QUERY, group_key: 'Key of the group. Required.' },
    response: GroupSchema,
    handler: async ({ project, query }) => {
      const group = await deps.metadata.groups.get(project.id, readGroupTypeIndex(query), readGroupKey(query));
      if (!group) throw notFound();
      return presentGroup(group);
    },
  });
  relatedRoute(app, deps);
  suggestionRoutes(app, deps);
}

function relatedRoute(app: FastifyInstance, deps: GroupApiDeps): void {
  projectRoute(app, deps, {
    method: 'GET',
    url: `${all}related/`,
    scope: ['group', 'person'],
    summary: 'Persons and groups that sent events together with a group in the last 90 days, latest first',
    tag,
    query: {
      group_type_index: 'Group type, 0 to 4; without it, `id` is the UUID of a person.',
      id: 'Key of the group, or UUID of the person. Required.',
    },
    response: RelatedSchema,
    handler: async ({ project, query, reply }) => {
      const to = readRelatedTo(query);
      const { persons, groups } = await withQueryLimits(
        deps.config.queryTimeoutSeconds,
        callerSignal(reply),
        (signal) =>
          listRelated(
            { ...deps, events: { query: (sql, values) => deps.events.query(sql, values, signal) } },
            project.id,
            to,
          ),
      );
      return [...persons.map(presentRelatedPerson), ...groups.map(presentRelatedGroup)];
    },
  });
}

function typeRoutes(app: FastifyInstance, deps: GroupApiDeps): void {
  projectRoute(app, deps, {
    method: 'GET',
    url: types,
    summary: 'Group types',
    tag,
    scope: 'group',
    response: Type.Array(GroupTypeSchema),
    handler: async ({ project }) => (await deps.metadata.groups.listTypes(project.id)).map(presentGroupType),
  });
  projectRoute(app, deps, {
    method: 'PATCH',
    url: `${types}update_metadata/`,
    edits: ['data management'],
    summary: 'Set display names of group types',
    tag,
    scope: 'group',
    body: GroupTypeNamesSchema,
    response: Type.Array(GroupTypeSchema),
    handler: async ({ caller, project, body }) =>
      (await renameGroupTypes(deps, caller, project, body.map(toNames))).map(presentGroupType),
  });
}

const toNames = (body: Static<typeof GroupTypeNamesSchema>[number]): GroupTypeNames => ({
  index: body.group_type_index,
  ...(body.name_singular === undefined ? {} : { nameSingular: body.name_singular }),
  ...(body.name_plural === undefined ? {} : { namePlural: body.name_plural }),
});

function suggestionRoutes(app: FastifyInstance, deps: GroupApiDeps): void {
  projectRoute(app, deps, {
    method: 'GET',
    url: `${all}property_definitions/`,
    summary: 'Property names of groups, by group type',
    tag,
    scope: 'group',
    response: GroupPropertiesSchema,
    handler: ({ project }) => countGroupProperties(deps.metadata.groups, project.id),
  });
  projectRoute(app, deps, {
    method: 'GET',
    url: `${all}property_values/`,
    summary: 'Values of a group property',
    tag,
    scope: 'group',
    query: { ...GROUP_TYPE_QUERY, key: 'The property.', value: 'Part of the value.' },
    response: GroupValuesSchema,
    handler: async ({ project, query }) => {
      const typeIndex = readGroupTypeIndex(query);
      const property = queryText(query, 'key');
      if (!property) return [];
      const part = queryText(query, 'value') || undefined;
      return countGroupValues(deps.metadata.groups, { projectId: project.id, typeIndex, property, part });
    },
  });
}
