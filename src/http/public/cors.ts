/**
 * Browsers call the public endpoints from other sites, some with credentials: then the answer must name the very origin
 * that asked. Errors carry the same headers, or the page would not even learn the status.
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

/** For a request that names its origin. */
export const corsHeaders = (headers: IncomingHttpHeaders): [name: string, value: string][] => [
  ['access-control-allow-origin', originOf(headers.origin ?? '')],
  ['access-control-allow-credentials', 'true'],
  ['access-control-allow-methods', 'GET, POST, OPTIONS'],
  ['access-control-allow-headers', allowedHeaders(headers).join(',')],
  ['vary', 'Origin'],
];

/** Scheme and host; an origin without a host (`null`, a file) gets the wildcard. */
const originOf = (origin: string): string => {
  const url = URL.canParse(origin) ? new URL(origin) : null;
  return url?.host ? `${url.protocol}//${url.host}` : '*';
};

/** Whatever the browser asks for may be sent: tracing headers of every vendor among them. */
function allowedHeaders(headers: IncomingHttpHeaders): string[] {
  const asked = String(headers['access-control-request-headers'] ?? '').split(',');
  const names = asked.map((name) => name.trim()).filter((name) => /^[\w-]{1,100}$/.test(name));
  return [...ALWAYS_ALLOWED, ...names.filter((name) => !isAlwaysAllowed(name))];
}

const isAlwaysAllowed = (name: string): boolean =>
  ALWAYS_ALLOWED.some((allowed) => allowed.toLowerCase() === name.toLowerCase());
