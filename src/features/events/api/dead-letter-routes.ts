import type { FastifyInstance } from 'fastify';
import { notFound } from '../../../core/errors.ts';
import { projectRoute } from '../../../http/api/route.ts';
import { envelope, readPage } from '../../../http/paging.ts';
import { idFromPath } from '../../../http/path-ids.ts';
import { PAGE_QUERY, pageSchema } from '../../../http/schemas/common.ts';
import { replayDeadLetter, replayDeadLetters } from '../../../ingest/track/replay-dead-letters.ts';
import type { EventApiDeps } from './deps.ts';
import { DeadLetterSchema, presentDeadLetter, ReplayedLettersSchema, ReplayedSchema } from './event-fate-schemas.ts';

const tag = 'ingestion';
const LIST = '/api/projects/:project_id/dead_letters/';
/** Of one request: each is written to the log on its own. */
const MAX_REPLAYS = 1000;

export function deadLetterRoutes(app: FastifyInstance, deps: EventApiDeps): void {
  const { deadLetters } = deps.metadata;
  projectRoute(app, deps, {
    method: 'GET',
    url: LIST,
    summary: 'Events that could not be processed, newest first',
    tag,
    scope: 'ingestion_warning',
    query: PAGE_QUERY,
    response: pageSchema(DeadLetterSchema),
    handler: async ({ project, query, url }) => {
      const page = readPage(query);
      return envelope(url, page, await deadLetters.list(project.id, page), presentDeadLetter);
    },
  });
  projectRoute(app, deps, {
    method: 'GET',
    url: `${LIST}:id/`,
    summary: 'One event that could not be processed',
    tag,
    scope: 'ingestion_warning',
    response: DeadLetterSchema,
    handler: async ({ project, params }) => {
      const letter = await deadLetters.get(project.id, idFromPath(params));
      if (!letter) throw notFound();
      return presentDeadLetter(letter);
    },
  });
  projectRoute(app, deps, {
    method: 'POST',
    url: `${LIST}replay/`,
    edits: ['data management'],
    summary: 'Process the oldest dead letters again, up to 1,000; call it again while some remain',
    tag,
    scope: 'ingestion_warning',
    query: { limit: 'How many, 1,000 unless given.' },
    response: ReplayedLettersSchema,
    handler: async ({ project, query }) => {
      const limit = Math.min(readPage({ limit: String(MAX_REPLAYS), ...query }).limit, MAX_REPLAYS);
      return { success: true, ...(await replayDeadLetters({ ...deps, deadLetters }, project.id, limit)) };
    },
  });
  projectRoute(app, deps, {
    method: 'POST',
    url: `${LIST}:id/replay/`,
    edits: ['data management'],
    summary: 'Process an event again, with its original arrival time',
    tag,
    scope: 'ingestion_warning',
    response: ReplayedSchema,
    handler: async ({ project, params }) => {
      const { eventUuid } = await replayDeadLetter({ ...deps, deadLetters }, project.id, idFromPath(params));
      return { success: true, event_uuid: eventUuid };
    },
  });
}
