/**
 * A HEAD request is answered by the route for GET; Node leaves the body out. With routes of its own for HEAD, as the
 * framework has them otherwise, a start took a seventh longer and the server 15 MB more.
 */
import type { IncomingMessage } from 'node:http';
import { Failure } from '../core/errors.ts';

const heads = new WeakSet<IncomingMessage>();

/** For the framework's `rewriteUrl`, which comes before its routing; the URL stays. Node has seen the method by then. */
export function routeHeadAsGet(request: IncomingMessage): string {
  if (request.method === 'HEAD') {
    heads.add(request);
    request.method = 'GET';
  }
  return request.url ?? '';
}

export const isHead = (request: IncomingMessage): boolean => heads.has(request);

/** Where the answer is a stream: its sender does not expect one that goes on. */
export function refuseHead(request: IncomingMessage): void {
  if (isHead(request)) throw new Failure('method_not_allowed', 'Method "HEAD" not allowed.');
}
