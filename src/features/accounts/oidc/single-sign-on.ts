/**
 * Signing in and out by the provider. A sign-in is two steps, between which the browser keeps a signed cookie: only the
 * browser that began a sign-in can finish it.
 */
import { invalid } from '../../../core/errors.ts';
import { MINUTE_MS } from '../../../core/time/units.ts';
import { networkOf } from '../../../lib/network.ts';
import { digest, verifyPassword } from '../../../lib/secrets.ts';
import type { User } from '../../../stores/metadata/accounts.ts';
import type { MetadataStore } from '../../../stores/metadata/metadata-store.ts';
import { recordAccountActivity } from '../account-activity.ts';
import { countAttempt } from '../attempts.ts';
import type { Factors } from '../factors/factors.ts';
import { type Browser, type Sessions, type SignInResult, stampOf } from '../sessions.ts';
import type { SignInGuard } from '../sign-in-guard.ts';
import type { SignedCookies } from '../signed-cookies.ts';
import { type AdmitDeps, admit, linkSubject } from './admit.ts';
import { grantsOf } from './group-grants.ts';
import type { Provider } from './provider.ts';
import type { SsoError } from './rules/decide-sign-in.ts';
import { nextPath } from './rules/next-path.ts';
import { type Claims, readClaims } from './rules/read-claims.ts';
import { SsoFailure } from './sso-failure.ts';

interface SingleSignOnDeps extends AdmitDeps {
  provider: Provider;
  cookies: SignedCookies;
  sessions: Sessions;
  factors: Factors;
  guard: SignInGuard;
}

/** What the browser keeps while its user is at the provider. */
interface BegunSignIn {
  state: string;
  nonce: string;
  verifier: string;
  next: string;
}

/** Somebody whom the provider knows, and whose account has to be theirs before it is linked. */
interface PendingLink {
  subject: string;
  userId: number;
  /** Changes with the password, which ends it. */
  stamp: string;
  /** Those that give something. */
  groups: string[];
  sid: string | null;
  hasFactor: boolean;
  next: string;
}

export type CallbackResult =
  | { kind: 'signed_in'; result: SignInResult; next: string }
  | { kind: 'ask'; cookie: string; next: string }
  | { kind: 'refused'; code: SsoError };

export const BEGUN_MS = 10 * MINUTE_MS;
const BEGUN = 'sign-in by the provider';
const LINK = 'link to an account';
const MAX_CALLBACKS_PER_MINUTE = 30;
const MAX_LINKED_GROUPS = 50;

const callbackUrl = (publicUrl: string): string => `${publicUrl}/login/oidc/callback`;

export class SingleSignOn {
  readonly #deps: SingleSignOnDeps;

  constructor(deps: SingleSignOnDeps) {
    this.#deps = deps;
  }

  get name(): string {
    return this.#deps.settings.name;
  }

  /** Where to send the browser, and what it has to keep. */
  async begin(next: unknown): Promise<{ url: string; cookie: string }> {
    const { ids, cookies, provider, settings } = this.#deps;
    const checks = { state: ids.token(''), nonce: ids.token(''), verifier: ids.token('') };
    const url = await provider.signInUrl(callbackUrl(settings.publicUrl), checks);
    const begun: BegunSignIn = { ...checks, next: nextPath(next) };
    return { url, cookie: await cookies.seal(BEGUN, begun, BEGUN_MS) };
  }

  /** `search`: the query of the callback, with its question mark. Throws only if there are too many of them. */
  async finish(search: string, cookie: string | undefined, browser: Browser): Promise<CallbackResult> {
    const perNetwork = { max: MAX_CALLBACKS_PER_MINUTE, windowMs: MINUTE_MS };
    await countAttempt(this.#deps, [{ name: `oidc from ${networkOf(browser.address)}`, ...perNetwork }]);
    try {
      const { next, checks } = await this.#begun(cookie);
      const url = new URL(`${callbackUrl(this.#deps.settings.publicUrl)}${search}`);
      const { claims: raw, idToken } = await this.#deps.provider.exchange(url, checks);
      return await this.#admit(readClaims(raw, this.#deps.settings.groupsClaim), idToken, next, browser);
    } catch (error) {
      if (!(error instanceof SsoFailure)) throw error;
      return this.#refuse(error.code, error.message);
    }
  }

  /** Each counts once. */
  async #begun(cookie: string | undefined): Promise<{ checks: Omit<BegunSignIn, 'next'>; next: string }> {
    const opened = await this.#deps.cookies.open<BegunSignIn>(BEGUN, cookie);
    if (opened.kind !== 'valid') throw new SsoFailure('sso_failed', `the cookie of the sign-in is ${opened.kind}`);
    const { next, ...checks } = opened.value;
    const isFirst = await this.#deps.metadata.spentTokens.spend(digest(`oidc ${checks.state}`), opened.expiresAt);
    if (!isFirst) throw new SsoFailure('sso_failed', 'this sign-in was finished before');
    return { checks, next };
  }

