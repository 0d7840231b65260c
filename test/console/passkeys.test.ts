/** Passkeys with the virtual authenticator of Chromium. */
import type { Browser, CDPSession, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasBrowser, openBrowser } from '../support/browser.ts';
import { type Answer, clientFor } from '../support/client.ts';
import { freePort } from '../support/free-port.ts';
import { startServer, type TestServer } from '../support/server.ts';

const ADMIN = { initAdminEmail: 'ada@example.org', initAdminPassword: 'correct horse' };

describe.runIf(hasBrowser)('passkeys', () => {
  const begin = Date.now();
  let server: TestServer;
  let browser: Browser;
  let page: Page;
  let devtools: CDPSession;
  let authenticatorId: string;

  beforeAll(async () => {
    // The browser judges by its own clock whether a cookie has expired.
    const port = await freePort();
    // A provider that is never asked: only what its domains enforce is of interest.
    const oidc = { oidcIssuer: 'http://127.0.0.1:9', oidcClientId: 'cairn', publicUrl: `http://localhost:${port}` };
    server = await startServer({ config: { ...ADMIN, ...oidc, port }, now: new Date(begin).toISOString() });
    browser = await openBrowser();
    page = await browser.newPage();
    // Passkeys need a name: a browser allows them for localhost, not for 127.0.0.1.
    await page.goto(`${server.url.replace('127.0.0.1', 'localhost')}/login`);
    devtools = await page.context().newCDPSession(page);
    await devtools.send('WebAuthn.enable');
    const options = {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    } as const;
    ({ authenticatorId } = await devtools.send('WebAuthn.addVirtualAuthenticator', { options }));
  });
  afterAll(async () => {
    await browser?.close();
    await server?.close();
  });

  /** Calls the API from the page, with its cookies. */
  const call = (method: string, path: string, body: unknown = {}) =>
    page.evaluate(`(async () => {
      const init = { method: '${method}', headers: { 'content-type': 'application/json' } };
      const body = ${JSON.stringify(JSON.stringify(body))};
      const answer = await fetch('${path}', init.method === 'GET' ? init : { ...init, body });
      return { status: answer.status, body: await answer.json().catch(() => null) };
    })()`) as Promise<Pick<Answer, 'status' | 'body'>>;
  const post = (path: string, body?: unknown) => call('POST', path, body);
  const create = (options: object) =>
    page.evaluate(`(async () => {
      const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(${JSON.stringify(options)});
      return (await navigator.credentials.create({ publicKey })).toJSON();
    })()`);
  const use = (options: object) =>
    page.evaluate(`(async () => {
      const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(${JSON.stringify(options)});
      return (await navigator.credentials.get({ publicKey })).toJSON();
    })()`);
  const complete = (credential: unknown) => post('/api/webauthn/login/complete', { credential });

  it('are added by a signed-in user, with recovery codes, and each challenge counts once', async () => {
    const anonymous = await post('/api/webauthn/register/begin');
    expect(anonymous.status).toBe(401);
    expect((await post('/api/login/', { email: 'ada@example.org', password: 'correct horse' })).status).toBe(200);
    const { body: options } = await post('/api/webauthn/register/begin');
    expect(options).toMatchObject({
      rp: { id: 'localhost', name: 'Cairn' },
      attestation: 'none',
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    });
    const credential = await create(options);
    const made = await post('/api/webauthn/register/complete', { label: 'Laptop', credential });
    expect([made.status, made.body.label, made.body.backup_codes.length]).toEqual([201, 'Laptop', 10]);
    const again = await post('/api/webauthn/register/complete', { label: 'Laptop', credential });
    expect([again.status, again.body.code]).toEqual([400, 'passkey_invalid']);
  });

  it('are a second factor: the password alone is not enough any more', async () => {
    await post('/api/logout/');
    const answer = await post('/api/login/', { email: 'ada@example.org', password: 'correct horse' });
    expect([answer.status, answer.body.code]).toEqual([401, '2fa_required']);
  });

  it('sign in without a password; a replayed, changed or late answer does not', async () => {
    const { body: options } = await post('/api/webauthn/login/begin');
    expect(options.allowCredentials ?? []).toEqual([]);
    const credential = (await use(options)) as { response: { signature: string } };
    const changed = { ...credential, response: { ...credential.response, signature: 'AAAA' } };
    expect((await complete(changed)).body.code).toBe('passkey_invalid');
    const signedIn = await complete(credential);
    expect([signedIn.status, signedIn.body.user.email]).toEqual([200, 'ada@example.org']);
    expect((await complete(credential)).body.code).toBe('passkey_invalid');
    const { body: sessions } = await call('GET', '/api/users/@me/sessions/');
    expect(sessions.find((one: { is_current: boolean }) => one.is_current).method).toBe('passkey');
    const { body: next } = await post('/api/webauthn/login/begin');
    const late = await use(next);
    server.setNow(new Date(begin + 300_000).toISOString());
    expect((await complete(late)).body.code).toBe('passkey_invalid');
  });

  it('with a counter that falls back are refused, and the log says so', async () => {
    const { credentials } = await devtools.send('WebAuthn.getCredentials', { authenticatorId });
    const [copy] = credentials;
    if (!copy) throw new Error('There is no credential');
    await devtools.send('WebAuthn.removeCredential', { authenticatorId, credentialId: copy.credentialId });
    await devtools.send('WebAuthn.addCredential', { authenticatorId, credential: { ...copy, signCount: 0 } });
    await server.tamper('update passkeys set counter = 1000');
    const { body: options } = await post('/api/webauthn/login/begin');
    expect((await complete(await use(options))).body.code).toBe('passkey_invalid');
    const { body: log } = await clientFor(server).get('/api/organizations/@current/activity/?scope=User');
    expect(log.results.map((one: { activity: string }) => one.activity)).toContain('passkey_copied');
  });

  it('of another site are refused: the origin is part of what is signed', async () => {
    const { body: options } = await post('/api/webauthn/login/begin');
    const credential = (await use(options)) as { response: { clientDataJSON: string } };
    const data = JSON.parse(Buffer.from(credential.response.clientDataJSON, 'base64url').toString());
    const clientDataJSON = Buffer.from(JSON.stringify({ ...data, origin: 'https://evil.example.org' })).toString(
      'base64url',
    );
    const forged = { ...credential, response: { ...credential.response, clientDataJSON } };
    expect((await complete(forged)).body.code).toBe('passkey_invalid');
  });

  it('sign nobody in whose domain enforces the provider', async () => {
    // Past the copied one of before.
    await server.tamper('update passkeys set counter = 0');
    const signIn = async () => complete(await use((await post('/api/webauthn/login/begin')).body));
    expect((await signIn()).status).toBe(200);
    await post('/api/logout/');
    await server.metadata.domains.create({
      id: 'd',
      organizationId: server.organizationId,
      domain: 'example.org',
      challenge: '',
      verifiedAt: begin,
      autoJoin: false,
      enforced: true,
      createdAt: begin,
    });
    const refused = await signIn();
    expect([refused.status, refused.body.code]).toEqual([400, 'sso_enforced']);
    const password = await post('/api/login/', { email: 'ada@example.org', password: 'correct horse' });
    expect([password.status, password.body.code]).toEqual([400, 'sso_enforced']);
  });
});
