/**
 * One attempt to send a message to a webhook. Only the status and `Retry-After` of the answer are read. Redirects are not
 * followed, and private addresses are refused unless the operator allows them: somebody who may set a webhook must not
 * reach what only this machine can.
 */
import { type LookupAddress, lookup } from 'node:dns';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { LookupFunction } from 'node:net';
import { HOUR_MS } from '../../core/time/units.ts';
import { isPrivateAddress, isPrivateUrl } from '../../lib/network.ts';
import { timeoutSignal } from '../../lib/timeout-signal.ts';

export type PostOutcome =
  | { kind: 'delivered' }
  /** Worth a retry, not before `retryAfterMs`. */
  | { kind: 'failed'; why: string; retryAfterMs: number; status: number | null }
  /** Not worth a retry. */
  | { kind: 'refused'; why: string; status: number | null };

interface PostOptions {
  timeoutMs: number;
  signal: AbortSignal;
  /** For a `Retry-After` that is a date. */
  now: number;
  isPrivateAllowed: boolean;
  /** In lower case. */
  headers?: Readonly<Record<string, string>>;
  /** Default: POST. */
  method?: 'POST' | 'PUT' | 'PATCH';
}

const RETRYABLE_STATUSES = new Set([408, 425, 429]);

/** `body` is JSON. */
export async function postToWebhook(url: string, body: string, options: PostOptions): Promise<PostOutcome> {
  if (!options.isPrivateAllowed && isPrivateUrl(url)) return REFUSED_PRIVATE;
  try {
    const { status, retryAfter } = await post(url, body, options);
    return outcomeOf(status, retryAfter, options.now);
  } catch (error) {
    if (error instanceof PrivateAddressError) return REFUSED_PRIVATE;
    return { kind: 'failed', why: reasonOf(error), retryAfterMs: 0, status: null };
  }
}

const REFUSED_PRIVATE: PostOutcome = {
  kind: 'refused',
  why: 'its address is in a private network; WEBHOOK_ALLOW_PRIVATE=true would allow it',
  status: null,
};

interface PostResponse {
  status: number;
  retryAfter: string | null;
}

/** Not `fetch`, which resolves the name itself: the address that was checked must be the one that is connected to. */
function post(url: string, body: string, options: PostOptions): Promise<PostResponse> {
  const { timeoutMs, signal, isPrivateAllowed, headers, method = 'POST' } = options;
  const request = url.startsWith('https:') ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const outgoing = request(url, {
      method,
      agent: false,
      headers: {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        'user-agent': 'Cairn',
        ...headers,
      },
      signal: AbortSignal.any([signal, timeoutSignal(timeoutMs)]),
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

/** A name has no public address. */
export class PrivateAddressError extends Error {}

/** Only public addresses; an error where a name has none. */
export const lookupPublicAddress: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, { ...options, all: true }, (error, found: LookupAddress[]) => {
    if (error) return callback(error, []);
    const addresses = found.filter(({ address }) => !isPrivateAddress(address));
    const [first] = addresses;
    if (first === undefined) return callback(new PrivateAddressError(), []);
    return options.all ? callback(null, addresses) : callback(null, first.address, first.family);
  });
};

function outcomeOf(status: number, retryAfter: string | null, now: number): PostOutcome {
  if (status >= 200 && status < 300) return { kind: 'delivered' };
  const why = `it answered ${status}`;
  if (status >= 500 || RETRYABLE_STATUSES.has(status)) {
    return { kind: 'failed', why, retryAfterMs: readRetryAfter(retryAfter, now), status };
  }
  return { kind: 'refused', why: status < 400 ? `${why}, a redirect, and those are not followed` : why, status };
}

/** Longer waits are shortened to this. */
const MAX_RETRY_AFTER_MS = HOUR_MS;

/** Seconds or a date; anything else counts as absent. */
export function readRetryAfter(text: string | null, now: number): number {
  if (text === null) return 0;
  const ms = /^\s*\d+\s*$/.test(text) ? Number(text) * 1000 : Date.parse(text) - now;
  return Number.isNaN(ms) ? 0 : Math.min(Math.max(ms, 0), MAX_RETRY_AFTER_MS);
}

/** Never the message of the error, which may contain the URL: anybody who has it can post to the channel. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  const code = (cause as { code?: unknown }).code;
  if (typeof code === 'string') return code;
  return cause instanceof Error ? cause.name : 'unknown';
}
