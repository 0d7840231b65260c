/** To whom a digest goes, as it is stored and as the API has it: `target_type` and `target_value`. */
import { createHash } from 'node:crypto';
import { invalid } from '../../../core/errors.ts';

export const TARGET_TYPES = ['email', 'slack', 'webhook'] as const;
export type TargetType = (typeof TARGET_TYPES)[number];

export type SubscriptionTarget =
  | { type: 'email'; addresses: readonly string[] }
  /** Null: the webhook of the project. */
  | { type: 'slack'; url: string | null }
  /** The secret before the current one is valid until `rolledAt` plus a day. */
  | { type: 'webhook'; url: string; secret: string; previousSecret: string | null; rolledAt: number | null };

const MAX_ADDRESSES = 100;
/** Nothing that has a meaning in headers of mails. */
const ADDRESS = /^[^\s@<>()[\]\\,;:"\p{Cc}]{1,64}@[^\s@<>()[\]\\,;:"\p{Cc}]{1,253}$/u;

/** Separated by commas, each once. */
export function readAddresses(value: string): string[] {
  const given = value.split(',').map((one) => one.trim());
  const addresses = [...new Map(given.filter((one) => one !== '').map((one) => [one.toLowerCase(), one])).values()];
  if (addresses.length === 0)
    throw invalid('target_value', 'target_value has at least one e-mail address.', 'required');
  if (addresses.length > MAX_ADDRESSES)
    throw invalid('target_value', `A digest has at most ${MAX_ADDRESSES} recipients.`, 'limit_reached');
  const wrong = addresses.find((one) => !ADDRESS.test(one));
  if (wrong !== undefined)
    throw invalid('target_value', `${JSON.stringify(wrong.slice(0, 100))} is not an e-mail address.`);
  return addresses;
}

/** Names an address in links without saying it. */
export const addressHash = (address: string): string =>
  createHash('sha256').update(address.toLowerCase()).digest('hex').slice(0, 32);
