/**
 * Browsers call the public endpoints from other sites, some with credentials: then the answer must name the very origin
 * that asked. Errors carry the same headers, or the page would not even learn the status.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

const ALWAYS_ALLOWED = ['X-Requested-With', 'Content-Type'];

export function allowBrowsers(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    addCorsHeaders(request, reply);
    done();
  });
}

function addCorsHeaders(request: FastifyRequest, reply: FastifyReply): void {
  const { origin } = request.headers;
  if (origin === undefined) return;
  reply.header('access-control-allow-origin', originOf(origin));
  reply.header('access-control-allow-credentials', 'true');
  reply.header('access-control-allow-methods', 'GET, POST, OPTIONS');
  reply.header('access-control-allow-headers', allowedHeaders(request).join(','));
  reply.header('vary', 'Origin');
}

/** Scheme and host; an origin without a host (`null`, a file) gets the wildcard. */
const originOf = (origin: string): string => {
  const url = URL.canParse(origin) ? new URL(origin) : null;
  return url?.host ? `${url.protocol}//${url.host}` : '*';
};

/** Whatever the browser asks for may be sent: tracing headers of every vendor among them. */
function allowedHeaders(request: FastifyRequest): string[] {
  const asked = String(request.headers['access-control-request-headers'] ?? '').split(',');
  const names = asked.map((name) => name.trim()).filter((name) => /^[\w-]{1,100}$/.test(name));
  return [...ALWAYS_ALLOWED, ...names.filter((name) => !isAlwaysAllowed(name))];
}

const isAlwaysAllowed = (name: string): boolean =>
  ALWAYS_ALLOWED.some((allowed) => allowed.toLowerCase() === name.toLowerCase());
