/** A real OpenID Connect provider on this machine (`oidc-provider`), which can also be made to lie, to wait and to stop. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';
import Provider from 'oidc-provider';
import { freePort } from './free-port.ts';

/** Somebody at the provider. */
export interface Person {
  sub: string;
  email?: string | undefined;
  email_verified?: boolean | undefined;
  name?: string;
  groups?: string[];
  amr?: string[];
}

/** What to do to the answer of the token endpoint. */
type Tamper = (answer: Record<string, unknown>) => Promise<void> | void;

export interface IdentityProvider {
  issuer: string;
  clientId: string;
  clientSecret: string;
  /** Who signs in next. */
  person: Person;
  tamper: Tamper | null;
  delayMs: number;
  /** How often each path was asked for. */
  requests: Map<string, number>;
  /** A token with these claims, signed with the provider's key. */
  sign(claims: Record<string, unknown>, header?: Record<string, unknown>): Promise<string>;
  /** Replaces its keys by new ones. */
  rotateKeys(): Promise<void>;
  /** Tells its clients that the person signed out. */
  tellLogout(sub: string, sid: string): Promise<void>;
  stop(): Promise<void>;
  start(): Promise<void>;
}

const clientId = 'cairn';
const clientSecret = 'secret-of-the-client-0123456789';

interface KeyInUse {
  jwk: JWK;
  privateKey: Awaited<ReturnType<typeof generateKeyPair>>['privateKey'];
}

async function newKey(): Promise<KeyInUse> {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  const kid = `key-${Math.random().toString(36).slice(2)}`;
  return { jwk: { ...(await exportJWK(privateKey)), kid, alg: 'RS256', use: 'sig' }, privateKey };
}

export async function startIdentityProvider(publicUrl: string): Promise<IdentityProvider> {
  const port = await freePort();
  const issuer = `http://127.0.0.1:${port}`;
  let key = await newKey();
  let provider = newProvider();
  let server: Server | null = null;

  function newProvider(): Provider {
    const made = new Provider(
      issuer,
      configuration(publicUrl, key.jwk, () => idp.person),
    );
    made.on('server_error', (...args) => console.error('identity provider', args[1]));
    return made;
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = new URL(request.url ?? '/', issuer).pathname;
    idp.requests.set(path, (idp.requests.get(path) ?? 0) + 1);
    if (idp.delayMs > 0) await new Promise((resolve) => setTimeout(resolve, idp.delayMs).unref());
    if (path.startsWith('/interaction/')) {
      const login = { accountId: idp.person.sub, amr: idp.person.amr ?? ['pwd'] };
      return provider.interactionFinished(request, response, { login });
    }
    if (path === '/token' && idp.tamper) rewriteAnswer(response, idp.tamper);
    provider.callback()(request, response);
  }

  const idp: IdentityProvider = {
    issuer,
    clientId,
    clientSecret,
    person: { sub: 'nobody' },
    tamper: null,
    delayMs: 0,
    requests: new Map(),
    sign: (claims, header = {}) =>
      new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: key.jwk.kid ?? '', ...header }).sign(key.privateKey),
    async rotateKeys() {
      key = await newKey();
      provider = newProvider();
    },
    async tellLogout(sub, sid) {
      await (await provider.Client.find(clientId))?.backchannelLogout(sub, sid);
    },
    async stop() {
      server?.closeAllConnections();
      await new Promise((resolve) => (server ? server.close(resolve) : resolve(null)));
      server = null;
    },
    async start() {
      server = createServer((request, response) => void handle(request, response)).listen(port, '127.0.0.1');
      await once(server, 'listening');
    },
  };
  await idp.start();
  return idp;
}

function configuration(publicUrl: string, key: JWK, person: () => Person) {
  return {
    clients: [
      {
        client_id: clientId,
        client_secret: clientSecret,
        redirect_uris: [`${publicUrl}/login/oidc/callback`],
        post_logout_redirect_uris: [`${publicUrl}/login`],
        backchannel_logout_uri: `${publicUrl}/login/oidc/backchannel-logout`,
        backchannel_logout_session_required: true,
      },
    ],
    jwks: { keys: [key] },
    cookies: { keys: ['a key for the cookies of the provider'] },
    conformIdTokenClaims: false,
    claims: { openid: ['sub', 'amr'], email: ['email', 'email_verified'], profile: ['name', 'groups'] },
    features: {
      devInteractions: { enabled: false },
      backchannelLogout: { enabled: true },
      rpInitiatedLogout: { enabled: true },
    },
    // Its own refuses addresses of this machine.
    fetch: (url: URL, { dispatcher: _, ...options }: RequestInit & { dispatcher?: unknown }) => fetch(url, options),
    interactions: { url: (_ctx: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    findAccount: (_ctx: unknown, sub: string) => ({
      accountId: sub,
      claims: async () => (person().sub === sub ? person() : { sub }),
    }),
    // Nobody is asked for consent.
    // biome-ignore lint/suspicious/noExplicitAny: the package has no types
    async loadExistingGrant(ctx: any) {
      const grant = new ctx.oidc.provider.Grant({
        clientId: ctx.oidc.client.clientId,
        accountId: ctx.oidc.session.accountId,
      });
      grant.addOIDCScope('openid email profile');
      await grant.save();
      return grant;
    },
    ttl: { IdToken: 3600, AccessToken: 3600, Interaction: 3600, Session: 86_400, Grant: 86_400 },
  };
}

/** Changes the JSON of an answer before it is sent. */
function rewriteAnswer(response: ServerResponse, tamper: Tamper): void {
  const end = response.end.bind(response) as (chunk: string) => ServerResponse;
  response.end = ((chunk: unknown) => {
    const answer = JSON.parse(String(chunk)) as Record<string, unknown>;
    void Promise.resolve(tamper(answer)).then(() => {
      const text = JSON.stringify(answer);
      response.setHeader('content-length', Buffer.byteLength(text));
      end(text);
    });
    return response;
  }) as typeof response.end;
}
