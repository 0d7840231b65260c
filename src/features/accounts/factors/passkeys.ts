/** Passkeys (WebAuthn): added by a signed-in user, and a way to sign in without a password. */
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import type { Caller } from '../../../access/callers.ts';
import { type Failure, invalid, notFound } from '../../../core/errors.ts';
import { MINUTE_MS } from '../../../core/time/units.ts';
import type { Clock } from '../../../lib/clock.ts';
import { digest } from '../../../lib/secrets.ts';
import type { User } from '../../../stores/metadata/accounts.ts';
import type { Passkey } from '../../../stores/metadata/factors.ts';
import type { MetadataStore } from '../../../stores/metadata/metadata-store.ts';
import { recordAccountActivity } from '../account-activity.ts';
import type { SignedCookies } from '../signed-cookies.ts';
import type { Factors } from './factors.ts';

interface PasskeyDeps {
  metadata: MetadataStore;
  clock: Clock;
  ids: Parameters<typeof recordAccountActivity>[0]['ids'];
  cookies: SignedCookies;
  factors: Factors;
}

/** Where the console is; passkeys are bound to its host. */
interface Site {
  origin: string;
  hostname: string;
}

interface Challenge {
  challenge: string;
}

const CHALLENGE_LIFETIME_MS = 5 * MINUTE_MS;
const MAX_PASSKEYS = 20;
/** EdDSA, ES256, RS256. */
const ALGORITHMS = [-8, -7, -257];
const WITH_VERIFICATION = { residentKey: 'required', userVerification: 'required' } as const;

/** Two hundred files, so they are loaded when the first passkey is used, and not at every start. */
const webauthn = () => import('@simplewebauthn/server');

export class Passkeys {
  readonly #deps: PasskeyDeps;

  constructor(deps: PasskeyDeps) {
    this.#deps = deps;
  }

  /** Options for `navigator.credentials.create`, and the cookie with the challenge. */
  async beginRegistration(user: User, { hostname }: Site) {
    const own = await this.#deps.metadata.factors.listPasskeys(user.id);
    if (own.length >= MAX_PASSKEYS) throw invalid(undefined, `You have ${MAX_PASSKEYS} passkeys: delete one first.`);
    const options = await (await webauthn()).generateRegistrationOptions({
      rpName: 'Cairn',
      rpID: hostname,
      userName: user.email,
      userDisplayName: user.firstName || user.email,
      userID: new Uint8Array(Buffer.from(user.uuid)),
      attestationType: 'none',
      excludeCredentials: own.map(({ id, transports }) => ({ id, transports })),
      authenticatorSelection: WITH_VERIFICATION,
      supportedAlgorithmIDs: ALGORITHMS,
    });
    return { options, cookie: await this.#seal(options.challenge, `passkey of ${user.id}`) };
  }

  async completeRegistration(
    caller: Caller,
    site: Site,
    given: { cookie: string | undefined; label: string; response: unknown },
  ): Promise<{ passkey: Passkey; codes: string[] }> {
    const { user } = caller;
    const challenge = await this.#challengeOf(given.cookie, `passkey of ${user.id}`);
    const { registrationInfo } = await (await webauthn())
      .verifyRegistrationResponse({
        response: given.response as RegistrationResponseJSON,
        expectedChallenge: challenge.value.challenge,
        expectedOrigin: site.origin,
        expectedRPID: site.hostname,
        supportedAlgorithmIDs: ALGORITHMS,
      })
      .catch((cause: unknown) => {
        throw invalidPasskey(cause);
      });
    if (!registrationInfo) throw invalidPasskey();
    const { id, publicKey, counter, transports = [] } = registrationInfo.credential;
    const passkey: Passkey = {
      id,
      userId: user.id,
      label: given.label,
      publicKey: Buffer.from(publicKey).toString('base64url'),
      counter,
      transports,
      createdAt: this.#deps.clock.now(),
      lastUsedAt: null,
    };
    return this.#deps.metadata.transaction(async (store) => {
      await spend(store, challenge);
      if (await store.factors.getPasskey(id)) throw invalidPasskey();
      await store.factors.createPasskey(passkey);
      return { passkey, codes: await this.#deps.factors.firstFactorAdded(store, caller, 'passkey') };
    });
  }

