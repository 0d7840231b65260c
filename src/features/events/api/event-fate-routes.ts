import type { FastifyInstance } from 'fastify';
import { notFound } from '../../../core/errors.ts';
import { projectRoute } from '../../../http/api/route.ts';
import { envelope, queryText, readPage } from '../../../http/paging.ts';
import { PAGE_QUERY, pageSchema } from '../../../http/schemas/common.ts';
import { type FateDeps, fateOfEvent } from '../../../ingest/track/event-fate.ts';
import { getEvent } from '../list-events.ts';
import type { EventApiDeps } from './deps.ts';
import {
  DroppedEventSchema,
  EventFateSchema,
  IngestionWarningSchema,
  presentDroppedEvent,
  presentEventFate,
  presentIngestionWarning,
} from './event-fate-schemas.ts';
import { readEventUuid } from './event-query.ts';

const tag = 'ingestion';

export function eventFateRoutes(app: FastifyInstance, deps: EventApiDeps): void {
  const { fates, deadLetters, warnings } = deps.metadata;
  const fateDeps: FateDeps = {
    fates,
    deadLetters,
    findPending: deps.findPending,
    arrivalOf: async (projectId, uuid) => (await getEvent(deps, projectId, uuid))?.createdAt ?? null,
  };
  projectRoute(app, deps, {
    method: 'GET',
    url: '/api/projects/:project_id/events/:uuid/fate/',
    summary: 'What became of an event: stored, pending, dropped, dead-lettered',
    tag,
    scope: 'ingestion_warning',
    response: EventFateSchema,
    handler: async ({ project, params }) => {
      const fate = await fateOfEvent(fateDeps, project.id, readEventUuid(params['uuid']));
      if (!fate) throw notFound(`No event with UUID ${params['uuid']} has been accepted, or it was dropped long ago.`);
      return presentEventFate(fate);
    },
  });
  projectRoute(app, deps, {
    method: 'GET',
    url: '/api/projects/:project_id/dropped_events/',
    summary: 'Events that were accepted but not stored, and why, newest first',
    tag,
    scope: 'ingestion_warning',
    query: PAGE_QUERY,
    response: pageSchema(DroppedEventSchema),
    handler: async ({ project, query, url }) => {
      const page = readPage(query);
      return envelope(url, page, await fates.listDropped(project.id, page), presentDroppedEvent);
    },
  });
  projectRoute(app, deps, {
    method: 'GET',
    url: '/api/projects/:project_id/ingestion_warnings/',
    summary: 'What was odd about events, newest first',
    tag,
    scope: 'ingestion_warning',
    query: { ...PAGE_QUERY, type: 'Only warnings of this type.' },
    response: pageSchema(IngestionWarningSchema),
    handler: async ({ project, query, url }) => {
      const page = readPage(query);
      const found = await warnings.list(project.id, queryText(query, 'type') || undefined, page);
      return envelope(url, page, found, presentIngestionWarning);
    },
  });
}
