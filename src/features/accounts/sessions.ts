/** Sessions of the console: sign-in by password, invitations, and the set-up link. */
import { Failure, invalid } from '../../core/errors.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../core/time/units.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Ids } from '../../lib/ids.ts';
import { type Logger, shortenAddress } from '../../lib/log.ts';
import type { Mailer } from '../../lib/mailer.ts';
import { digest, hashPassword, isSameSecret, verifyPassword } from '../../lib/secrets.ts';
import { OWNER, type SignInMethod, type User } from '../../stores/metadata/accounts.ts';
import type { MetadataStore } from '../../stores/metadata/metadata-store.ts';
import { fromAddress, recordAccountActivity } from './account-activity.ts';
import { SETUP_TOKEN } from './bootstrap.ts';
import type { Factors } from './factors/factors.ts';
import type { Passkeys } from './factors/passkeys.ts';
import { FailedSignIns } from './failed-sign-ins.ts';
import { type Acceptance, acceptInvite } from './invites.ts';
import { breakGlassMail } from './mails.ts';
import type { SsoDomains } from './oidc/sso-domains.ts';
import { checkedPassword } from './passwords.ts';
import type { SignInGuard } from './sign-in-guard.ts';
import type { SignedCookies } from './signed-cookies.ts';
import { availableEmail } from './users.ts';

interface SessionDeps {
  metadata: MetadataStore;
  clock: Clock;
  ids: Ids;
  sessionDays: number;
  guard: SignInGuard;
  factors: Factors;
  passkeys: Passkeys;
  cookies: SignedCookies;
  domains: SsoDomains;
  mailer: Pick<Mailer, 'send'>;
  log: Pick<Logger, 'error'>;
}

/** What a browser sends along when it signs in. */
export interface Browser {
  address: string;
  userAgent: string;
  /** Of a browser that has signed in before. */
  deviceToken: string | undefined;
}

interface OpenedSession {
  kind: 'opened';
  /** The value of the cookie; only its digest is stored. */
  cookie: string;
  user: User;
  expiresAt: number;
  /** Identifies this browser at its next sign-in. */
  deviceToken: string;
}

/** The password was correct, but a second factor is missing. */
interface FactorDue {
  kind: 'factor_due';
  /** For `showFactor`; it opens nothing else. */
  cookie: string;
}

export type SignInResult = OpenedSession | FactorDue;

/** A sign-in that waits for its second factor. */
interface PendingSignIn {
  userId: number;
  method: SignInMethod;
  isBreakGlass: boolean;
  sid: string | null;
  /** Changes with the password, which ends it. */
  stamp: string;
}

const PENDING_SIGN_IN = 'second factor';
export const PENDING_SIGN_IN_MS = 10 * MINUTE_MS;
const MAX_USER_AGENT_LENGTH = 300;
/** A longer one is not kept: it is only a hint for signing out at the provider. */
const MAX_ID_TOKEN_LENGTH = 8000;
const BREAK_GLASS_SESSION_MS = HOUR_MS;

interface OpenOptions {
  hasFactor?: boolean;
  /** The id of the session at the provider, and what the provider said. */
  sid?: string | null;
  idToken?: string;
  /** Past the provider, where single sign-on is enforced: for an hour, and all owners are told. */
  isBreakGlass?: boolean;
  /** Uses up what was shown, in the transaction that creates the session: neither happens without the other. */
  spend?: (store: MetadataStore) => Promise<void>;
}

export class Sessions {
  readonly #deps: SessionDeps;
  readonly #failures: FailedSignIns;

  constructor(deps: SessionDeps) {
    this.#deps = deps;
    this.#failures = new FailedSignIns(deps);
  }

