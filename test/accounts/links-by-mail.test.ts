/** Invitations and new passwords by a link, through a real mail server. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clientFor } from '../support/client.ts';
import { linkIn, type MailServer, startMailServer } from '../support/mail-server.ts';
import { addMember, cookieOf, type TestMember } from '../support/people.ts';
import { START, startServer, type TestServer } from '../support/server.ts';

let mail: MailServer;
let server: TestServer;
let client: ReturnType<typeof clientFor>;
let grace: TestMember;
const PASSWORD = 'chosen by myself';
const invites = '/api/organizations/@current/invites/';

beforeAll(async () => {
  mail = await startMailServer();
  server = await startServer({ config: { ...mail.config, publicUrl: 'https://cairn.example.org' } });
  client = clientFor(server);
  grace = await addMember(server, 'grace@example.org');
  mail.mails.length = 0;
});
afterAll(async () => {
  await server.close();
  await mail.close();
});

let minutes = 0;
/** Lets the limits of a minute pass. */
const later = (by = 1): void => {
  minutes += by;
  server.setNow(new Date(Date.parse(START) + minutes * 61_000).toISOString());
};

const askFor = (email: string, headers = {}) => client.post('/api/reset/', { key: null, body: { email }, headers });
const choose = (uuid: string, token: string, password = PASSWORD) =>
  client.post(`/api/reset/${uuid}/`, { key: null, body: { token, password } });
const isValid = (uuid: string, token: string) =>
  client.get(`/api/reset/${uuid}/`, { key: null, headers: { 'x-reset-token': token } });
const signIn = (email: string, password: string) =>
  client.post('/api/login/', { key: null, body: { email, password } });
async function resetToken(email = grace.email): Promise<string> {
  expect((await askFor(email)).status).toBe(204);
  const { path, token } = linkIn(await mail.take(email));
  expect(path).toBe(`/reset/${grace.uuid}`);
  return token;
}

describe('an invitation', () => {
  it('is mailed with a link of PUBLIC_URL, and its text cannot add headers or lines', async () => {
    const name = 'Ada\r\nBcc: everybody@example.org';
    await client.patch('/api/users/@me/', { body: { first_name: name } });
    const made = await client.post(invites, { body: { target_email: 'new@example.org', message: 'Welcome!' } });
    expect([made.status, made.body.emailing_attempt_made, made.body.message]).toEqual([201, true, 'Welcome!']);
    const text = await mail.take('new@example.org');
    const link = linkIn(text);
    expect(text).toContain(`https://cairn.example.org/invite/${made.body.id}#token=${link.token}`);
    expect(text).toContain('Welcome!');
    expect(text).not.toMatch(/^Bcc:/m);
    const joined = await client.post(`/api/signup/${made.body.id}/`, {
      key: null,
      body: { token: link.token, password: PASSWORD },
    });
    expect([joined.status, joined.body.user.email]).toEqual([200, 'new@example.org']);
  });

  it('is not mailed if that is not wanted, and up to twenty can be made at once', async () => {
    const quiet = await client.post(invites, { body: { target_email: 'quiet@example.org', send_email: false } });
    expect([quiet.status, quiet.body.emailing_attempt_made]).toEqual([201, false]);
    const addresses = (count: number) =>
      Array.from({ length: count }, (_, i) => ({ target_email: `b${i}@example.org` }));
    const bulk = await client.post(`${invites}bulk/`, { body: addresses(3) });
    expect([bulk.status, bulk.body.map((one: { target_email: string }) => one.target_email)]).toEqual([
      201,
      ['b0@example.org', 'b1@example.org', 'b2@example.org'],
    ]);
    for (let i = 0; i < 3; i++) expect(linkIn(await mail.take(`b${i}@example.org`)).token).toHaveLength(43);
    expect((await client.post(`${invites}bulk/`, { body: addresses(21) })).status).toBe(400);
    expect(mail.mails).toEqual([]);
  });
});

