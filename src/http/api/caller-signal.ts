import type { FastifyReply } from 'fastify';
import { Failure } from '../../core/errors.ts';

const queryCancelled = (): Failure =>
  new Failure('invalid', 'Nobody waits for the answer any more.', { code: 'query_cancelled' });

const signals = new WeakMap<FastifyReply, AbortSignal>();

/** Ends when the connection closes before the answer was sent. One for all questions of a request. */
export function callerSignal(reply: FastifyReply): AbortSignal {
  const known = signals.get(reply);
  if (known !== undefined) return known;
  const gone = new AbortController();
  signals.set(reply, gone.signal);
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) gone.abort(queryCancelled());
  });
  return gone.signal;
}