  async #admit(claims: Claims, idToken: string, next: string, browser: Browser): Promise<CallbackResult> {
    const admission = await admit(this.#deps, claims);
    switch (admission.kind) {
      case 'refused':
        if (admission.user) this.#deps.sessions.recordFailure(admission.user, browser.address);
        return this.#refuse(admission.code, 'somebody whom the provider knows may not come in');
      case 'ask':
        return { kind: 'ask', cookie: await this.#sealLink(admission.user, claims, next), next };
      case 'admitted': {
        const hasFactor = claims.hasFactor || this.#deps.settings.trustsMfa;
        const from = { sid: claims.sid, idToken, hasFactor };
        return {
          kind: 'signed_in',
          result: await this.#deps.sessions.openByProvider(admission.user, browser, from),
          next,
        };
      }
    }
  }

  #refuse(code: SsoError, reason: string): CallbackResult {
    this.#deps.log.warn({ code, reason }, 'a sign-in by the provider failed');
    return { kind: 'refused', code };
  }

  #sealLink(user: User, claims: Claims, next: string): Promise<string> {
    const groups = claims.groups.filter((group) => Object.hasOwn(this.#deps.settings.roleMap, group));
    const pending: PendingLink = {
      subject: claims.subject,
      userId: user.id,
      stamp: stampOf(user),
      groups: groups.slice(0, MAX_LINKED_GROUPS),
      sid: claims.sid,
      hasFactor: claims.hasFactor,
      next,
    };
    return this.#deps.cookies.seal(LINK, pending, BEGUN_MS);
  }

  /** Which account the browser is asked to link; throws if it is none, or no longer. */
  async pendingLink(cookie: string | undefined): Promise<{ user: User; link: PendingLink }> {
    const opened = await this.#deps.cookies.open<PendingLink>(LINK, cookie);
    const user = opened.kind === 'valid' ? await this.#deps.metadata.users.get(opened.value.userId) : null;
    if (opened.kind === 'valid' && user?.isActive && stampOf(user) === opened.value.stamp) {
      return { user, link: opened.value };
    }
    throw invalid(undefined, `This has expired. Sign in with ${this.name} again.`, 'link_expired');
  }

  /**
   * Links the account to the subject, for whoever knows its password, and has its second factor if it has one: what a
   * sign-in without the provider takes. All of it is used up together.
   */
  async link(
    cookie: string | undefined,
    given: { password: string; code: string | undefined },
    browser: Browser,
  ): Promise<{ result: SignInResult; next: string }> {
    const { guard, factors, sessions, settings } = this.#deps;
    const { user, link } = await this.pendingLink(cookie);
    await guard.recordAttempt({ ...browser, account: user.email });
    if (!(await verifyPassword(given.password, user.passwordHash))) {
      sessions.recordFailure(user, browser.address);
      throw invalid('password', 'This is not the password of the account.', 'invalid_credentials');
    }
    const needsCode = await factors.isDue(user);
    if (needsCode && given.code === undefined) throw invalid('token', 'A code is needed, too.', '2fa_required');
    if (needsCode) await factors.countAttempt(user, browser.address);
    const spend = async (store: MetadataStore): Promise<void> => {
      if (needsCode) await factors.use(store, user, given.code ?? '');
      if (await this.#isTaken(store, user, link))
        throw invalid(undefined, 'This account is linked already.', 'link_expired');
      await linkSubject(
        this.#deps,
        store,
        user,
        link.subject,
        grantsOf(link.groups, settings.roleMap, await this.#home(store)),
      );
    };
    const hasFactor = needsCode || link.hasFactor || settings.trustsMfa;
    const result = await sessions.open(user, browser, 'oidc', { hasFactor, sid: link.sid, spend });
    return { result, next: link.next };
  }

  #home(store: MetadataStore): Promise<string | null> {
    return this.#deps.domains.home(store);
  }

  async #isTaken({ ssoIdentities }: MetadataStore, { id }: User, { subject }: PendingLink): Promise<boolean> {
    const { issuer } = this.#deps.settings;
    return (await ssoIdentities.get(issuer, subject)) !== null || (await ssoIdentities.getByUser(issuer, id)) !== null;
  }

  /** Ends the session. Where people sign out of the provider, too; null: nowhere, or they came another way. */
  async signOut(cookie: string): Promise<string | null> {
    const { metadata, sessions, provider } = this.#deps;
    const hash = digest(cookie);
    const session = await metadata.sessions.getByHash(hash);
    const idToken = await metadata.sessions.getIdToken(hash);
    await sessions.signOut(cookie);
    return session?.method === 'oidc' ? provider.signOutUrl(idToken) : null;
  }

  /** The provider says that somebody signed out there. Throws an `SsoFailure` if it was not the provider. */
  async signOutByProvider(token: string): Promise<void> {
    const { id, subject, sid } = await this.#deps.provider.checkLogout(token);
    const { metadata, clock, settings } = this.#deps;
    await metadata.transaction(async (store) => {
      const isFirst = await store.spentTokens.spend(digest(`logout ${id}`), clock.now() + 2 * BEGUN_MS);
      if (!isFirst) throw new SsoFailure('sso_failed', 'a logout token that was used');
      const identity = subject === null ? null : await store.ssoIdentities.get(settings.issuer, subject);
      const userId = subject === null ? await store.sessions.userOfSid(sid ?? '') : (identity?.userId ?? null);
      const user = userId === null ? null : await store.users.get(userId);
      if (user === null || (await store.sessions.deleteByProvider(user.id, sid ?? undefined)) === 0) return;
      const trigger = { source: 'oidc' };
      await recordAccountActivity(this.#deps, store, user, {
        userId: null,
        activity: 'session_ended',
        changes: null,
        trigger,
      });
    });
  }
}
