/**
 * One attempt to tell a webhook something. Only the status and `Retry-After` of the answer are read; its body is thrown
 * away unread, whatever its size. Redirects are not followed: a webhook is at the address that an admin has written
 * down, and nowhere else.
 */
export type PostOutcome =
  | { kind: 'taken' }
  /** It may go better later; not before `retryAfterMs`, where the other side said so. */
  | { kind: 'failed'; why: string; retryAfterMs: number }
  /** It will never go better: the address or the message is not right. */
  | { kind: 'refused'; why: string };

export interface PostOptions {
  timeoutMs: number;
  /** Ends the attempt at once. */
  signal: AbortSignal;
  /** For a `Retry-After` that is a date. */
  now: number;
}

/** Answers that other servers give to the same request while they cannot, or not so fast. */
const WORTH_TRYING_AGAIN = new Set([408, 425, 429]);

export async function postToWebhook(url: string, text: string, options: PostOptions): Promise<PostOutcome> {
  const { timeoutMs, signal, now } = options;
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'user-agent': 'Cairn' },
      body: JSON.stringify({ text }),
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    });
    await response.body?.cancel();
    return outcomeOf(response.status, response.headers.get('retry-after'), now);
  } catch (error) {
    return { kind: 'failed', why: reasonOf(error), retryAfterMs: 0 };
  }
}

function outcomeOf(status: number, retryAfter: string | null, now: number): PostOutcome {
  if (status >= 200 && status < 300) return { kind: 'taken' };
  const why = `it answered ${status}`;
  if (status >= 500 || WORTH_TRYING_AGAIN.has(status)) {
    return { kind: 'failed', why, retryAfterMs: readRetryAfter(retryAfter, now) };
  }
  return { kind: 'refused', why: status < 400 ? `${why}, a redirect, and those are not followed` : why };
}

/** Whoever asks for more than this is asked again after it. */
const LONGEST_WAIT_MS = 3_600_000;

/** Seconds, or a date; what is neither counts as not said. */
export function readRetryAfter(text: string | null, now: number): number {
  if (text === null) return 0;
  const ms = /^\s*\d+\s*$/.test(text) ? Number(text) * 1000 : Date.parse(text) - now;
  return Number.isNaN(ms) ? 0 : Math.min(Math.max(ms, 0), LONGEST_WAIT_MS);
}

/** `fetch` hides what went wrong in the cause. The address stays out of it: whoever has it can post to the channel. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  const code = (cause as { code?: unknown }).code;
  if (typeof code === 'string') return code;
  return cause instanceof Error ? cause.name : 'unknown';
}
