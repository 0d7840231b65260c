/**
 * Flag definitions for local evaluation, at the three paths that SDKs of different ages use. The project's secret key is
 * accepted beside a personal key, so that a server that polls does not need the key of a person.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Query, queryText } from '../../../http/paging.ts';
import { ERROR_RESPONSES } from '../../../http/schemas/errors.ts';
import type { Project } from '../../../stores/metadata/accounts.ts';
import type { FlagSnapshots } from '../decide/flag-snapshots.ts';
import { DEFINITION_SCOPES, type DefinitionsAccess } from './definitions-access.ts';
import { readEntityTag, serializeLocalDefinitions } from './local-definitions.ts';
import { LocalDefinitionsSchema } from './local-evaluation-schemas.ts';

const NESTED = '/api/projects/:project_id/feature_flags/local_evaluation/';
const PATHS = [NESTED, '/api/feature_flag/local_evaluation/', '/flags/definitions'];

interface LocalEvaluationDeps {
  flagSnapshots: Pick<FlagSnapshots, 'get'>;
  /** Throws unless the caller may read the definitions. */
  accessDefinitions(request: FastifyRequest): Promise<DefinitionsAccess>;
}

export function localEvaluationRoutes(app: FastifyInstance, deps: LocalEvaluationDeps): void {
  for (const url of PATHS) {
    app.get(url, {
      schema: document(url),
      config: { isUncompressed: true },
      onRequest: async (request) => {
        request.project = (await deps.accessDefinitions(request)).project;
      },
      handler: (request, reply) => answer(deps, request, reply),
    });
  }
  app.options('/flags/definitions', { schema: { hide: true } }, async (_request, reply) =>
    reply.code(204).header('allow', 'GET, HEAD, OPTIONS').send(),
  );
}

async function answer(deps: LocalEvaluationDeps, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const snapshot = await deps.flagSnapshots.get((request.project as Project).id);
  const { text, tag } = serializeLocalDefinitions(snapshot, wantsCohorts(request.query as Query));
  reply.header('etag', `W/"${tag}"`).header('cache-control', 'private, must-revalidate');
  if (readEntityTag(request.headers['if-none-match']) === tag) return reply.code(304).send();
  return reply.type('application/json; charset=utf-8').send(text);
}

/** SDKs send the bare name without a value. */
function wantsCohorts(query: Query): boolean {
  const given = queryText(query, 'send_cohorts');
  return given !== undefined && !['false', '0'].includes(given.toLowerCase());
}

const document = (url: string): object => ({
  summary: 'Flag definitions for local evaluation',
  tags: ['feature flags'],
  'x-required-scope': DEFINITION_SCOPES,
  security: [{ personalKey: [] }, { session: [] }, { secretKey: [] }],
  ...(url === NESTED
    ? { params: { type: 'object', properties: { project_id: { type: 'string' } } } }
    : { deprecated: url.startsWith('/api/') }),
  querystring: {
    type: 'object',
    properties: {
      send_cohorts: {
        type: 'string',
        description: 'Include the criteria of cohorts instead of expanding them into conditions.',
      },
      token: { type: 'string', description: 'The project key, to choose the project.' },
    },
  },
  response: { 200: LocalDefinitionsSchema, ...ERROR_RESPONSES },
});
