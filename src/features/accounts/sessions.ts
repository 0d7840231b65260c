/** Sign-in to the console: set-up link, passwords, sessions. */
import { Failure, invalid } from '../../core/errors.ts';
import { DAY_MS } from '../../core/time/units.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Ids } from '../../lib/ids.ts';
import { digest, hashPassword, isSameSecret, verifyPassword } from '../../lib/secrets.ts';
import type { User } from '../../stores/metadata/accounts.ts';
import type { MetadataStore } from '../../stores/metadata/metadata-store.ts';
import { checkedPassword } from './passwords.ts';
import { SETUP_TOKEN } from './setup-token.ts';
import type { SignInGuard } from './sign-in-guard.ts';
import { availableEmail } from './users.ts';

interface SessionDeps {
  metadata: MetadataStore;
  clock: Clock;
  ids: Ids;
  sessionDays: number;
  guard: SignInGuard;
}

export interface OpenedSession {
  /** The cookie's value; only its digest is kept. */
  cookie: string;
  user: User;
  expiresAt: number;
  /** Tells at the next sign-in that this browser has been here before. */
  deviceToken: string;
}

export class Sessions {
  readonly #deps: SessionDeps;

  constructor(deps: SessionDeps) {
    this.#deps = deps;
  }

  async signIn(email: string, password: string, address: string, device?: string): Promise<OpenedSession> {
    const attempt = { account: email.toLowerCase(), address, deviceToken: device };
    await this.#deps.guard.recordAttempt(attempt);
    const user = await this.#deps.metadata.users.getByEmail(attempt.account);
    const right = await verifyPassword(password, user?.isActive ? user.passwordHash : null);
    if (!user || !right) throw invalid(undefined, 'Invalid email or password.', 'invalid_credentials');
    this.#deps.guard.recordSuccess(attempt);
    return this.#open(user);
  }

  /** The one-time link that is printed at the first start: whoever has it chooses the first user's address and password. */
  async setUp(token: string, email: string, password: string, firstName: string): Promise<OpenedSession> {
    // Asked first, and again inside: hashing is dear, and strangers must not be able to make us do it.
    await userOfSetupLink(this.#deps.metadata, token);
    const passwordHash = await hashPassword(checkedPassword(password));
    const user = await this.#deps.metadata.transaction(async (store) => {
      const first = await userOfSetupLink(store, token);
      const changes = { email: await availableEmail(store, first, email), firstName, passwordHash };
      await store.users.update(first.id, changes);
      await store.installation.delete(SETUP_TOKEN);
      return { ...first, ...changes };
    });
    return this.#open(user);
  }

  async signOut(cookie: string): Promise<void> {
    await this.#deps.metadata.sessions.delete(digest(cookie));
  }

  async #open(user: User): Promise<OpenedSession> {
    const { metadata, clock, ids, sessionDays, guard } = this.#deps;
    const cookie = ids.token('');
    const now = clock.now();
    const expiresAt = now + sessionDays * DAY_MS;
    await metadata.sessions.deleteExpired(now);
    await metadata.sessions.create({ hash: digest(cookie), userId: user.id, createdAt: now, expiresAt });
    return { cookie, user, expiresAt, deviceToken: await guard.createDeviceToken(user.email.toLowerCase()) };
  }
}

/** The user whom the link is for. */
async function userOfSetupLink(store: MetadataStore, token: string): Promise<User> {
  const expected = await store.installation.get(SETUP_TOKEN);
  const [first] = await store.users.listAll();
  if (expected !== null && isSameSecret(expected, digest(token)) && first) return first;
  throw new Failure('forbidden', 'This set-up link is not valid, or has been used. Sign in instead.');
}
