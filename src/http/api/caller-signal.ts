import type { FastifyReply } from 'fastify';
import { Failure } from '../../core/errors.ts';

const queryCancelled = (): Failure =>
  new Failure('invalid', 'The client closed the connection before the answer was ready.', { code: 'query_cancelled' });

const signals = new WeakMap<FastifyReply, AbortSignal>();

/** Aborted when the connection closes before the answer was sent. One for all queries of a request. */
export function callerSignal(reply: FastifyReply): AbortSignal {
  const known = signals.get(reply);
  if (known !== undefined) return known;
  const abort = new AbortController();
  signals.set(reply, abort.signal);
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) abort.abort(queryCancelled());
  });
  return abort.signal;
}
