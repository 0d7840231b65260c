import type { FastifyInstance } from 'fastify';
import { invalid } from '../../../core/errors.ts';
import { loadActions } from '../../../query/filters/project-actions.ts';
import { propertiesTimeline } from '../history/properties-timeline.ts';
import { getPerson } from '../persons.ts';
import { timelineRange } from '../rules/timeline-range.ts';
import type { PersonApiDeps } from './deps.ts';
import { readPersonRef } from './person-query.ts';
import { personRoute } from './person-route.ts';
import { readTimelineQuery } from './timeline-query.ts';
import { presentTimeline, TIMELINE_QUERY, TimelineSchema } from './timeline-schemas.ts';

async function checkActions({ metadata }: PersonApiDeps, projectId: number, ids: readonly number[]): Promise<void> {
  const known = await loadActions(metadata, projectId);
  const unknown = ids.find((id) => known(id) === undefined);
  if (unknown !== undefined) throw invalid('actions', `Action ID ${unknown} does not exist!`);
}

export function personTimelineRoutes(app: FastifyInstance, deps: PersonApiDeps): void {
  const { persons } = deps.metadata;
  personRoute(app, deps, {
    method: 'GET',
    path: '/:id/properties_timeline/',
    summary: 'Properties of the person over time: a point for each change that matters to an insight',
    query: TIMELINE_QUERY,
    response: TimelineSchema,
    handler: async ({ project, params, query }) => {
      const person = await getPerson(persons, project.id, readPersonRef(params['id']));
      const { selection, keys, dates } = readTimelineQuery(query);
      await checkActions(deps, project.id, selection?.actions ?? []);
      const context = { now: deps.clock.now(), timezone: project.timezone, earliest: person.createdAt };
      const range = timelineRange(dates, context);
      const points = await propertiesTimeline({ ...deps, persons }, { person, selection, keys, ...range });
      return presentTimeline(points, keys, range);
    },
  });
}
