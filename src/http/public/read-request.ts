/** What every public endpoint asks of a request before it looks at the events. */
import type { FastifyRequest } from 'fastify';
import type { DecodedRequest, QueryValues } from '../../ingest/decode/decode-request.ts';
import { decodeRequest } from '../../ingest/decode/decode-request.ts';

export type PublicQuery = Readonly<Record<string, string | string[] | undefined>>;

/** Query parameters as the decoder reads them; of several with one name the last counts. */
export function queryValues(request: FastifyRequest): QueryValues {
  const query = request.query as PublicQuery;
  return {
    get: (name) => {
      const value = query[name];
      return Array.isArray(value) ? value.at(-1) : value;
    },
  };
}

const NO_BODY = Buffer.alloc(0);

export function decode(request: FastifyRequest, maxBytes: number, protocol: 'v0' | 'v1'): Promise<DecodedRequest> {
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
