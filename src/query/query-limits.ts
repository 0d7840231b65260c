/** How long a question may take, and what ends it before that. */
import { Failure } from '../core/errors.ts';

const narrow = 'Narrow it: a shorter range of dates, fewer series or values of a breakdown, or another filter.';

const queryTooSlow = (seconds: number): Failure =>
  new Failure('invalid', `The question took longer than ${seconds} seconds and was stopped. ${narrow}`, {
    code: 'query_too_slow',
  });

/** Not the caller's fault in itself, but nobody else can mend it. */
export const queryTooLarge = (cause?: unknown): Failure =>
  new Failure('invalid', `The question needs more memory than there is for it. ${narrow}`, {
    code: 'query_too_large',
    cause,
  });

/** Runs `work` until its time is over or somebody ends it; whoever waits hears of that at once. */
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
