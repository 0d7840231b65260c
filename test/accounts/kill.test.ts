/**
 * A server that is killed (SIGKILL) while a one-time code, link or sign-in is being used: it opens one session at most, and
 * whoever used it gets in afterwards. The delay before the kill follows what the last one hit, towards the moment at which
 * the code is spent.
 */
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { Secret, TOTP } from 'otpauth';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, type CallOptions, call } from '../support/client.ts';
import { freePort } from '../support/free-port.ts';
import { type IdentityProvider, startIdentityProvider } from '../support/identity-provider.ts';
import { cookieOf } from '../support/people.ts';
import { type ServerProcess, startServerProcess } from '../support/server-process.ts';
import { TestBrowser } from '../support/test-browser.ts';

/** Each round starts the server anew. */
const PATIENCE_MS = 400_000;
const KEY = 'phx_faults_personal_key';
const OWNER = { email: 'ada@example.org', password: 'correct horse' };

let dataDir: string;
let idp: IdentityProvider;
let origin: string;
let env: Record<string, string>;
let server: ServerProcess;

beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'cairn-codes-'));
  const port = await freePort();
  origin = `http://127.0.0.1:${port}`;
  idp = await startIdentityProvider(origin);
  env = {
    PORT: String(port),
    PUBLIC_URL: origin,
    INIT_ADMIN_EMAIL: OWNER.email,
    INIT_ADMIN_PASSWORD: OWNER.password,
    OIDC_ISSUER: idp.issuer,
    OIDC_CLIENT_ID: idp.clientId,
    OIDC_CLIENT_SECRET: idp.clientSecret,
  };
  server = await startServerProcess(dataDir, { env });
});
afterAll(async () => {
  await server?.kill();
  await idp?.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

const send = (method: string, path: string, options: CallOptions = {}): Promise<Answer> =>
  call(origin, method, path, { key: null, ...options });
const signIn = (account: { email: string; password: string }) => send('POST', '/api/login/', { body: account });

function inDatabase<T>(work: (database: Database.Database) => T): T {
  const database = new Database(join(dataDir, 'metadata.sqlite'));
  try {
    return work(database);
  } finally {
    database.close();
  }
}
/** Limits of attempts are another test's subject. */
const forgetAttempts = (): void => inDatabase((database) => void database.exec('delete from throttles'));
const sessionsOf = (email: string): number =>
  inDatabase(
    (database) =>
      database
        .prepare('select count(*) from sessions where user_id = (select id from users where email = ?)')
        .pluck()
        .get(email) as number,
  );

/** How long to wait until the kill: shorter after a request that had taken effect, longer after one that had not. */
class Delay {
  ms: number;
  readonly hits = { before: 0, after: 0 };

  constructor(ms: number) {
    this.ms = ms;
  }

  learn(hadEffect: boolean): void {
    this.hits[hadEffect ? 'after' : 'before']++;
    this.ms = hadEffect ? this.ms * 0.6 : this.ms * 1.5 + 1;
  }
}

/** Kills the server while it answers; null: it did not answer in time. The server runs again afterwards. */
async function killDuring<T>(request: () => Promise<T>, delay: Delay): Promise<T | null> {
  const answer = request().catch(() => null);
  await sleep(delay.ms);
  await server.kill();
  const answered = await answer;
  forgetAttempts();
  return answered;
}
const restart = async (): Promise<void> => {
  server = await startServerProcess(dataDir, { env });
};
const isIn = async (cookie: string): Promise<boolean> =>
  (await send('GET', '/api/users/@me/', { headers: { cookie } })).status === 200;

describe('killed while it is used', { timeout: PATIENCE_MS }, () => {
  it('a code of an app or a recovery code opens one session', async () => {
    const first = cookieOf((await signIn(OWNER)).headers);
    const { secret } = (await send('GET', '/api/users/@me/two_factor_start_setup/', { headers: { cookie: first } }))
      .body;
    const codeAt = (time: number) => TOTP.generate({ secret: Secret.fromBase32(secret), timestamp: time });
    const validated = await send('POST', '/api/users/@me/two_factor_validate/', {
      headers: { cookie: first },
      body: { token: codeAt(Date.now() - 30_000) },
    });
    expect(validated.status).toBe(200);
    const delay = new Delay(40);
    const tokens: string[] = [codeAt(Date.now()), ...validated.body.backup_codes];
    for (const token of tokens) {
      const before = sessionsOf(OWNER.email);
      const pending = cookieOf((await signIn(OWNER)).headers);
      const show = () => send('POST', '/api/login/token/', { headers: { cookie: pending }, body: { token } });
      const answered = await killDuring(show, delay);
      const opened = sessionsOf(OWNER.email) - before;
      const isRecovery = token !== tokens[0];
      const left = inDatabase((database) => database.prepare('select count(*) from recovery_codes').pluck().get());
      // Never spent without a session, never a session without being spent.
      if (isRecovery) expect(10 - Number(left)).toBe(tokens.indexOf(token) - 1 + opened);
      expect(opened === 0 || opened === 1).toBe(true);
      await restart();
      // What was answered holds; and with the rest of the sign-in, the code counts if and only if it was not spent.
      if (answered?.status === 200) expect([opened, await isIn(cookieOf(answered.headers))]).toEqual([1, true]);
      const again = await show();
      expect([again.status, again.body.code]).toEqual(opened === 1 ? [400, '2fa_invalid'] : [200, undefined]);
      expect(sessionsOf(OWNER.email) - before).toBe(1);
      delay.learn(opened === 1);
      if (isRecovery && tokens.indexOf(token) === 5) break;
    }
    // Whoever lost the answer gets in by the next code.
    const pending = cookieOf((await signIn(OWNER)).headers);
    const last = await send('POST', '/api/login/token/', { headers: { cookie: pending }, body: { token: tokens[9] } });
    expect(last.status).toBe(200);
    console.info('codes: killed before and after they were spent', delay.hits);
  });

  it('an invitation makes one account, whose password signs in', async () => {
    const delay = new Delay(500);
    for (let round = 0; round < 3; round++) {
      const account = { email: `invited-${round}@example.org`, password: `password of ${round} rounds` };
      const made = await send('POST', '/api/organizations/@current/invites/', {
        key: KEY,
        body: { target_email: account.email },
      });
      const { id, link } = made.body;
      const token = link.split('#token=')[1];
      const accept = () => send('POST', `/api/signup/${id}/`, { body: { token, password: account.password } });
      await killDuring(accept, delay);
      const isUsed = inDatabase(
        (database) => database.prepare('select 1 from users where email = ?').get(account.email) !== undefined,
      );
      expect(sessionsOf(account.email)).toBeLessThanOrEqual(isUsed ? 1 : 0);
      await restart();
      const again = await accept();
      expect([again.status, again.body.code]).toEqual(isUsed ? [400, 'invalid_token'] : [200, undefined]);
      const signedIn = await signIn(account);
      expect(signedIn.status).toBe(200);
      const { body } = await send('GET', '/api/users/@me/', { headers: { cookie: cookieOf(signedIn.headers) } });
      expect(body.organizations).toHaveLength(1);
      delay.learn(isUsed);
    }
    console.info('invitations: killed before and after they were used', delay.hits);
  });

  it('a link for a new password sets it once, and one of the two passwords signs in', async () => {
    const delay = new Delay(1500);
    const account = { email: 'invited-0@example.org', password: 'password of 0 rounds' };
    for (let round = 1; round <= 3; round++) {
      const user = inDatabase(
        (database) =>
          database.prepare('select id, uuid from users where email = ?').get(account.email) as {
            id: number;
            uuid: string;
          },
      );
      const token = `reset-token-of-round-${round}`;
      const hash = createHash('sha256').update(token).digest('hex');
      await server.kill();
      inDatabase((database) =>
        database
          .prepare('insert or replace into password_resets (user_id, token_hash, expires_at) values (?, ?, ?)')
          .run(user.id, hash, Date.now() + 3_600_000),
      );
      await restart();
      const password = `another password ${round}`;
      const reset = () => send('POST', `/api/reset/${user.uuid}/`, { body: { token, password } });
      await killDuring(reset, delay);
      const isUsed = inDatabase((database) => database.prepare('select 1 from password_resets').get() === undefined);
      await restart();
      expect((await signIn({ ...account, password: isUsed ? password : account.password })).status).toBe(200);
      expect((await signIn({ ...account, password: isUsed ? account.password : password })).status).toBe(400);
      const again = await reset();
      expect([again.status, again.body?.code]).toEqual(isUsed ? [400, 'invalid_token'] : [204, undefined]);
      account.password = password;
      expect((await signIn(account)).status).toBe(200);
      delay.learn(isUsed);
    }
    console.info('links: killed before and after they were used', delay.hits);
  });

  it('a sign-in by the provider opens one session, and the next one succeeds', async () => {
    const delay = new Delay(150);
    const email = 'grace@example.org';
    idp.person = { sub: 'grace', email, email_verified: true, name: 'Grace' };
    await send('POST', '/api/organizations/@current/invites/', { key: KEY, body: { target_email: email } });
    for (let round = 0; round < 3; round++) {
      const browser = new TestBrowser();
      const isCallback = (url: URL) => url.pathname === '/login/oidc/callback';
      const { url } = await browser.visit(`${origin}/login/oidc/?next=/account`, isCallback);
      const cookie = browser.cookiesFor(url);
      const finish = () => fetch(url, { headers: { cookie }, redirect: 'manual' });
      const before = sessionsOf(email);
      await killDuring(finish, delay);
      const opened = sessionsOf(email) - before;
      expect(opened === 0 || opened === 1).toBe(true);
      await restart();
      // The same answer of the provider again: used up on one side or the other.
      const again = await finish();
      const total = sessionsOf(email) - before;
      if (opened === 1) expect(again.headers.get('location')).toContain('/login?error=sso_failed');
      expect(total).toBeLessThanOrEqual(1);
      forgetAttempts();
      const fresh = new TestBrowser();
      const landed = await fresh.visit(`${origin}/login/oidc/?next=/account`, (to) => to.pathname === '/account');
      expect(landed.url.href).toBe(`${origin}/account`);
      expect((await fresh.fetch(new URL('/api/users/@me/', origin))).status).toBe(200);
      delay.learn(opened === 1);
    }
    console.info('sign-ins by the provider: killed before and after the session', delay.hits);
  });
});