describe('a new password', () => {
  it('is chosen with a mailed link, once; sessions end, keys stay, and a notice is mailed', async () => {
    const token = await resetToken();
    expect((await isValid(grace.uuid, token)).status).toBe(204);
    const weak = await choose(grace.uuid, token, 'grace@example.org');
    expect([weak.status, weak.body.code]).toEqual([400, 'password_too_similar']);
    expect((await choose(grace.uuid, token)).status).toBe(204);
    expect(await mail.take(grace.email)).toContain('Subject: Your password for Cairn was changed');
    const me = (auth: object) => client.get('/api/users/@me/', auth);
    expect((await me({ key: null, headers: { cookie: grace.cookie } })).status).toBe(401);
    expect((await me({ key: grace.personalKey })).status).toBe(200);
    expect((await signIn(grace.email, grace.password)).status).toBe(400);
    expect((await signIn(grace.email, PASSWORD)).status).toBe(200);
    const again = await choose(grace.uuid, token, 'another sentence');
    expect([again.status, again.body.code, again.body.attr]).toEqual([400, 'invalid_token', 'token']);
  });

  it('is set once when a link is used twice at the same time', async () => {
    later(60);
    const token = await resetToken();
    const answers = await Promise.all(['first of two', 'second of two'].map((one) => choose(grace.uuid, token, one)));
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 400]);
    await mail.take(grace.email);
  });

  it('needs a link that is not replaced, late, invented, of somebody else, or of a revoked user', async () => {
    later(60);
    const replaced = await resetToken();
    later();
    const token = await resetToken();
    const answers = [
      await isValid(grace.uuid, replaced),
      await isValid(grace.uuid, 'invented'),
      await isValid(grace.uuid, 'x'.repeat(5000)),
      await isValid('no-such-user', token),
      await choose(grace.uuid, replaced),
    ];
    const user = await server.metadata.users.getByUuid(grace.uuid);
    await server.metadata.users.update(user?.id ?? 0, { isActive: false });
    answers.push(await isValid(grace.uuid, token));
    await server.metadata.users.update(user?.id ?? 0, { isActive: true });
    expect((await isValid(grace.uuid, token)).status).toBe(204);
    later(60);
    answers.push(await choose(grace.uuid, token));
    for (const { status, body } of answers) expect([status, body.code]).toEqual([400, 'invalid_token']);
  });

  it('is not mailed for unknown addresses, which get the same answer, nor more than three times an hour', async () => {
    later(60);
    const [known, unknown] = [await askFor(grace.email), await askFor('nobody@example.org')];
    expect([known.status, known.body]).toEqual([unknown.status, unknown.body]);
    for (let i = 0; i < 4; i++) {
      later();
      expect((await askFor(grace.email)).status).toBe(204);
    }
    for (let i = 0; i < 3; i++) await mail.take(grace.email);
    later(60);
    await resetToken();
    expect(mail.mails).toEqual([]);
  });

  it('is asked for five times a minute at most, by address and from other sites never', async () => {
    later();
    const answers = await Promise.all(Array.from({ length: 7 }, () => askFor('flood@example.org')));
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(2);
    expect((await askFor(grace.email, { origin: 'https://evil.example.org' })).status).toBe(403);
  });
});

describe('open sessions', () => {
  const own = '/api/users/@me/sessions/';
  const as = (cookie: string) => ({ key: null, headers: { cookie } });

  it('are listed and ended by their user, never by a key', async () => {
    later();
    const member = await addMember(server, 'alan@example.org');
    const headers = { 'user-agent': 'Firefox on the moon' };
    const signed = await client.post('/api/login/', {
      key: null,
      headers,
      body: { email: member.email, password: member.password },
    });
    const here = cookieOf(signed.headers);
    const { body: listed } = await client.get(own, as(here));
    expect(listed).toHaveLength(2);
    const current = listed.find((one: { is_current: boolean }) => one.is_current);
    expect(current).toMatchObject({ ip: '127.0.0.x', user_agent: 'Firefox on the moon', method: 'password' });
    const other = listed.find((one: { is_current: boolean }) => !one.is_current);
    const refused = await client.get(own, { key: member.personalKey });
    expect([refused.status, refused.body.code]).toEqual([403, 'session_required']);
    expect((await client.delete(`${own}${other.id}/`, as(here))).status).toBe(204);
    expect((await client.delete(`${own}${other.id}/`, as(here))).status).toBe(404);
    expect((await client.get(own, as(member.cookie))).status).toBe(401);
    const third = cookieOf((await signIn(member.email, member.password)).headers);
    expect((await client.post(`${own}revoke_others/`, as(third))).status).toBe(204);
    expect((await client.get(own, as(here))).status).toBe(401);
    expect((await client.get(own, as(third))).body).toHaveLength(1);
  });

  it('of members are seen and ended by admins, not by members, nor those of owners', async () => {
    later();
    const admin = await addMember(server, 'admin@example.org', 8);
    const member = await addMember(server, 'member@example.org');
    const owner = await addMember(server, 'owner@example.org', 15);
    const of = (uuid: string) => `/api/organizations/@current/members/${uuid}/sessions/`;
    const { status, body } = await client.get(of(member.uuid), as(admin.cookie));
    expect([status, body.length]).toEqual([200, 1]);
    expect((await client.get(of(admin.uuid), as(member.cookie))).status).toBe(403);
    expect((await client.get(of(owner.uuid), as(admin.cookie))).status).toBe(403);
    expect((await client.delete(`${of(member.uuid)}${body[0].id}/`, as(admin.cookie))).status).toBe(204);
    expect((await client.get(own, as(member.cookie))).status).toBe(401);
    const { body: log } = await client.get('/api/organizations/@current/activity/?scope=User');
    expect(log.results[0]).toMatchObject({ activity: 'session_ended', detail: { name: 'member@example.org' } });
  });
});
