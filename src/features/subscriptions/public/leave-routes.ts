/**
 * `/unsubscribe/digest/TOKEN`, the link at the end of each mail of a digest. Opening it changes nothing, since mail
 * servers open links to look at them; a POST does, from the page's button or from a mail program (RFC 8058).
 */
import type { FastifyInstance } from 'fastify';
import type { SendConsolePage } from '../../../http/console-routes.ts';
import { type DigestLinkDeps, DigestLinks, leaveDigest } from '../digest-links.ts';

interface LeaveRouteDeps extends DigestLinkDeps {
  config: { publicUrl: string | null };
}

const hidden = { schema: { hide: true }, logLevel: 'warn' } as const;
const PATH = '/unsubscribe/digest/:token';
const HEADERS = { 'cache-control': 'no-store', 'x-robots-tag': 'noindex' };

export function leaveRoutes(app: FastifyInstance, deps: LeaveRouteDeps, sendPage: SendConsolePage): void {
  const links = new DigestLinks(deps, deps.config.publicUrl);
  app.get(PATH, hidden, (request, reply) => sendPage(request, reply.headers(HEADERS)));
  app.post(PATH, hidden, async (request, reply) => {
    reply.headers(HEADERS);
    await leaveDigest(deps, links, (request.params as { token?: string }).token ?? '');
    return { success: true };
  });
}
