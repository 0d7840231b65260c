/** Who may read metrics and status: callers with a key or a session, and this machine. */
import type { FastifyRequest } from 'fastify';
import { Failure } from '../../core/errors.ts';
import { isLoopback } from '../../lib/network.ts';

/** Behind a proxy on this machine, everybody connects from loopback; proxies say so with one of these. */
const PROXY_HEADERS = ['x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip', 'forwarded', 'via'];

/** A connection from this machine that no proxy passed on. Headers can only take this away, so they cannot be forged. */
const isFromThisMachine = ({ socket, headers }: FastifyRequest): boolean =>
  isLoopback(socket.remoteAddress ?? '') && PROXY_HEADERS.every((name) => headers[name] === undefined);

export async function requireMonitoringAccess(
  request: FastifyRequest,
  isPublic: boolean,
  findCaller: (request: FastifyRequest) => Promise<unknown>,
): Promise<void> {
  if (isPublic || isFromThisMachine(request) || (await findCaller(request)) !== null) return;
  throw new Failure(
    'unauthenticated',
    'Send a personal API key (Authorization: Bearer phx_…), ask from the server itself, or set MONITORING_PUBLIC=true.',
    { code: 'not_authenticated' },
  );
}
