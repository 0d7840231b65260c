/** What every public endpoint asks of a request before it looks at the events. */
import { isUtf8 } from 'node:buffer';
import type { FastifyRequest } from 'fastify';
import type { DecodedRequest, QueryValues } from './decode/decode-request.ts';
import { decodeRequest } from './decode/decode-request.ts';

/** What the decoder looks at, whoever took the request in. */
export type PublicRequest = Pick<FastifyRequest, 'id' | 'method' | 'headers' | 'query' | 'body'>;

type PublicQuery = Readonly<Record<string, string | string[] | undefined>>;

/** Query parameters as the decoder reads them; of several with one name the last counts. */
export function queryValues(request: Pick<PublicRequest, 'query'>): QueryValues {
  const query = request.query as PublicQuery;
  return {
    get: (name) => {
      const value = query[name];
      return Array.isArray(value) ? value.at(-1) : value;
    },
  };
}

/** Longer bodies are worth the decoder's second look. */
export const MAX_PLAIN_BYTES = 64 * 1024;
const BRACE = 0x7b;

/**
 * A short body that is JSON and says nothing else, as most are; undefined for all others. The decoder would find the
 * same, by way of all the wrappings there are.
 */
export function plainJson({ body, headers, query }: PublicRequest): Buffer | undefined {
  if (!Buffer.isBuffer(body) || body[0] !== BRACE || body.length > MAX_PLAIN_BYTES) return undefined;
  if (headers['content-encoding'] !== undefined || (query as PublicQuery)['compression'] !== undefined)
    return undefined;
  const type = headers['content-type'];
  const isPlain = type === undefined || type.startsWith('application/json') || type.startsWith('text/plain');
  return isPlain && isUtf8(body) ? body : undefined;
}

const NO_BODY = Buffer.alloc(0);

export function decode(
  request: Omit<PublicRequest, 'id'>,
  maxBytes: number,
  protocol: 'v0' | 'v1',
): Promise<DecodedRequest> {
  return decodeRequest({
    method: request.method,
    contentType: request.headers['content-type'],
    contentEncoding: request.headers['content-encoding'],
    query: queryValues(request),
    rawBody: Buffer.isBuffer(request.body) ? request.body : NO_BODY,
    maxBytes,
    protocol,
  });
}

/** The caller's address; some proxies append a port to an IPv4 address. */
export const callerAddress = (request: FastifyRequest): string | null =>
  request.ip?.replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, '$1') ?? null;