  /** `isLocal`: past the provider, for the few who may. */
  async signIn(email: string, password: string, browser: Browser, isLocal = false): Promise<SignInResult> {
    const attempt = { account: email.toLowerCase(), ...browser };
    await this.#deps.guard.recordAttempt(attempt);
    const isEnforced = await this.#deps.domains.isEnforced(attempt.account);
    // By the domain alone, before an account is looked up: the answer is the same for every address there.
    if (isEnforced && !isLocal) await this.#deps.domains.refuseIfEnforced(attempt.account);
    const user = await this.#deps.metadata.users.getByEmail(attempt.account);
    const mayTry = user?.isActive && (!isEnforced || (user.isBreakGlass && (await this.#isOwner(user))));
    const isCorrect = await verifyPassword(password, mayTry ? user.passwordHash : null);
    if (!user || !isCorrect) {
      if (user) this.#failures.record(user, browser.address);
      throw invalid(undefined, 'Invalid email or password.', 'invalid_credentials');
    }
    return this.#continue(user, browser, 'password', { isBreakGlass: isEnforced });
  }

  async #isOwner({ id }: User): Promise<boolean> {
    return (await this.#deps.metadata.memberships.listByUser(id)).some(({ level }) => level === OWNER);
  }

  /** For somebody whom the provider has signed in. */
  openByProvider(
    user: User,
    browser: Browser,
    { hasFactor, ...from }: { hasFactor: boolean; sid: string | null; idToken: string },
  ): Promise<SignInResult> {
    return hasFactor
      ? this.open(user, browser, 'oidc', { hasFactor, ...from })
      : this.#continue(user, browser, 'oidc', from);
  }

  /** In the log of the account's organizations. */
  recordFailure(user: User, address: string): void {
    this.#failures.record(user, address);
  }

  /** The session, or what is needed for the second step. */
  async #continue(
    user: User,
    browser: Browser,
    method: SignInMethod,
    options: OpenOptions = {},
  ): Promise<SignInResult> {
    const { factors, cookies } = this.#deps;
    const { isBreakGlass = false, sid = null } = options;
    if (!(await factors.isDue(user))) {
      if (isBreakGlass) throw breakGlassNeedsFactor();
      return this.open(user, browser, method, options);
    }
    const pending: PendingSignIn = { userId: user.id, method, isBreakGlass, sid, stamp: stampOf(user) };
    return { kind: 'factor_due', cookie: await cookies.seal(PENDING_SIGN_IN, pending, PENDING_SIGN_IN_MS) };
  }

  /** The second step: a code of the authenticator app, or a recovery code. It is used up with the session's opening. */
  async showFactor(cookie: string | undefined, code: string, browser: Browser): Promise<OpenedSession> {
    const { factors } = this.#deps;
    const { user, pending } = (await this.#pendingOf(cookie)) ?? {};
    if (!user || !pending) throw invalid(undefined, 'This sign-in has expired. Sign in again.', '2fa_expired');
    if (pending.method !== 'oidc' && !pending.isBreakGlass) await this.#deps.domains.refuseIfEnforced(user.email);
    await factors.countAttempt(user, browser.address);
    const spend = (store: MetadataStore): Promise<void> => factors.use(store, user, code);
    const { method, isBreakGlass, sid } = pending;
    return this.open(user, browser, method, { hasFactor: true, isBreakGlass, sid, spend }).catch((error: unknown) => {
      if (error instanceof Failure) this.#failures.record(user, browser.address);
      throw error;
    });
  }

  async signInWithPasskey(
    site: Parameters<Passkeys['checkSignIn']>[0],
    given: Parameters<Passkeys['checkSignIn']>[1] & { pending: string | undefined },
    browser: Browser,
  ): Promise<OpenedSession> {
    await this.#deps.guard.recordAttempt({ ...browser, account: `passkey from ${browser.address}` });
    const { user, spend } = await this.#deps.passkeys.checkSignIn(site, given);
    // Where the provider is required, a passkey is a second factor only: after the provider, or after the password.
    const first = await this.#pendingOf(given.pending);
    const isSecond = first?.user.id === user.id && (first.pending.method === 'oidc' || first.pending.isBreakGlass);
    if (!isSecond) await this.#deps.domains.refuseIfEnforced(user.email);
    const { method, isBreakGlass, sid } = isSecond ? first.pending : NOTHING_PENDING;
    return this.open(user, browser, method, { hasFactor: true, isBreakGlass, sid, spend });
  }

  async #pendingOf(cookie: string | undefined): Promise<{ user: User; pending: PendingSignIn } | null> {
    const opened = await this.#deps.cookies.open<PendingSignIn>(PENDING_SIGN_IN, cookie);
    const user = opened.kind === 'valid' ? await this.#deps.metadata.users.get(opened.value.userId) : null;
    if (opened.kind !== 'valid' || !user?.isActive || stampOf(user) !== opened.value.stamp) return null;
    return { user, pending: opened.value };
  }

  /** Joins the invitation's organization; null if the session that is open goes on. */
  async signUp(
    given: Omit<Acceptance, keyof Browser>,
    browser: Browser,
  ): Promise<{ user: User; opened: SignInResult | null }> {
    const { user, isSignedIn } = await acceptInvite(this.#deps, { ...given, ...browser });
    return { user, opened: isSignedIn ? null : await this.#continue(user, browser, 'password') };
  }

  /** Whoever has the one-time link of the first start chooses the first user's email and password. */
  async setUp(
    { token, email, password, firstName }: { token: string; email: string; password: string; firstName: string },
    browser: Browser,
  ): Promise<OpenedSession> {
    // Checked before hashing too: hashing is expensive, and strangers must not be able to trigger it.
    await userOfSetupLink(this.#deps.metadata, token);
    const passwordHash = await hashPassword(checkedPassword(password, email));
    const user = await this.#deps.metadata.transaction(async (store) => {
      const first = await userOfSetupLink(store, token);
      const changes = { email: await availableEmail(store, first, email), firstName, passwordHash };
      await store.users.update(first.id, changes);
      await store.installation.delete(SETUP_TOKEN);
      return { ...first, ...changes };
    });
    return this.open(user, browser, 'setup');
  }

  async signOut(cookie: string): Promise<void> {
    await this.#deps.metadata.sessions.delete(digest(cookie));
  }

  /** For a user who has shown who they are. */
  async open(user: User, browser: Browser, method: SignInMethod, options: OpenOptions = {}): Promise<OpenedSession> {
    const { hasFactor = false, sid = null, idToken, isBreakGlass = false, spend } = options;
    const { address, userAgent } = browser;
    const { metadata, clock, ids, sessionDays, guard } = this.#deps;
    const cookie = ids.token('');
    const now = clock.now();
    const expiresAt = now + (isBreakGlass ? BREAK_GLASS_SESSION_MS : sessionDays * DAY_MS);
    await metadata.sessions.deleteExpired(now);
    await metadata.transaction(async (store) => {
      await spend?.(store);
      const session = {
        hash: digest(cookie),
        id: ids.uuid(),
        userId: user.id,
        createdAt: now,
        expiresAt,
        lastSeenAt: now,
        method,
        hasFactor,
        address: shortenAddress(address),
        userAgent: userAgent.slice(0, MAX_USER_AGENT_LENGTH),
        sid,
      };
      const kept = idToken !== undefined && idToken.length <= MAX_ID_TOKEN_LENGTH ? idToken : null;
      await store.sessions.create(session, kept);
      await store.users.update(user.id, { lastSignedInAt: now });
      const trigger = { ...fromAddress(address), method };
      const activity = isBreakGlass ? 'break_glass' : 'logged_in';
      await recordAccountActivity(this.#deps, store, user, { activity, changes: null, trigger });
    });
    if (isBreakGlass) await this.#notifyOwners(user);
    const account = user.email.toLowerCase();
    await guard.recordSuccess({ ...browser, account });
    return { kind: 'opened', cookie, user, expiresAt, deviceToken: await guard.createDeviceToken(account) };
  }

  /** All owners of the user's organizations hear of it, whoever it was. */
  async #notifyOwners(user: User): Promise<void> {
    const { metadata, mailer, clock } = this.#deps;
    const owners = new Set<number>();
    for (const { organizationId } of await metadata.memberships.listByUser(user.id)) {
      const { items } = await metadata.memberships.list(organizationId, { limit: 1000, offset: 0 });
      for (const { userId, level } of items) if (level === OWNER) owners.add(userId);
    }
    for (const { email, isActive } of await metadata.users.listByIds([...owners])) {
      if (isActive) mailer.send({ to: email, ...breakGlassMail(user.email, new Date(clock.now())) });
    }
  }
}

/** Changes with the password. */
export const stampOf = ({ passwordHash }: User): string => digest(passwordHash ?? '');

const NOTHING_PENDING = { method: 'passkey', isBreakGlass: false, sid: null } as const;

const breakGlassNeedsFactor = (): Failure =>
  invalid(
    undefined,
    'This account has no second factor, without which it cannot be used here. An operator can help.',
    'sso_enforced',
  );

/** Throws if the link is not valid. */
async function userOfSetupLink(store: MetadataStore, token: string): Promise<User> {
  const expected = await store.installation.get(SETUP_TOKEN);
  const [first] = await store.users.listAll();
  if (expected !== null && isSameSecret(expected, digest(token)) && first) return first;
  throw new Failure('forbidden', 'This set-up link is not valid, or has been used. Sign in instead.');
}
