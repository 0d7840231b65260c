/** A new password by a one-time link: by mail, or printed for the operator of the server. */
import { type Failure, invalid } from '../../core/errors.ts';
import { HOUR_MS, MINUTE_MS } from '../../core/time/units.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Ids } from '../../lib/ids.ts';
import type { Logger } from '../../lib/log.ts';
import type { Mailer } from '../../lib/mailer.ts';
import { networkOf } from '../../lib/network.ts';
import { digest, hashPassword, isSameSecret } from '../../lib/secrets.ts';
import type { User } from '../../stores/metadata/accounts.ts';
import type { MetadataStore } from '../../stores/metadata/metadata-store.ts';
import { recordAccountActivity, secretChange } from './account-activity.ts';
import { countAttempt } from './attempts.ts';
import { SETUP_TOKEN } from './bootstrap.ts';
import { resetLink } from './links.ts';
import { passwordChangedMail, passwordResetMail } from './mails.ts';
import type { SsoDomains } from './oidc/sso-domains.ts';
import { checkedPassword } from './passwords.ts';

interface ResetDeps {
  metadata: MetadataStore;
  clock: Clock;
  ids: Ids;
}

interface ResetMailDeps extends ResetDeps {
  mailer: Mailer;
  config: { publicUrl: string | null };
  domains: SsoDomains;
  log: Pick<Logger, 'warn'>;
}

const LIFETIME_MS = HOUR_MS;
const MAX_MAILS_PER_HOUR = 3;
const MAX_REQUESTS_PER_MINUTE = 5;
const MAX_REQUESTS_PER_NETWORK = 20;

/**
 * Mails a link to the account with this address, if there is one. That happens after the answer, so neither the answer nor
 * its time tells whether there is.
 */
export async function requestReset(deps: ResetMailDeps, given: string, address: string): Promise<void> {
  const email = given.toLowerCase();
  await countAttempt(deps, [
    { name: `reset of ${email}`, max: MAX_REQUESTS_PER_MINUTE, windowMs: MINUTE_MS },
    { name: `reset from ${networkOf(address)}`, max: MAX_REQUESTS_PER_NETWORK, windowMs: MINUTE_MS },
  ]);
  await deps.domains.refuseIfEnforced(email);
  setImmediate(() => {
    mailReset(deps, email).catch((err: unknown) => deps.log.warn({ err }, 'a link for a new password was not mailed'));
  });
}

async function mailReset(deps: ResetMailDeps, email: string): Promise<void> {
  const { mailer, config, metadata } = deps;
  if (!mailer.isAvailable || config.publicUrl === null) return;
  const user = await metadata.users.getByEmail(email);
  if (!user?.isActive) return;
  await countAttempt(deps, [{ name: `reset mail to ${email}`, max: MAX_MAILS_PER_HOUR, windowMs: HOUR_MS }]);
  const token = await createReset(deps, user, user.id);
  mailer.send({ to: user.email, ...passwordResetMail(resetLink(config.publicUrl, user.uuid, token)) });
}

/** The token of a new link; earlier ones stop working. `by` is null for the operator. */
export async function createReset(deps: ResetDeps, user: User, by: number | null): Promise<string> {
  const token = deps.ids.token('');
  await deps.metadata.transaction(async (store) => {
    const expiresAt = deps.clock.now() + LIFETIME_MS;
    await store.passwordResets.create({ userId: user.id, tokenHash: digest(token), expiresAt });
    await recordAccountActivity(deps, store, user, { userId: by, activity: 'reset_requested', changes: null });
  });
  return token;
}

/** The user of a link. Used, expired, replaced and invented links look alike. */
export async function findReset(
  { metadata, clock }: Pick<ResetDeps, 'metadata' | 'clock'>,
  userUuid: string,
  token: string,
): Promise<User> {
  const user = await metadata.users.getByUuid(userUuid);
  const reset = user && (await metadata.passwordResets.get(user.id));
  const isOpen = reset && isSameSecret(reset.tokenHash, digest(token)) && reset.expiresAt > clock.now();
  if (!isOpen || !user.isActive) throw invalidReset();
  return user;
}

const invalidReset = (): Failure =>
  invalid('token', 'This link is not valid any more: it was used or has expired. Ask for a new one.', 'invalid_token');

/** Ends all sessions; keys stay valid, and a second factor is still needed to sign in. */
export async function completeReset(
  deps: ResetDeps & { mailer: Mailer; domains: SsoDomains },
  { userUuid, token, password }: { userUuid: string; token: string; password: string },
): Promise<void> {
  // Checked before hashing too: hashing is expensive, and strangers must not be able to trigger it.
  const owner = await findReset(deps, userUuid, token);
  await deps.domains.refuseUserIfEnforced(owner);
  const { email } = owner;
  const passwordHash = await hashPassword(checkedPassword(password, email));
  await deps.metadata.transaction(async (store) => {
    const user = await findReset({ ...deps, metadata: store }, userUuid, token);
    await store.users.update(user.id, { passwordHash });
    await store.passwordResets.delete(user.id);
    await store.sessions.deleteByUser(user.id);
    // The set-up link is for the one user without a password.
    if (user.passwordHash === null) await store.installation.delete(SETUP_TOKEN);
    await recordAccountActivity(deps, store, user, { activity: 'updated', changes: [secretChange('password')] });
  });
  deps.mailer.send({ to: email, ...passwordChangedMail() });
}
