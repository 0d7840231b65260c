/** What became of a person's properties, and how much the person has done. */
import type { FastifyInstance } from 'fastify';
import { envelope, queryText, readPage, readTexts } from '../../../http/paging.ts';
import { PAGE_QUERY, pageOf } from '../../../http/schemas/common.ts';
import { personActivity } from '../history/person-activity.ts';
import { allDistinctIds, findPerson } from '../persons.ts';
import type { ApiDeps } from './deps.ts';
import {
  PersonSummarySchema,
  PropertyHistorySchema,
  presentHistory,
  presentSummary,
} from './person-history-schemas.ts';
import { readPersonRef } from './person-query.ts';
import { personRoute } from './person-route.ts';

export function personHistoryRoutes(app: FastifyInstance, deps: ApiDeps): void {
  const { persons } = deps.metadata;
  personRoute(app, deps, {
    method: 'GET',
    path: '/:id/summary/',
    summary: 'How many events and ids a person has, and when they were first and last seen',
    query: { distinct_ids: 'JSON list: count only events that came under these.' },
    response: PersonSummarySchema,
    handler: async ({ project, params, query }) => {
      const person = await findPerson(persons, project.id, readPersonRef(params['id']));
      const activity = await personActivity(deps, project.id, person.uuid, readTexts(query, 'distinct_ids'));
      return presentSummary(activity, (await allDistinctIds(persons, person.id)).length);
    },
  });
  personRoute(app, deps, {
    method: 'GET',
    path: '/:id/property_history/',
    summary: 'What became of the properties of a person, newest first',
    query: { key: 'Only of this property.', ...PAGE_QUERY },
    response: pageOf(PropertyHistorySchema),
    handler: async ({ project, params, query, url }) => {
      const person = await findPerson(persons, project.id, readPersonRef(params['id']));
      const key = queryText(query, 'key');
      const all = (await persons.history(project.id, person.uuid)).reverse();
      const wanted = key === undefined ? all : all.filter((entry) => entry.key === key);
      const page = readPage(query);
      const items = wanted.slice(page.offset, page.offset + page.limit);
      return envelope(url, page, { count: wanted.length, items }, presentHistory);
    },
  });
}
