/** Sign-in to the console: set-up link, passwords, sessions. */
import { Failure, invalid } from '../core/errors.ts';
import type { Clock } from '../lib/clock.ts';
import type { Ids } from '../lib/ids.ts';
import { digest, hashPassword, verifyPassword } from '../lib/secrets.ts';
import { Throttle } from '../lib/throttle.ts';
import type { MetadataStore } from '../stores/metadata-store.ts';
import type { User } from '../stores/records.ts';
import { checkedPassword } from './passwords.ts';
import { SETUP_TOKEN } from './setup-token.ts';
import { freeEmail } from './users.ts';

export interface SessionDeps {
  metadata: MetadataStore;
  clock: Clock;
  ids: Ids;
  sessionDays: number;
}

export interface OpenedSession {
  /** The cookie's value; only its digest is kept. */
  cookie: string;
  user: User;
  expiresAt: number;
}

const DAY_MS = 86_400_000;

const ATTEMPTS = 5;
const WINDOW_MS = 60_000;
/** One address may try more accounts than one account may be tried, or an office behind one address would lock itself out. */
const ATTEMPTS_PER_ADDRESS = 20;

export class Sessions {
  readonly #deps: SessionDeps;
  readonly #byAccount: Throttle;
  readonly #byAddress: Throttle;

  constructor(deps: SessionDeps) {
    this.#deps = deps;
    this.#byAccount = new Throttle(deps.clock, ATTEMPTS, WINDOW_MS);
    this.#byAddress = new Throttle(deps.clock, ATTEMPTS_PER_ADDRESS, WINDOW_MS);
  }

  async signIn(email: string, password: string, address: string): Promise<OpenedSession> {
    const account = email.toLowerCase();
    this.#refuseTooMany(account, address);
    // Counted before the answer is known: attempts that run side by side must not slip through.
    this.#byAccount.record(account);
    this.#byAddress.record(address);
    const user = await this.#deps.metadata.users.byEmail(account);
    const right = await verifyPassword(password, user?.isActive ? user.passwordHash : null);
    if (!user || !right) throw invalid(undefined, 'Invalid email or password.', 'invalid_credentials');
    this.#byAccount.forget(account);
    return this.#open(user);
  }

  /** The one-time link that is printed at the first start: whoever has it chooses the first user's address and password. */
  async setUp(token: string, email: string, password: string, firstName: string): Promise<OpenedSession> {
    // Asked first, and again inside: hashing is dear, and strangers must not be able to make us do it.
    await refuseWrongLink(this.#deps.metadata, token);
    const passwordHash = await hashPassword(checkedPassword(password));
    const user = await this.#deps.metadata.transaction(async (store) => {
      const first = await refuseWrongLink(store, token);
      const changes = { email: await freeEmail(store, first, email), firstName, passwordHash };
      await store.users.update(first.id, changes);
      await store.installation.remove(SETUP_TOKEN);
      return { ...first, ...changes };
    });
    return this.#open(user);
  }

  async signOut(cookie: string): Promise<void> {
    await this.#deps.metadata.sessions.remove(digest(cookie));
  }

  #refuseTooMany(account: string, address: string): void {
    const wait = Math.max(this.#byAccount.waitFor(account), this.#byAddress.waitFor(address));
    if (wait <= 0) return;
    throw new Failure('throttled', `Request was throttled. Expected available in ${wait} seconds.`, {
      retryAfter: wait,
    });
  }

  async #open(user: User): Promise<OpenedSession> {
    const { metadata, clock, ids, sessionDays } = this.#deps;
    const cookie = ids.token('');
    const now = clock.now();
    const expiresAt = now + sessionDays * DAY_MS;
    await metadata.sessions.removeExpired(now);
    await metadata.sessions.add({ hash: digest(cookie), userId: user.id, createdAt: now, expiresAt });
    return { cookie, user, expiresAt };
  }
}

/** The user whom the link is for. */
async function refuseWrongLink(store: MetadataStore, token: string): Promise<User> {
  const expected = await store.installation.get(SETUP_TOKEN);
  const [first] = await store.users.list();
  if (expected !== null && expected === digest(token) && first) return first;
  throw new Failure('forbidden', 'This set-up link is not valid, or has been used. Sign in instead.');
}
