/**
 * One attempt to tell a webhook something. Only the status and `Retry-After` of the answer are read; its body is thrown
 * away unread, whatever its size. Redirects are not followed: a webhook is at the address that an admin has written
 * down, and nowhere else. Unless the operator allows it, that is no address of the inside: whoever may choose a webhook
 * must not thereby reach what only this machine can.
 */

import { type LookupAddress, lookup } from 'node:dns';
import { request as plainRequest } from 'node:http';
import { request as encryptedRequest } from 'node:https';
import type { LookupFunction } from 'node:net';
import { isPrivateAddress, isPrivateUrl } from '../../lib/network.ts';

export type PostOutcome =
  | { kind: 'taken' }
  /** It may go better later; not before `retryAfterMs`, where the other side said so. */
  | { kind: 'failed'; why: string; retryAfterMs: number }
  /** It will never go better: the address or the message is not right. */
  | { kind: 'refused'; why: string };

interface PostOptions {
  timeoutMs: number;
  /** Ends the attempt at once. */
  signal: AbortSignal;
  /** For a `Retry-After` that is a date. */
  now: number;
  /** Whether addresses of the inside may be told something. */
  isPrivateAllowed: boolean;
}

/** Answers that other servers give to the same request while they cannot, or not so fast. */
const RETRYABLE_STATUSES = new Set([408, 425, 429]);

export async function postToWebhook(url: string, text: string, options: PostOptions): Promise<PostOutcome> {
  if (!options.isPrivateAllowed && isPrivateUrl(url)) return REFUSED_PRIVATE;
  try {
    const { status, retryAfter } = await post(url, JSON.stringify({ text }), options);
    return outcomeOf(status, retryAfter, options.now);
  } catch (error) {
    if (error instanceof PrivateAddressError) return REFUSED_PRIVATE;
    return { kind: 'failed', why: reasonOf(error), retryAfterMs: 0 };
  }
}

const REFUSED_PRIVATE: PostOutcome = {
  kind: 'refused',
  why: 'its address is of a private network; WEBHOOK_ALLOW_PRIVATE=true would allow it',
};

interface PostResponse {
  status: number;
  retryAfter: string | null;
}

/** Not `fetch`, which would look the name up by itself: what was looked at must be what is connected to. */
function post(url: string, body: string, { timeoutMs, signal, isPrivateAllowed }: PostOptions): Promise<PostResponse> {
  const request = url.startsWith('https:') ? encryptedRequest : plainRequest;
  return new Promise((resolve, reject) => {
    const outgoing = request(url, {
      method: 'POST',
      agent: false,
      headers: {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        'user-agent': 'Cairn',
      },
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
      ...(isPrivateAllowed ? {} : { lookup: lookupPublicAddress }),
    });
    outgoing.on('error', reject);
    outgoing.on('response', (response) => {
      resolve({ status: response.statusCode ?? 0, retryAfter: response.headers['retry-after'] ?? null });
      response.destroy();
    });
    outgoing.end(body);
  });
}

class PrivateAddressError extends Error {}

/** Only addresses of the outside; an error where a name has none. */
export const lookupPublicAddress: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, { ...options, all: true }, (error, found: LookupAddress[]) => {
    if (error) return callback(error, []);
    const outside = found.filter(({ address }) => !isPrivateAddress(address));
    const [first] = outside;
    if (first === undefined) return callback(new PrivateAddressError(), []);
    return options.all ? callback(null, outside) : callback(null, first.address, first.family);
  });
};

function outcomeOf(status: number, retryAfter: string | null, now: number): PostOutcome {
  if (status >= 200 && status < 300) return { kind: 'taken' };
  const why = `it answered ${status}`;
  if (status >= 500 || RETRYABLE_STATUSES.has(status)) {
    return { kind: 'failed', why, retryAfterMs: readRetryAfter(retryAfter, now) };
  }
  return { kind: 'refused', why: status < 400 ? `${why}, a redirect, and those are not followed` : why };
}

/** Whoever asks for more than this is asked again after it. */
const MAX_RETRY_AFTER_MS = 3_600_000;

/** Seconds, or a date; what is neither counts as not said. */
export function readRetryAfter(text: string | null, now: number): number {
  if (text === null) return 0;
  const ms = /^\s*\d+\s*$/.test(text) ? Number(text) * 1000 : Date.parse(text) - now;
  return Number.isNaN(ms) ? 0 : Math.min(Math.max(ms, 0), MAX_RETRY_AFTER_MS);
}

/** What ended a request by force is in its cause. The address stays out of it: whoever has it can post to the channel. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  const code = (cause as { code?: unknown }).code;
  if (typeof code === 'string') return code;
  return cause instanceof Error ? cause.name : 'unknown';
}
