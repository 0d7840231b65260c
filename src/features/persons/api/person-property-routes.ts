/** Property names, property values and activity of persons. */
import type { FastifyInstance } from 'fastify';
import { notFound } from '../../../core/errors.ts';
import { listActivity } from '../../../http/api/activity-list.ts';
import { queryText } from '../../../http/paging.ts';
import { ACTIVITY_QUERY, ActivityPageSchema } from '../../../http/schemas/activity.ts';
import { createPatternSearch } from '../../../lib/search-pattern.ts';
import type { Project } from '../../../stores/metadata/accounts.ts';
import { PERSON_SCOPE } from '../persons.ts';
import { countPersonProperties, countPersonValues } from '../search/count-person-properties.ts';
import type { PersonApiDeps } from './deps.ts';
import { readPersonRef } from './person-query.ts';
import { personRoute } from './person-route.ts';
import { NameCountsSchema } from './person-schemas.ts';

export function personPropertyRoutes(app: FastifyInstance, deps: PersonApiDeps): void {
  const { persons } = deps.metadata;
  personRoute(app, deps, {
    method: 'GET',
    path: '/properties/',
    summary: 'Property names, and how many of the newest 100,000 persons have them',
    response: NameCountsSchema,
    handler: ({ project }) => countPersonProperties(persons, project.id),
  });
  personRoute(app, deps, {
    method: 'GET',
    path: '/values/',
    summary: 'The most frequent values of a person property',
    query: { key: 'The property.', value: 'Part of the value.' },
    response: NameCountsSchema,
    handler: async ({ project, query }) => {
      const key = queryText(query, 'key');
      const part = queryText(query, 'value') || undefined;
      return key ? countPersonValues({ persons, search: createPatternSearch() }, project.id, key, part) : [];
    },
  });
  activityRoutes(app, deps);
}

function activityRoutes(app: FastifyInstance, deps: PersonApiDeps): void {
  const about = ({ id, organizationId }: Project) => ({ organizationId, projectId: id, scope: PERSON_SCOPE });
  personRoute(app, deps, {
    method: 'GET',
    path: '/activity/',
    summary: 'Activity log of all persons',
    query: ACTIVITY_QUERY,
    response: ActivityPageSchema,
    handler: ({ project, query, url }) => listActivity(deps, about(project), query, url),
  });
  personRoute(app, deps, {
    method: 'GET',
    path: '/:id/activity/',
    summary: 'Activity log of a person',
    query: ACTIVITY_QUERY,
    response: ActivityPageSchema,
    handler: async ({ project, params, query, url }) => {
      const ref = readPersonRef(params['id']);
      const person = ref && (await deps.metadata.persons.get(project.id, ref));
      const id = person?.id ?? (ref && 'id' in ref ? ref.id : undefined);
      if (id === undefined) throw notFound();
      const page = await listActivity(deps, { ...about(project), itemId: String(id) }, query, url);
      // A deleted person still has an activity log.
      if (!person && page.total_count === 0) throw notFound();
      return page;
    },
  });
}
