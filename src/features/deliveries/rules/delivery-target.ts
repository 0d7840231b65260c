/** Where a message goes. */
import { createHash } from 'node:crypto';

export type DeliveryTarget =
  /** To a member: who has left gets nothing. `userId` null: to an address outside, which an admin has allowed. */
  | { type: 'email'; userId: number | null; address: string; unsubscribeUrl?: string | null }
  | { type: 'slack_webhook'; url: string }
  /** Two secrets for a day after one was replaced, the new one first. */
  | { type: 'webhook'; url: string; secrets: readonly string[] };

const sha256 = (...parts: readonly (string | number)[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('hex');

/** The same for one address of one type, whatever its secrets are. */
export const targetHash = (target: DeliveryTarget): string =>
  target.type === 'email'
    ? sha256('email', target.userId ?? 'outside', target.address.toLowerCase())
    : sha256(target.type, target.url);

/** The same within one organization, so that one that pauses it does not pause it for others. */
export const organizationTargetHash = (organizationId: string, target: DeliveryTarget): string =>
  sha256(organizationId, targetHash(target));

/** One message about one slot to one target has one key. */
export const deliveryKey = (kind: string, subjectId: string, slot: number, hash: string): string =>
  sha256(kind, subjectId, slot, hash);

/** What receivers see: the same at every attempt. */
export const messageId = (key: string): string => `msg_${key.slice(0, 32)}`;

/** For those who may not know the address: it is a secret, or personal. */
export function shortTarget(target: DeliveryTarget): string {
  if (target.type === 'email') {
    const [name = '', host = ''] = target.address.split('@');
    return `${name.slice(0, 1)}…@${host}`;
  }
  return URL.canParse(target.url) ? `${new URL(target.url).origin}/…` : '…';
}

export const fullTarget = (target: DeliveryTarget): string => (target.type === 'email' ? target.address : target.url);
