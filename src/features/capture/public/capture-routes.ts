/** Capture as SDKs have always spoken it: one event or a batch, in any encoding, with the key wherever it may be. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type ExtractedEvents, extractEvents } from '../../../core/events/extract-events.ts';
import { parseBody } from '../../../http/public/decode/parse-body.ts';
import { queryValues, type ReadRequest } from '../../../http/public/read-request.ts';
import { accept, type Sender } from './accept.ts';
import { CAPTURE_DOCUMENTS } from './capture-schemas.ts';
import type { CaptureDeps } from './deps.ts';
import { sentAtOf } from './sent-at.ts';

const PATHS = ['/capture/', '/batch/', '/e/', '/track/', '/engage/', '/s/', '/i/v0/e/'];
const OK = { status: 1 };

export function captureRoutes(app: FastifyInstance, deps: CaptureDeps): void {
  for (const url of PATHS) {
    const engage = url === '/engage/';
    const handler = (request: FastifyRequest, reply: FastifyReply) => capture(deps, request, reply, engage);
    app.get(url, { schema: { hide: true } }, handler);
    app.post(url, { schema: CAPTURE_DOCUMENTS[url] ?? { hide: true } }, handler);
    app.options(url, { schema: { hide: true } }, async () => OK);
  }
}

async function capture(deps: CaptureDeps, request: FastifyRequest, reply: FastifyReply, engage: boolean) {
  const isGet = request.method === 'GET';
  await accept(deps, request, {
    encodings: 'v0',
    async read(decoded) {
      const extracted = extractEvents(await parseBody(decoded.payload));
      const { query, formFields, payload } = decoded;
      const sentAt = sentAtOf({ query, body: extracted.sentAt, form: formFields.get('sent_at') });
      const { events, historicalMigration: historical } = extracted;
      return {
        ...senderOf(decoded, extracted, isGet),
        readEvents: () => ({ events, payload, sentAt, engage, historical }),
      };
    },
  });
  return queryValues(request).get('beacon') === '1' ? reply.code(204).send() : OK;
}

/** The key is in the query of a GET, in a form or in the payload; a personal key comes with a project. */
function senderOf({ query, formFields }: ReadRequest, extracted: ExtractedEvents, isGet: boolean): Sender {
  const inQuery = isGet ? query.get('token') || query.get('api_key') : undefined;
  const key = inQuery || formFields.get('api_key') || formFields.get('token') || extracted.key;
  return { key, projectId: formFields.get('project_id') ?? extracted.projectId ?? query.get('project_id') };
}
