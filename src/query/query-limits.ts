/** Time and memory limits of queries. */
import { Failure } from '../core/errors.ts';

const narrow = 'Use a shorter range of dates, fewer series or breakdown values, or another filter.';

const queryTooSlow = (seconds: number): Failure =>
  new Failure('invalid', `The query took longer than ${seconds} seconds and was stopped. ${narrow}`, {
    code: 'query_too_slow',
  });

/** An error of the caller, who alone can change the query. */
export const queryTooLarge = (cause?: unknown): Failure =>
  new Failure('invalid', `The query needs more memory than it may use. ${narrow}`, {
    code: 'query_too_large',
    cause,
  });

/** Runs `work` with a time limit; rejects at once when it is over or `stopped` is aborted. */
export async function withQueryLimits<T>(
  seconds: number,
  stopped: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  stopped.throwIfAborted();
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(queryTooSlow(seconds)), seconds * 1000);
  const signal = AbortSignal.any([stopped, late.signal]);
  try {
    const ended = new Promise<never>((_, reject) =>
      signal.addEventListener('abort', () => reject(signal.reason), { once: true }),
    );
    const answer = work(signal);
    answer.catch(() => undefined);
    return await Promise.race([answer, ended]);
  } finally {
    clearTimeout(timer);
  }
}
