/** A person's property history and a summary of their activity. */
import type { FastifyInstance } from 'fastify';
import { envelope, queryText, readPage, readStringList } from '../../../http/paging.ts';
import { PAGE_QUERY, pageSchema } from '../../../http/schemas/common.ts';
import { personActivity } from '../history/person-activity.ts';
import { getPerson, listDistinctIds } from '../persons.ts';
import type { PersonApiDeps } from './deps.ts';
import {
  PersonSummarySchema,
  PropertyHistorySchema,
  presentHistory,
  presentSummary,
} from './person-history-schemas.ts';
import { readPersonRef } from './person-query.ts';
import { personRoute } from './person-route.ts';

export function personHistoryRoutes(app: FastifyInstance, deps: PersonApiDeps): void {
  const { persons } = deps.metadata;
  personRoute(app, deps, {
    method: 'GET',
    path: '/:id/summary/',
    summary: 'Number of events and distinct ids of a person, and when they were first and last seen',
    query: { distinct_ids: 'JSON list: only count events with these distinct ids.' },
    response: PersonSummarySchema,
    handler: async ({ project, params, query }) => {
      const person = await getPerson(persons, project.id, readPersonRef(params['id']));
      const activity = await personActivity(deps, project.id, person.uuid, readStringList(query, 'distinct_ids'));
      return presentSummary(activity, (await listDistinctIds(persons, person.id)).length);
    },
  });
  personRoute(app, deps, {
    method: 'GET',
    path: '/:id/property_history/',
    summary: 'Changes of the properties of a person, newest first',
    query: { key: 'Only this property.', ...PAGE_QUERY },
    response: pageSchema(PropertyHistorySchema),
    handler: async ({ project, params, query, url }) => {
      const person = await getPerson(persons, project.id, readPersonRef(params['id']));
      const key = queryText(query, 'key');
      const all = (await persons.listHistory(project.id, person.uuid)).reverse();
      const entries = key === undefined ? all : all.filter((entry) => entry.key === key);
      const page = readPage(query);
      const items = entries.slice(page.offset, page.offset + page.limit);
      return envelope(url, page, { count: entries.length, items }, presentHistory);
    },
  });
}
