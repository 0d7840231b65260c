/** How the private API parses bodies: JSON, forms and multipart all become a plain object. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Failure } from '../core/errors.ts';
import { isDeeperThan } from '../core/json/clean-json.ts';
import { hasTooManyContainers } from '../core/json/count-containers.ts';
import { parseExact } from '../core/json/exact-json.ts';

/** Without a limit, serializing such a value would exhaust the stack. */
const MAX_DEPTH = 100;

export function addBodyParsers(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, async (_request: unknown, body: Buffer) =>
    parseJsonBody(body),
  );
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string' },
    async (_request: unknown, text: string) => plainFields(new URLSearchParams(text)),
  );
  app.addContentTypeParser(
    'multipart/form-data',
    { parseAs: 'buffer' },
    async (request: FastifyRequest, body: Buffer) => parseMultipart(body, request.headers['content-type'] ?? ''),
  );
}

export function parseJsonBody(body: Buffer): unknown {
  // Checked before the caller is authenticated.
  if (hasTooManyContainers(body))
    throw new Failure('malformed', 'JSON parse error - more lists and objects than this server takes');
  const text = body.toString('utf8');
  if (text.trim() === '') return {};
  let value: unknown;
  try {
    value = parseExact(text);
  } catch (cause) {
    throw new Failure('malformed', `JSON parse error - ${(cause as Error).message}`, { cause });
  }
  if (isDeeperThan(value, MAX_DEPTH)) {
    throw new Failure('malformed', `JSON parse error - nested more than ${MAX_DEPTH} levels deep`);
  }
  return value;
}

/** The last of several fields with one name counts. A field called `__proto__` becomes data like any other. */
function plainFields(fields: Iterable<[string, unknown]>): Record<string, unknown> {
  return Object.fromEntries(fields);
}

async function parseMultipart(body: Buffer, contentType: string): Promise<Record<string, unknown>> {
  try {
    const form = await new Response(body, { headers: { 'content-type': contentType } }).formData();
    return plainFields(form.entries());
  } catch (cause) {
    throw new Failure('malformed', `Multipart form parse error - ${(cause as Error).message}`, { cause });
  }
}
