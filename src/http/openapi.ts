import type { FastifySchema } from 'fastify';
import { VERSION } from '../version.ts';
import { ERROR_RESPONSES } from './schemas/errors.ts';

/** The OpenAPI document without its routes, which are added when they are registered. */
export const OPENAPI = {
  openapi: '3.1.0',
  info: {
    title: 'Cairn',
    version: VERSION,
    description:
      'Product analytics and feature flags. Private endpoints take a personal key (`phx_…`) or a console session; ' +
      'public endpoints take the project key (`phc_…`) in the body. A trailing slash is optional on every path.',
    license: { name: 'MIT', identifier: 'MIT' },
  },
  components: {
    securitySchemes: {
      personalKey: { type: 'http', scheme: 'bearer', description: 'A personal API key: `phx_…`' },
      secretKey: { type: 'http', scheme: 'bearer', description: 'The secret key of a project: `phs_…`' },
      projectKey: { type: 'http', scheme: 'bearer', description: 'The key of a project: `phc_…`' },
      projectKeyHeader: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'The same in a header.' },
      session: {
        type: 'apiKey',
        in: 'cookie',
        name: 'cairn_session',
        description: 'A session of the console; on https the name is `__Host-cairn_session`.',
      },
    },
  },
} as const;

const NO_BODY = { type: 'null', description: 'Done; there is no body.' };

/** What a private route says of itself, with its responses as the document has them. */
export function withResponse({ schema, url }: { schema: FastifySchema; url: string }) {
  const { answer, ...rest } = (schema ?? {}) as { answer?: { status: number; response?: object } };
  if (answer === undefined) return { schema, url };
  return { schema: { ...rest, response: { [answer.status]: answer.response ?? NO_BODY, ...ERROR_RESPONSES } }, url };
}
