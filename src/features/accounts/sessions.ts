/** Sessions of the console: sign-in by password, invitations, and the set-up link. */
import { Failure, invalid } from '../../core/errors.ts';
import { DAY_MS, MINUTE_MS } from '../../core/time/units.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Ids } from '../../lib/ids.ts';
import { type Logger, shortenAddress } from '../../lib/log.ts';
import { digest, hashPassword, isSameSecret, verifyPassword } from '../../lib/secrets.ts';
import type { SignInMethod, User } from '../../stores/metadata/accounts.ts';
import type { MetadataStore } from '../../stores/metadata/metadata-store.ts';
import { fromAddress, recordAccountActivity } from './account-activity.ts';
import { SETUP_TOKEN } from './bootstrap.ts';
import type { Factors } from './factors/factors.ts';
import type { Passkeys } from './factors/passkeys.ts';
import { FailedSignIns } from './failed-sign-ins.ts';
import { type Acceptance, acceptInvite } from './invites.ts';
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
  /** Changes with the password, which ends it. */
  stamp: string;
}

const PENDING_SIGN_IN = 'second factor';
export const PENDING_SIGN_IN_MS = 10 * MINUTE_MS;
const MAX_USER_AGENT_LENGTH = 300;

interface OpenOptions {
  hasFactor?: boolean;
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

  async signIn(email: string, password: string, browser: Browser): Promise<SignInResult> {
    const attempt = { account: email.toLowerCase(), ...browser };
    await this.#deps.guard.recordAttempt(attempt);
    const user = await this.#deps.metadata.users.getByEmail(attempt.account);
    const isCorrect = await verifyPassword(password, user?.isActive ? user.passwordHash : null);
    if (!user || !isCorrect) {
      if (user) this.#failures.record(user, browser.address);
      throw invalid(undefined, 'Invalid email or password.', 'invalid_credentials');
    }
    return this.#continue(user, browser, 'password');
  }

  /** The session, or what is needed for the second step. */
  async #continue(user: User, browser: Browser, method: SignInMethod): Promise<SignInResult> {
    const { factors, cookies } = this.#deps;
    if (!(await factors.isDue(user))) return this.open(user, browser, method);
    const pending: PendingSignIn = { userId: user.id, method, stamp: stampOf(user) };
    return { kind: 'factor_due', cookie: await cookies.seal(PENDING_SIGN_IN, pending, PENDING_SIGN_IN_MS) };
  }

  /** The second step: a code of the authenticator app, or a recovery code. It is used up with the session's opening. */
  async showFactor(cookie: string | undefined, code: string, browser: Browser): Promise<OpenedSession> {
    const { cookies, metadata, factors } = this.#deps;
    const pending = await cookies.open<PendingSignIn>(PENDING_SIGN_IN, cookie);
    const user = pending.kind === 'valid' ? await metadata.users.get(pending.value.userId) : null;
    if (pending.kind !== 'valid' || !user?.isActive || stampOf(user) !== pending.value.stamp) {
      throw invalid(undefined, 'This sign-in has expired. Sign in again.', '2fa_expired');
    }
    await factors.countAttempt(user, browser.address);
    const spend = (store: MetadataStore): Promise<void> => factors.use(store, user, code);
    return this.open(user, browser, pending.value.method, { hasFactor: true, spend }).catch((error: unknown) => {
      if (error instanceof Failure) this.#failures.record(user, browser.address);
      throw error;
    });
  }

  async signInWithPasskey(
    site: Parameters<Passkeys['checkSignIn']>[0],
    given: Parameters<Passkeys['checkSignIn']>[1],
    browser: Browser,
  ): Promise<OpenedSession> {
    await this.#deps.guard.recordAttempt({ ...browser, account: `passkey from ${browser.address}` });
    const { user, spend } = await this.#deps.passkeys.checkSignIn(site, given);
    return this.open(user, browser, 'passkey', { hasFactor: true, spend });
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
  async open(
    user: User,
    browser: Browser,
    method: SignInMethod,
    { hasFactor = false, spend = async (): Promise<void> => undefined }: OpenOptions = {},
  ): Promise<OpenedSession> {
    const { address, userAgent } = browser;
    const { metadata, clock, ids, sessionDays, guard } = this.#deps;
    const cookie = ids.token('');
    const now = clock.now();
    const expiresAt = now + sessionDays * DAY_MS;
    await metadata.sessions.deleteExpired(now);
    await metadata.transaction(async (store) => {
      await spend(store);
      await store.sessions.create({
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
        sid: null,
      });
      const trigger = { ...fromAddress(address), method };
      await recordAccountActivity(this.#deps, store, user, { activity: 'logged_in', changes: null, trigger });
    });
    const account = user.email.toLowerCase();
    await guard.recordSuccess({ ...browser, account });
    return { kind: 'opened', cookie, user, expiresAt, deviceToken: await guard.createDeviceToken(account) };
  }
}

const stampOf = ({ passwordHash }: User): string => digest(passwordHash ?? '');

/** Throws if the link is not valid. */
async function userOfSetupLink(store: MetadataStore, token: string): Promise<User> {
  const expected = await store.installation.get(SETUP_TOKEN);
  const [first] = await store.users.listAll();
  if (expected !== null && isSameSecret(expected, digest(token)) && first) return first;
  throw new Failure('forbidden', 'This set-up link is not valid, or has been used. Sign in instead.');
}
