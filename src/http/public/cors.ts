/**
 * Browsers call the public endpoints from other sites, some with credentials: then the response must name the origin.
 * Errors have the same headers, or the page could not read the status.
 */
import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyInstance } from 'fastify';

const ALWAYS_ALLOWED = ['X-Requested-With', 'Content-Type'];

export function addCors(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    const { headers } = request;
    if (headers.origin !== undefined) for (const [name, value] of corsHeaders(headers)) reply.header(name, value);
    done();
  });
}

/** For a request with an `Origin` header. */
export const corsHeaders = (headers: IncomingHttpHeaders): [name: string, value: string][] => [
  ['access-control-allow-origin', originOf(headers.origin ?? '')],
  ['access-control-allow-credentials', 'true'],
  ['access-control-allow-methods', 'GET, POST, OPTIONS'],
  ['access-control-allow-headers', allowedHeaders(headers).join(',')],
  ['vary', 'Origin'],
];

/** Scheme and host; the wildcard for an origin without a host, such as `null` or a file. */
const originOf = (origin: string): string => {
  const url = URL.canParse(origin) ? new URL(origin) : null;
  return url?.host ? `${url.protocol}//${url.host}` : '*';
};

/** All headers that the browser asks for, such as tracing headers of any vendor. */
function allowedHeaders(headers: IncomingHttpHeaders): string[] {
  const requested = String(headers['access-control-request-headers'] ?? '').split(',');
  const names = requested.map((name) => name.trim()).filter((name) => /^[\w-]{1,100}$/.test(name));
  return [...ALWAYS_ALLOWED, ...names.filter((name) => !isAlwaysAllowed(name))];
}

const isAlwaysAllowed = (name: string): boolean =>
  ALWAYS_ALLOWED.some((allowed) => allowed.toLowerCase() === name.toLowerCase());
