/** Second factors: set up, shown once, throttled, and required by an organization. */
import { Secret, TOTP } from 'otpauth';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clientFor } from '../support/client.ts';
import { addMember, cookieOf, invite, type TestMember } from '../support/people.ts';
import { START, startServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let client: ReturnType<typeof clientFor>;
let ada: TestMember;
let secret: string;
let codes: string[];
let now = Date.parse(START);

beforeAll(async () => {
  server = await startServer();
  client = clientFor(server);
  ada = await addMember(server, 'ada@example.org', 15);
});
afterAll(() => server.close());

const later = (ms = 61_000): void => {
  now += ms;
  server.setNow(new Date(now).toISOString());
};
const as = (cookie: string) => ({ key: null, headers: { cookie } });
const codeAt = (time = now): string => TOTP.generate({ secret: Secret.fromBase32(secret), timestamp: time });
const signIn = (member = ada) =>
  client.post('/api/login/', { key: null, body: { email: member.email, password: member.password } });
const show = (cookie: string, token: string) => client.post('/api/login/token/', { ...as(cookie), body: { token } });
const me = '/api/users/@me/';
/** Signs in with both factors. */
async function cookieOfAda(): Promise<string> {
  later(90_000);
  const shown = await show(cookieOf((await signIn()).headers), codeAt());
  expect(shown.status).toBe(200);
  return cookieOf(shown.headers);
}

describe('an authenticator app', () => {
  it('is set up by whoever has just signed in, and shows recovery codes once', async () => {
    const begun = await client.get(`${me}two_factor_start_setup/`, as(ada.cookie));
    expect(begun.status).toBe(200);
    secret = begun.body.secret;
    expect(begun.body.otpauth_url).toContain(`secret=${secret}`);
    // Not yet confirmed, so not yet needed.
    expect((await signIn()).status).toBe(200);
    const wrong = await client.post(`${me}two_factor_validate/`, { ...as(ada.cookie), body: { token: '000000' } });
    expect([wrong.status, wrong.body.code]).toEqual([400, 'token_invalid']);
    const done = await client.post(`${me}two_factor_validate/`, { ...as(ada.cookie), body: { token: codeAt() } });
    expect([done.status, done.body.success, done.body.backup_codes.length]).toEqual([200, true, 10]);
    codes = done.body.backup_codes;
    const { body: status } = await client.get(`${me}two_factor_status/`, as(ada.cookie));
    expect(status).toEqual({
      is_enabled: true,
      method: 'TOTP',
      backup_codes: [],
      backup_codes_left: 10,
      has_passkeys: false,
      passkeys_enabled_for_2fa: true,
    });
    const again = await client.get(`${me}two_factor_start_setup/`, as(ada.cookie));
    expect([again.status, again.body.code]).toEqual([400, 'in_use']);
  });

  it('has its secret encrypted, and no code or secret in the activity log', async () => {
    const [row] = await server.rows('select secret from totp_secrets');
    expect(row?.['secret']).not.toContain(secret);
    const rows = JSON.stringify([
      await server.rows('select * from activity'),
      await server.rows('select * from recovery_codes'),
    ]);
    for (const text of [secret, ...codes]) expect(rows).not.toContain(text);
  });

  it('is needed after the password, whose session opens nothing else', async () => {
    later();
    const first = await signIn();
    expect([first.status, first.body]).toEqual([
      401,
      { type: 'authentication_error', code: '2fa_required', detail: '2FA is required.', attr: null },
    ]);
    const pending = cookieOf(first.headers);
    expect(pending).toMatch(/^cairn_factor=/);
    expect((await client.get(me, as(pending))).status).toBe(401);
    const asSession = as(pending.replace('cairn_factor', 'cairn_session'));
    expect((await client.get(me, asSession)).status).toBe(401);
    const shown = await show(pending, codeAt());
    expect([shown.status, shown.body.success]).toEqual([200, true]);
    expect((await client.get(me, as(cookieOf(shown.headers)))).body.email).toBe(ada.email);
  });

  it('has codes for one use, also when two arrive at once', async () => {
    later(90_000);
    const pending = cookieOf((await signIn()).headers);
    const code = codeAt();
    const both = await Promise.all([show(pending, code), show(pending, code)]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 400]);
    const replayed = await show(pending, code);
    expect([replayed.status, replayed.body.code]).toEqual([400, '2fa_invalid']);
    // The step before is over as well once a later code was used.
    expect((await show(pending, codeAt(now - 30_000))).status).toBe(400);
  });

  it('is not guessed: few codes a minute and an hour, whoever tries', async () => {
    later(3_600_000);
    const tries: number[] = [];
    for (let minute = 0; minute < 6; minute++) {
      later();
      const pending = cookieOf((await signIn()).headers);
      for (let i = 0; i < 7; i++) tries.push((await show(pending, '000000')).status);
    }
    expect(tries.filter((status) => status === 400)).toHaveLength(20);
    expect(tries.filter((status) => status === 429)).toHaveLength(22);
    later();
    expect((await show(cookieOf((await signIn()).headers), codeAt())).status).toBe(429);
    later(3_600_000);
  });

  it('refuses a sign-in that is late, forged, of another purpose, or from before a new password', async () => {
    const pending = cookieOf((await signIn()).headers);
    const value = pending.slice('cairn_factor='.length);
    const [body = '', signed = ''] = value.split('.');
    const other = JSON.parse(Buffer.from(body, 'base64url').toString());
    const forged = Buffer.from(JSON.stringify({ ...other, value: { ...other.value, userId: 1 } })).toString(
      'base64url',
    );
    const { headers } = await client.post('/api/webauthn/login/begin', { key: null });
    const challenge = cookieOf(headers).replace('cairn_passkey', 'cairn_factor');
    for (const cookie of [
      '',
      `cairn_factor=${forged}.${signed}`,
      `cairn_factor=${body}.x`,
      `${pending}.x`,
      challenge,
    ]) {
      const answer = await show(cookie, codeAt());
      expect([answer.status, answer.body.code]).toEqual([400, '2fa_expired']);
    }
    later(600_000);
    const late = await show(pending, codeAt());
    expect([late.status, late.body.code]).toEqual([400, '2fa_expired']);
    const fresh = cookieOf((await signIn()).headers);
    const user = await server.metadata.users.getByUuid(ada.uuid);
    await server.metadata.users.update(user?.id ?? 0, { passwordHash: 'another' });
    expect((await show(fresh, codeAt())).body.code).toBe('2fa_expired');
    await server.metadata.users.update(user?.id ?? 0, { passwordHash: user?.passwordHash ?? null });
    expect((await show(fresh, codeAt())).status).toBe(200);
  });

  it('is needed by whoever accepts an invitation with the password, too', async () => {
    later();
    const foreign = await server.createProject({ foreign: true });
    const strangers = { url: server.url, personalKey: foreign.personalKey };
    const made = await invite(strangers, { target_email: ada.email });
    const body = { token: made.token, password: ada.password };
    const joined = await client.post(made.path, { key: null, body });
    expect([joined.status, joined.body.code]).toEqual([401, '2fa_required']);
    expect((await show(cookieOf(joined.headers), codeAt())).status).toBe(200);
  });

  it('needs a fresh session or the password to be set up, and never a key', async () => {
    later();
    const grace = await addMember(server, 'grace@example.org');
    later(600_000);
    const url = `${me}two_factor_start_setup/`;
    const old = await client.get(url, as(grace.cookie));
    expect([old.status, old.body.code]).toEqual([403, 'reauthentication_required']);
    const wrong = await client.post(url, { ...as(grace.cookie), body: { current_password: 'wrong' } });
    expect([wrong.status, wrong.body.code]).toEqual([400, 'incorrect_password']);
    const right = await client.post(url, { ...as(grace.cookie), body: { current_password: grace.password } });
    expect(right.status).toBe(200);
    const byKey = await client.get(url, { key: grace.personalKey });
    expect([byKey.status, byKey.body.code]).toEqual([403, 'session_required']);
    later(600_000);
    const late = await client.post(`${me}validate_2fa/`, { ...as(grace.cookie), body: { token: '123456' } });
    expect([late.status, late.body.code]).toEqual([400, 'setup_expired']);
  });
});

