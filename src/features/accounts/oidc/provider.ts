/**
 * The OpenID Connect provider: where it is, what its keys are, and what it says. `openid-client` speaks the protocol,
 * `jose` checks signatures. Everything here answers within `DEADLINE_MS`, whatever the provider does.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { createRemoteJWKSet, type JWTPayload, customFetch as jwksFetch, jwtVerify } from 'jose';
import * as oidc from 'openid-client';
import { HOUR_MS, MINUTE_MS } from '../../../core/time/units.ts';
import { type Clock, systemClock } from '../../../lib/clock.ts';
import type { Logger } from '../../../lib/log.ts';
import { matchesAtHash } from './rules/at-hash.ts';
import { groupsAt } from './rules/read-claims.ts';
import type { OidcSettings } from './settings.ts';
import { SsoFailure } from './sso-failure.ts';

interface ProviderDeps {
  settings: OidcSettings;
  clock: Clock;
  log: Pick<Logger, 'warn'>;
}

interface Checks {
  state: string;
  nonce: string;
  verifier: string;
}

/** What was said about somebody, and checked. */
interface SignedStatement {
  claims: Readonly<Record<string, unknown>>;
  idToken: string;
}

interface LogoutRequest {
  subject: string | null;
  sid: string | null;
  /** Names the request; each counts once. */
  id: string;
}

type Metadata = oidc.ServerMetadata;
type Keys = ReturnType<typeof createRemoteJWKSet>;

const DEADLINE_MS = 4_500;
const REQUEST_TIMEOUT_MS = 4_000;
const FRESH_MS = HOUR_MS;
/** How long the last good description is used while there is no newer one. */
const USABLE_MS = 24 * HOUR_MS;
const RETRY_MS = MINUTE_MS;
const TOLERANCE_SECONDS = 60;
/** Public keys only: with HS the secret of the client would sign, with `none` nobody. */
const ALGORITHMS = 'RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519'.split(' ');
const LOGOUT_EVENT = 'http://schemas.openid.net/event/backchannel-logout';
const MAX_LOGOUT_AGE_SECONDS = 600;

export class Provider {
  readonly #deps: ProviderDeps;
  #known: { metadata: Metadata; fetchedAt: number } | null = null;
  #fetching: Promise<Metadata> | null = null;
  #triedAt = 0;
  #keys: { uri: string; set: Keys } | null = null;

  constructor(deps: ProviderDeps) {
    this.#deps = deps;
  }

