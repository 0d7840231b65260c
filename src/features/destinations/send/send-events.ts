/** One request to a destination, with one event or several. */
import { createHash } from 'node:crypto';
import type { Json } from '../../../core/json/json.ts';
import { SECOND_MS } from '../../../core/time/units.ts';
import type { SecretKey } from '../../../lib/secret-key.ts';
import { signatureHeaders } from '../../deliveries/rules/message.ts';
import { validSecrets } from '../../deliveries/webhook-address.ts';
import { type PostOutcome, postToWebhook } from '../../webhooks/post-to-webhook.ts';
import { isSecretHeader } from '../rules/destination-inputs.ts';
import { type BatchItem, batchText, bodyText } from '../rules/event-values.ts';
import type { Destination } from '../store/destination-store.ts';

export interface SendDeps {
  isPrivateAllowed: boolean;
  /** Null where there is none. */
  secretKey(): SecretKey | null;
}

const TIMEOUT_MS = 10 * SECOND_MS;

/** Binds an encrypted header to its place: it cannot be moved to another destination. */
export const aboutHeader = (destinationId: string, name: string): string =>
  `destination ${destinationId} header ${name.toLowerCase()}`;

/** A header that can no longer be decrypted. */
class LostHeader extends Error {}

export async function sendEvent(
  deps: SendDeps,
  destination: Destination,
  item: { id: string; body: Json },
  at: { now: number; signal: AbortSignal },
): Promise<PostOutcome> {
  return post(deps, destination, item.id, bodyText(item.body), at);
}

/** The id of a batch is made of those of its events: the same for the same events. */
export async function sendBatch(
  deps: SendDeps,
  destination: Destination,
  items: readonly BatchItem[],
  at: { now: number; signal: AbortSignal },
): Promise<PostOutcome> {
  const hash = createHash('sha256')
    .update(items.map(({ id }) => id).join('\n'))
    .digest('hex');
  return post(deps, destination, `batch_${hash.slice(0, 32)}`, batchText(items, at.now), at);
}

async function post(
  deps: SendDeps,
  destination: Destination,
  id: string,
  body: string,
  { now, signal }: { now: number; signal: AbortSignal },
): Promise<PostOutcome> {
  const { url, method } = destination.inputs;
  try {
    return await postToWebhook(url, body, {
      timeoutMs: TIMEOUT_MS,
      signal,
      now,
      method,
      isPrivateAllowed: deps.isPrivateAllowed,
      headers: { ...headersOf(deps, destination), ...signatureHeaders(id, body, validSecrets(destination, now), now) },
    });
  } catch (error) {
    if (!(error instanceof LostHeader)) throw error;
    return { kind: 'refused', why: error.message, status: null };
  }
}

function headersOf({ secretKey }: SendDeps, { id, inputs }: Destination): Record<string, string> {
  const entries = inputs.headers.map(({ name, value }): [string, string] => {
    if (!isSecretHeader(name)) return [name.toLowerCase(), value];
    const plain = secretKey()?.decrypt(value, aboutHeader(id, name)) ?? null;
    if (plain === null)
      throw new LostHeader(`the header ${name} cannot be decrypted with the key of this server: enter it again`);
    return [name.toLowerCase(), plain];
  });
  return Object.fromEntries(entries);
}
