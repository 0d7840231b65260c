/** How the private API parses bodies: JSON, forms and multipart all become a plain object. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Failure } from '../core/errors.ts';
import { isDeeperThan } from '../core/json/clean-json.ts';
import { parseExact } from '../core/json/exact-json.ts';
import { exceedsJsonLimits } from '../core/json/measure-json.ts';
import type { Admission } from './admission/admission.ts';
import { parseMultipart, parseUrlEncoded } from './admission/forms.ts';
import { receivedBody } from './admission/receive-bodies.ts';

/** Without a limit, serializing such a value would exhaust the stack. */
const MAX_DEPTH = 100;
/** Checked before the caller is authenticated. Parsing takes a microsecond or two for each. */
const JSON_LIMITS = { containers: 20_000, values: 50_000 };

type Parse = (body: Buffer, contentType: string) => unknown;

const PARSERS: Readonly<Record<string, Parse>> = {
  'application/json': parseJsonBody,
  'application/x-www-form-urlencoded': (body) => plainFields(parseUrlEncoded(body)),
  'multipart/form-data': async (body, contentType) => plainFields((await parseMultipart(body, contentType)).entries()),
};

export function addBodyParsers(app: FastifyInstance, admission: Admission): void {
  app.removeAllContentTypeParsers();
  for (const [type, parse] of Object.entries(PARSERS)) {
    app.addContentTypeParser(type, async (request: FastifyRequest) => {
      const body = receivedBody(request);
      return admission.decode(body.length, false, async () => parse(body, request.headers['content-type'] ?? ''));
    });
  }
}

export function parseJsonBody(body: Buffer): unknown {
  if (exceedsJsonLimits(body, JSON_LIMITS))
    throw new Failure('malformed', 'JSON parse error - more lists, objects or values than this server takes');
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
