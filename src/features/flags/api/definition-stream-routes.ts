/**
 * `/flags/definitions/stream`: tells servers and relays, as server-sent events, when flag definitions have changed, so
 * that they need not poll. Whoever may read the definitions may listen.
 */
import { Type } from '@sinclair/typebox';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Query, queryText } from '../../../http/paging.ts';
import { ERROR_RESPONSES } from '../../../http/schemas/errors.ts';
import { lastEventId, STREAM_HEADERS } from '../../../http/server-sent-events.ts';
import { takeSocket } from '../../../http/take-socket.ts';
import { networkOf } from '../../../lib/network.ts';
import type { FlagStreams } from '../streams/flag-streams.ts';
import { DEFINITION_SCOPES, type DefinitionsAccess } from './definitions-access.ts';

const PATH = '/flags/definitions/stream';

interface DefinitionStreamDeps {
  flagStreams: FlagStreams;
  /** Throws unless the caller may read the definitions. */
  accessDefinitions(request: FastifyRequest): Promise<DefinitionsAccess>;
}

export function definitionStreamRoutes(app: FastifyInstance, deps: DefinitionStreamDeps): void {
  app.get(PATH, {
    schema: DOCUMENT,
    config: { isUncompressed: true },
    handler: (request, reply) => open(deps, request, reply),
  });
  // A stopping server waits for its connections, and these would never end.
  app.addHook('preClose', async () => deps.flagStreams.close());
}

async function open(deps: DefinitionStreamDeps, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const { flagStreams } = deps;
  const { project, credential } = await deps.accessDefinitions(request);
  const version = lastEventId(request);
  const state = await flagStreams.state(project.id, version);
  const network = networkOf(request.ip);
  // Nothing is waited for from here on.
  flagStreams.requireRoom({ projectId: project.id, network, credential });
  const taken = takeSocket(reply, STREAM_HEADERS);
  if (taken === null) return;
  const isFull = ['true', '1', ''].includes(queryText(request.query as Query, 'full')?.toLowerCase() ?? 'false');
  flagStreams.open(
    taken.socket,
    taken.head,
    {
      projectId: project.id,
      kind: isFull ? 'full' : 'version',
      credential,
      network,
      version,
      endsAt: Number.POSITIVE_INFINITY,
    },
    state,
  );
}

const DOCUMENT = {
  summary: 'Changes of flag definitions, as server-sent events',
  tags: ['feature flags'],
  'x-required-scope': DEFINITION_SCOPES,
  security: [{ personalKey: [] }, { session: [] }, { secretKey: [] }],
  querystring: {
    type: 'object',
    properties: {
      token: { type: 'string', description: 'The project key, to choose the project.' },
      full: { type: 'string', description: 'Send what has changed, too: for relays.' },
    },
  },
  headers: {
    type: 'object',
    properties: {
      'last-event-id': { type: 'string', description: 'With `full`: the version of which changes are sent.' },
    },
  },
  response: {
    200: Type.String({
      description:
        'A stream of `text/event-stream`: `version` at the start and with every change, `reset` with all definitions ' +
        'where changes are not known any more, `gone` when the project was deleted.',
    }),
    ...ERROR_RESPONSES,
  },
};