  /** For anybody: which passkeys there are is known to the browser alone. */
  async beginSignIn({ hostname }: Site) {
    const options = await (await webauthn()).generateAuthenticationOptions({
      rpID: hostname,
      userVerification: 'required',
    });
    return { options, cookie: await this.#seal(options.challenge, 'passkey sign-in') };
  }

  /** The user, and what has to be recorded in the transaction that opens the session. */
  async checkSignIn(
    site: Site,
    given: { cookie: string | undefined; response: unknown },
  ): Promise<{ user: User; spend(store: MetadataStore): Promise<void> }> {
    const challenge = await this.#challengeOf(given.cookie, 'passkey sign-in');
    const response = given.response as AuthenticationResponseJSON;
    const passkey = await this.#deps.metadata.factors.getPasskey(String(response.id));
    const user = passkey && (await this.#deps.metadata.users.get(passkey.userId));
    if (!passkey || !user?.isActive) throw invalidPasskey();
    const newCounter = await this.#verify(site, challenge.value.challenge, response, passkey, user);
    const lastUsedAt = this.#deps.clock.now();
    return {
      user,
      async spend(store) {
        await spend(store, challenge);
        await store.factors.updatePasskey(passkey.id, { counter: newCounter, lastUsedAt });
      },
    };
  }

  async #verify(
    site: Site,
    expectedChallenge: string,
    response: AuthenticationResponseJSON,
    passkey: Passkey,
    user: User,
  ): Promise<number> {
    const { id, publicKey, counter } = passkey;
    try {
      const { verified, authenticationInfo } = await (await webauthn()).verifyAuthenticationResponse({
        response,
        expectedChallenge,
        expectedOrigin: site.origin,
        expectedRPID: site.hostname,
        credential: { id, publicKey: new Uint8Array(Buffer.from(publicKey, 'base64url')), counter },
        requireUserVerification: true,
      });
      if (verified) return authenticationInfo.newCounter;
    } catch (cause) {
      // A counter that falls back means that there are two of what there should be one of.
      if (/counter/i.test((cause as Error).message)) await this.#recordCopy(user, passkey);
      throw invalidPasskey(cause);
    }
    throw invalidPasskey();
  }

  #recordCopy(user: User, { label }: Passkey): Promise<void> {
    const { metadata } = this.#deps;
    const entry = { userId: null, activity: 'passkey_copied', changes: null, trigger: { passkey: label } };
    return metadata.transaction((store) => recordAccountActivity(this.#deps, store, user, entry));
  }

  async rename({ id: userId }: User, id: string, label: string): Promise<Passkey> {
    const passkey = await this.#deps.metadata.factors.getPasskey(id);
    if (passkey?.userId !== userId) throw notFound();
    await this.#deps.metadata.factors.updatePasskey(id, { label });
    return { ...passkey, label };
  }

  async delete(user: User, id: string): Promise<void> {
    await this.#deps.metadata.transaction(async (store) => {
      if (!(await store.factors.deletePasskey(user.id, id))) throw notFound();
      await this.#deps.factors.factorRemoved(store, user, 'passkey');
    });
  }

  #seal(challenge: string, purpose: string): Promise<string> {
    return this.#deps.cookies.seal(purpose, { challenge } satisfies Challenge, CHALLENGE_LIFETIME_MS);
  }

  async #challengeOf(cookie: string | undefined, purpose: string) {
    const opened = await this.#deps.cookies.open<Challenge>(purpose, cookie);
    if (opened.kind !== 'valid') throw invalidPasskey();
    return opened;
  }
}

/** A challenge works once. */
async function spend(store: MetadataStore, given: { value: Challenge; expiresAt: number }): Promise<void> {
  if (!(await store.spentTokens.spend(digest(given.value.challenge), given.expiresAt))) throw invalidPasskey();
}

/** The same for unknown and wrong ones. */
const invalidPasskey = (cause?: unknown): Failure => {
  const failure = invalid(
    undefined,
    'This passkey cannot be used here, or it took too long. Try again.',
    'passkey_invalid',
  );
  failure.cause = cause;
  return failure;
};
