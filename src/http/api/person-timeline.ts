import type { FastifyInstance } from 'fastify';
import { dateRange } from '../../core/time/date-range.ts';
import { propertiesTimeline } from '../../insights/properties-timeline.ts';
import { findPerson } from '../../manage/persons.ts';
import { readPersonRef } from '../person-query.ts';
import { presentTimeline, TIMELINE_QUERY, TimelineSchema } from '../schemas/timeline.ts';
import { readTimeline } from '../timeline-query.ts';
import type { ApiDeps } from './deps.ts';
import { personRoute } from './person-route.ts';

export function personTimelineRoutes(app: FastifyInstance, deps: ApiDeps): void {
  const { persons } = deps.metadata;
  personRoute(app, deps, {
    method: 'GET',
    path: '/:id/properties_timeline/',
    summary: 'What the person was like when they did things: a point for each change that matters to an insight',
    query: TIMELINE_QUERY,
    response: TimelineSchema,
    handler: async ({ project, params, query }) => {
      const person = await findPerson(persons, project.id, readPersonRef(params['id']));
      const { events, keys, range: asked } = readTimeline(query);
      const { timezone } = project;
      const range = dateRange({ ...asked, timezone, now: deps.clock.now(), earliest: person.createdAt });
      const points = await propertiesTimeline({ ...deps, persons }, { person, events, keys, ...range });
      return presentTimeline(points, keys, range);
    },
  });
}
