/** What every public endpoint reads of a request: its payload, the fields of a form and the query. */
import { isUtf8 } from 'node:buffer';
import type { FastifyRequest } from 'fastify';
import type { MaybePromise } from '../../lib/maybe-async.ts';
import { type DecodedRequest, decodeRequest, NO_FIELDS, type QueryValues } from './decode/decode-request.ts';

/** The part of a request that is read, on the fast path or in the web framework. */
export type PublicRequest = Pick<FastifyRequest, 'id' | 'method' | 'headers' | 'query' | 'body' | 'ip'>;

export interface ReadRequest extends DecodedRequest {
  query: QueryValues;
}

/** Without a promise where the body is plain JSON, as most are: the decoder would give the same, after more checks. */
export function readPublicRequest(
  request: Omit<PublicRequest, 'id' | 'ip'>,
  { maxBytes, maxRatio }: { maxBytes: number; maxRatio: number },
  protocol: 'v0' | 'v1' = 'v0',
): MaybePromise<ReadRequest> {
  const query = queryValues(request);
  if (isPlainJson(request)) return { payload: request.body as Buffer, formFields: NO_FIELDS, query };
  const { method, headers, body } = request;
  const decoded = decodeRequest({
    method,
    contentType: headers['content-type'],
    contentEncoding: headers['content-encoding'],
    query,
    rawBody: Buffer.isBuffer(body) ? body : NO_BODY,
    maxBytes,
    maxRatio,
    protocol,
  });
  return decoded.then(({ payload, formFields }) => ({ payload, formFields, query }));
}

const NO_BODY = Buffer.alloc(0);

type PublicQuery = Readonly<Record<string, string | string[] | undefined>>;

/** Query parameters; of several with one name the last counts. */
export function queryValues(request: Pick<PublicRequest, 'query'>): QueryValues {
  const query = request.query as PublicQuery;
  return {
    get: (name) => {
      const value = query[name];
      return Array.isArray(value) ? value.at(-1) : value;
    },
  };
}

/** How much work it may be to decode: its size, and whether it may unpack to more. */
export const workOf = (request: Omit<PublicRequest, 'id' | 'ip'>): [bytes: number, isPacked: boolean] => [
  Buffer.isBuffer(request.body) ? request.body.length : 0,
  !isPlainJson(request),
];

export const MAX_PLAIN_BYTES = 64 * 1024;
const BRACE = 0x7b;

function isPlainJson({ method, body, headers, query }: Omit<PublicRequest, 'id' | 'ip'>): boolean {
  if (method !== 'POST' || !Buffer.isBuffer(body) || body[0] !== BRACE || body.length > MAX_PLAIN_BYTES) return false;
  if (headers['content-encoding'] !== undefined || (query as PublicQuery)['compression'] !== undefined) return false;
  const type = headers['content-type'];
  const isPlain = type === undefined || type.startsWith('application/json') || type.startsWith('text/plain');
  return isPlain && isUtf8(body);
}

/** The caller's address; some proxies append a port to an IPv4 address. */
export const callerAddress = (request: Pick<PublicRequest, 'ip'>): string | null =>
  request.ip?.replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, '$1') ?? null;