describe('recovery codes', () => {
  it('take the place of a code once, and are replaced with a factor', async () => {
    later(3_600_000);
    const pending = cookieOf((await signIn()).headers);
    const [first = '', second = ''] = codes;
    const shown = await show(pending, first.toUpperCase().replace('-', ' '));
    expect(shown.status).toBe(200);
    const cookie = cookieOf(shown.headers);
    expect((await show(pending, first)).status).toBe(400);
    const left = await client.get(`${me}two_factor_status/`, as(cookie));
    expect(left.body.backup_codes_left).toBe(9);
    const renew = (token: string) => client.post(`${me}two_factor_backup_codes/`, { ...as(cookie), body: { token } });
    expect((await renew('000000')).status).toBe(400);
    const renewed = await renew(second);
    expect([renewed.status, renewed.body.backup_codes.length]).toEqual([200, 10]);
    later();
    expect((await show(cookieOf((await signIn()).headers), codes[2] ?? '')).status).toBe(400);
    codes = renewed.body.backup_codes;
    expect((await show(cookieOf((await signIn()).headers), codes[0] ?? '')).status).toBe(200);
  });
});

describe('an organization that requires a second factor', () => {
  const organization = '/api/organizations/@current/';
  let grace: TestMember;

  it('is set up by an admin who has one', async () => {
    later(3_600_000);
    grace = await addMember(server, 'hopper@example.org', 8);
    const body = { enforce_2fa: true };
    const without = await client.patch(organization, { ...as(grace.cookie), body });
    expect([without.status, without.body.code]).toEqual([400, 'own_factor_needed']);
    const byKey = await client.patch(organization, { key: ada.personalKey, body });
    expect([byKey.status, byKey.body.code]).toEqual([403, 'session_required']);
    const cookie = await cookieOfAda();
    const done = await client.patch(`/api/organizations/${server.organizationId}/`, { ...as(cookie), body });
    expect([done.status, done.body.enforce_2fa]).toEqual([200, true]);
  });

  it('lets members without one set it up and sign out, and nothing else; keys work', async () => {
    for (const path of ['/api/projects/', organization, '/api/personal_api_keys/', '/api/projects/1/persons/']) {
      const answer = await client.get(path, as(grace.cookie));
      expect([path, answer.status, answer.body.code]).toEqual([path, 403, '2fa_setup_required']);
    }
    const key = await client.post('/api/personal_api_keys/', { ...as(grace.cookie), body: { label: 'way round' } });
    expect([key.status, key.body.code]).toEqual([403, '2fa_setup_required']);
    expect((await client.get('/api/projects/', { key: grace.personalKey })).status).toBe(200);
    expect((await client.get(me, as(grace.cookie))).status).toBe(200);
    secret = (await client.get(`${me}start_2fa_setup/`, as(grace.cookie))).body.secret;
    const done = await client.post(`${me}two_factor_validate/`, { ...as(grace.cookie), body: { token: codeAt() } });
    expect(done.status).toBe(200);
    expect((await client.get('/api/projects/', as(grace.cookie))).status).toBe(200);
    const [code = ''] = done.body.backup_codes;
    const off = await client.post(`${me}two_factor_disable/`, { ...as(grace.cookie), body: { token: code } });
    expect(off.status).toBe(200);
    expect((await client.get('/api/projects/', as(grace.cookie))).body.code).toBe('2fa_setup_required');
  });
});