  /** Where the browser is sent. */
  signInUrl(redirectUri: string, { state, nonce, verifier }: Checks): Promise<string> {
    return inTime(async () => {
      const { scopes, prompt } = this.#deps.settings;
      const url = oidc.buildAuthorizationUrl(this.#configuration(await this.#metadata()), {
        redirect_uri: redirectUri,
        scope: scopes,
        response_type: 'code',
        state,
        nonce,
        code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        ...(prompt === null ? {} : { prompt }),
      });
      return url.href;
    });
  }

  /** Exchanges the code of a callback, and checks everything about the answer. `url`: the callback's, with its query. */
  exchange(url: URL, { state, nonce, verifier }: Checks): Promise<SignedStatement> {
    return inTime(async () => {
      const metadata = await this.#metadata();
      const configuration = this.#configuration(metadata);
      const tokens = await oidc.authorizationCodeGrant(configuration, url, {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: verifier,
        idTokenExpected: true,
      });
      const { id_token: idToken = '', access_token: accessToken } = tokens;
      const claims = await this.#verifyIdToken(metadata, idToken, accessToken);
      return { claims: await this.#complete(configuration, claims, accessToken), idToken };
    });
  }

  async #verifyIdToken(metadata: Metadata, idToken: string, accessToken: string): Promise<JWTPayload> {
    const { clientId } = this.#deps.settings;
    const { payload, protectedHeader } = await this.#verify(metadata, idToken, ['exp', 'iat', 'sub']);
    if (payload['azp'] !== undefined && payload['azp'] !== clientId) throw failed('azp names another client');
    if (payload['at_hash'] !== undefined && !matchesAtHash(payload['at_hash'], accessToken, protectedHeader.alg)) {
      throw failed('at_hash belongs to another access token');
    }
    return payload;
  }

  /** Signature, issuer, audience and times. */
  async #verify(metadata: Metadata, token: string, requiredClaims: string[]) {
    const now = this.#deps.clock.now();
    const verified = await jwtVerify(token, this.#keysOf(metadata), {
      issuer: metadata.issuer,
      audience: this.#deps.settings.clientId,
      algorithms: ALGORITHMS,
      clockTolerance: TOLERANCE_SECONDS,
      currentDate: new Date(now),
      requiredClaims,
    });
    if ((verified.payload.iat ?? 0) > now / 1000 + TOLERANCE_SECONDS) throw failed('iat is in the future');
    return verified;
  }

  /** Some providers tell address and groups only when they are asked for. */
  async #complete(configuration: oidc.Configuration, claims: JWTPayload, accessToken: string) {
    const { groupsClaim, roleMap } = this.#deps.settings;
    const needsGroups = Object.keys(roleMap).length > 0 && groupsAt(claims, groupsClaim).length === 0;
    const isComplete = claims['email'] !== undefined && !needsGroups;
    if (isComplete || configuration.serverMetadata().userinfo_endpoint === undefined) return claims;
    const more = await oidc.fetchUserInfo(configuration, accessToken, String(claims.sub));
    return { ...more, ...claims };
  }

  /** Throws unless the provider says that somebody signed out there. */
  checkLogout(token: string): Promise<LogoutRequest> {
    return inTime(async () => {
      const { payload } = await this.#verify(await this.#metadata(), token, ['iat', 'jti', 'events']);
      const { sub, sid, events, nonce, jti, iat = 0 } = payload;
      const isLogout = typeof events === 'object' && events !== null && LOGOUT_EVENT in events;
      // A nonce marks an ID token, which must not sign anybody out.
      if (!isLogout || nonce !== undefined) throw failed('no logout token');
      if (iat < this.#deps.clock.now() / 1000 - MAX_LOGOUT_AGE_SECONDS) throw failed('an old logout token');
      if (sub === undefined && typeof sid !== 'string') throw failed('a logout token without sub and sid');
      return { subject: sub ?? null, sid: typeof sid === 'string' ? sid : null, id: String(jti) };
    });
  }

  /** Where people sign out of the provider, too; null if it has no such place, or is away. */
  async signOutUrl(idToken: string | null): Promise<string | null> {
    const { publicUrl } = this.#deps.settings;
    const metadata = await inTime(() => this.#metadata()).catch(() => null);
    if (metadata?.end_session_endpoint === undefined) return null;
    const url = oidc.buildEndSessionUrl(this.#configuration(metadata), {
      post_logout_redirect_uri: `${publicUrl}/login`,
      ...(idToken === null ? {} : { id_token_hint: idToken }),
    });
    return url.href;
  }

  /** Kept for an hour, then renewed behind the answers. */
  #metadata(): Promise<Metadata> {
    const now = this.#deps.clock.now();
    const age = this.#known === null ? Number.POSITIVE_INFINITY : now - this.#known.fetchedAt;
    if (this.#known !== null && age < FRESH_MS) return Promise.resolve(this.#known.metadata);
    if (this.#known === null || age >= USABLE_MS) return this.#fetch();
    if (now - this.#triedAt >= RETRY_MS) {
      this.#fetch().catch((err: unknown) =>
        this.#deps.log.warn({ reason: reasonOf(err) }, 'the provider of single sign-on could not be described anew'),
      );
    }
    return Promise.resolve(this.#known.metadata);
  }

  /** Several at once share a request. */
  #fetch(): Promise<Metadata> {
    this.#triedAt = this.#deps.clock.now();
    this.#fetching ??= this.#discover().finally(() => {
      this.#fetching = null;
    });
    return this.#fetching;
  }

  async #discover(): Promise<Metadata> {
    const { issuer, clientId } = this.#deps.settings;
    try {
      const found = await oidc.discovery(new URL(issuer), clientId, undefined, oidc.None(), {
        timeout: REQUEST_TIMEOUT_MS / 1000,
        execute: this.#isLocal ? [oidc.allowInsecureRequests] : [],
      });
      const metadata = { ...found.serverMetadata() };
      this.#known = { metadata, fetchedAt: this.#deps.clock.now() };
      return metadata;
    } catch (cause) {
      throw new SsoFailure('sso_unavailable', `the provider does not describe itself: ${reasonOf(cause)}`, cause);
    }
  }

  /** A new one each time: it is cheap, and the clock may have moved. */
  #configuration(metadata: Metadata): oidc.Configuration {
    const { clientId, clientSecret } = this.#deps.settings;
    const configuration = new oidc.Configuration(
      {
        ...metadata,
        id_token_signing_alg_values_supported: (metadata.id_token_signing_alg_values_supported ?? ['RS256']).filter(
          (name) => ALGORITHMS.includes(name),
        ),
      },
      clientId,
      {
        [oidc.clockTolerance]: TOLERANCE_SECONDS,
        [oidc.clockSkew]: Math.round((this.#deps.clock.now() - systemClock.now()) / 1000),
      },
      clientAuthentication(metadata, clientSecret),
    );
    configuration.timeout = REQUEST_TIMEOUT_MS / 1000;
    if (this.#isLocal) oidc.allowInsecureRequests(configuration);
    return configuration;
  }

  /** At an unknown key they are fetched anew, at most once a minute. */
  #keysOf({ jwks_uri: uri }: Metadata): Keys {
    if (uri === undefined || !(this.#isLocal || uri.startsWith('https:'))) throw failed('the provider has no jwks_uri');
    if (this.#keys?.uri !== uri) {
      const set = createRemoteJWKSet(new URL(uri), {
        cooldownDuration: MINUTE_MS,
        cacheMaxAge: HOUR_MS,
        timeoutDuration: REQUEST_TIMEOUT_MS,
        [jwksFetch]: fetchKeys,
      });
      this.#keys = { uri, set };
    }
    return this.#keys.set;
  }

  /** http is for a provider on this machine; the settings see to it. */
  get #isLocal(): boolean {
    return this.#deps.settings.issuer.startsWith('http:');
  }
}

function clientAuthentication(metadata: Metadata, secret: string | null): oidc.ClientAuth {
  if (secret === null) return oidc.None();
  const methods = metadata.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
  return methods.includes('client_secret_post') ? oidc.ClientSecretPost(secret) : oidc.ClientSecretBasic(secret);
}

async function fetchKeys(...[url, options]: Parameters<typeof fetch>): Promise<Response> {
  const unavailable = (reason: string, cause?: unknown): SsoFailure =>
    new SsoFailure('sso_unavailable', `the keys of the provider cannot be read: ${reason}`, cause);
  const response = await fetch(url, options).catch((cause: unknown) => {
    throw unavailable(reasonOf(cause), cause);
  });
  if (response.status >= 500) throw unavailable(`status ${response.status}`);
  return response;
}

const failed = (reason: string): SsoFailure => new SsoFailure('sso_failed', reason);

/** Rejects with an `SsoFailure`, in time. */
async function inTime<T>(work: () => Promise<T>): Promise<T> {
  const late = new AbortController();
  try {
    return await Promise.race([work(), deadline(late.signal)]);
  } catch (error) {
    throw error instanceof SsoFailure ? error : new SsoFailure(codeOf(error), reasonOf(error), error);
  } finally {
    late.abort();
  }
}

async function deadline(signal: AbortSignal): Promise<never> {
  await sleep(DEADLINE_MS, undefined, { signal }).catch(() => undefined);
  throw new SsoFailure('sso_unavailable', 'the provider takes too long');
}

/** Whether the provider cannot answer, or said something that cannot be accepted. */
function codeOf(error: unknown): 'sso_unavailable' | 'sso_failed' {
  const { name, code, cause, error: told } = error as { name?: string; code?: string; cause?: unknown; error?: string };
  const isAway = code === 'OAUTH_TIMEOUT' || code === 'OAUTH_ABORT' || code === 'ERR_JWKS_TIMEOUT';
  const isNetwork = name === 'TypeError' && (error as Error).message === 'fetch failed';
  const isBroken = cause instanceof Response && cause.status >= 500;
  const saysSo = told === 'temporarily_unavailable' || told === 'server_error';
  return isAway || isNetwork || isBroken || saysSo ? 'sso_unavailable' : 'sso_failed';
}

/** Without the details, which may hold tokens. */
const reasonOf = (error: unknown): string =>
  error instanceof Error ? `${error.name}: ${error.message}`.slice(0, 300) : 'unknown';
