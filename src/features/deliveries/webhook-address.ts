/** What every signed webhook has: an address that may be called, and a secret that is replaced without a gap. */
import { invalid } from '../../core/errors.ts';
import { DAY_MS } from '../../core/time/units.ts';
import type { Ids } from '../../lib/ids.ts';
import { isPrivateUrl } from '../../lib/network.ts';

/** How long the secret before the current one is valid. */
const ROLLING_MS = DAY_MS;

/** `attr`: the field of the request that it came with; `setting`: what allows private addresses. */
export function requireWebhookAddress(
  url: string,
  attr: string,
  isPrivateAllowed: boolean,
  setting = 'WEBHOOK_ALLOW_PRIVATE',
): void {
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw invalid(attr, 'url is an address that begins with https:// or http://.');
  const { username, password } = new URL(url);
  if (username !== '' || password !== '') throw invalid(attr, 'The address must not contain a user name or password.');
  if (isPrivateAllowed || !isPrivateUrl(url)) return;
  throw invalid(
    attr,
    `This address is in a private network. The operator of the server can allow such addresses with ${setting}=true.`,
  );
}

/** After Standard Webhooks. */
export const newWebhookSecret = (ids: Ids): string =>
  `whsec_${Buffer.from(ids.token('').slice(-32)).toString('base64')}`;

interface RollingSecret {
  secret: string | null;
  previousSecret: string | null;
  rolledAt: number | null;
}

/** The new one first, and for a day the one before. */
export function validSecrets({ secret, previousSecret, rolledAt }: RollingSecret, now: number): string[] {
  const isRolling = previousSecret !== null && rolledAt !== null && now < rolledAt + ROLLING_MS;
  return [secret, isRolling ? previousSecret : null].filter((one): one is string => one !== null);
}
