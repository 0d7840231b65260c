/** Mails about change requests: to those who are asked, and to whoever asked, once each. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { clientFor } from '../support/client.ts';
import { type MailServer, startMailServer } from '../support/mail-server.ts';
import { addMember } from '../support/people.ts';
import { startServer, type TestServer } from '../support/server.ts';

const flags = '/api/projects/1/feature_flags/';
const policies = '/api/projects/1/approval_policies/';
const requests = '/api/projects/1/change_requests/';
const DAY = 86_400_000;
const NOW = Date.parse('2026-01-15T12:00:00Z');

let server: TestServer;
let mail: MailServer;
let owner: ReturnType<typeof clientFor>;
let dev: ReturnType<typeof clientFor>;
let lead: ReturnType<typeof clientFor>;
let ownerMail: string;
let keys = 0;

beforeAll(async () => {
  mail = await startMailServer();
  server = await startServer({ config: { ...mail.config, publicUrl: 'https://cairn.example.org' } });
  owner = clientFor(server);
  const member = async (email: string, level?: number) =>
    clientFor({ url: server.url, personalKey: (await addMember(server, email, level)).personalKey });
  dev = await member('dev@example.org');
  lead = await member('lead@example.org', 8);
  ownerMail = (await owner.get('/api/users/@me/')).body.email;
});
afterAll(async () => {
  await server.close();
  await mail.close();
});
beforeEach(async () => {
  server.setNow(new Date(NOW).toISOString());
  for (const { id } of (await owner.get(policies)).body.results) await owner.delete(`${policies}${id}/`);
  await settled();
  mail.mails.length = 0;
});

/** Nothing is on its way any more. */
const settled = () =>
  expect
    .poll(async () => {
      const { results } = (await owner.get('/api/projects/1/deliveries/?limit=1000')).body;
      return results.filter(({ state }: { state: string }) => state === 'waiting' || state === 'sending').length;
    })
    .toBe(0);
/** Who got which subject. */
async function sent(): Promise<string[]> {
  await settled();
  return mail.mails
    .map(({ text }) => `${/^To: (.*)$/im.exec(text)?.[1]?.trim()}: ${/^Subject: (.*)$/im.exec(text)?.[1]?.trim()}`)
    .sort();
}
const policy = (rest: object = {}) => owner.post(policies, { body: { action_key: 'feature_flag.enable', ...rest } });
async function ask(): Promise<{ key: string; id: number; request: string }> {
  const key = `flag-${++keys}`;
  const { id } = (await owner.post(flags, { body: { key, active: false } })).body;
  const asked = await dev.patch(`${flags}${id}/`, { body: { active: true } });
  expect(asked.status).toBe(409);
  return { key, id, request: asked.body.change_request_id };
}

describe('approvers', () => {
  it('who are admins are told once, however often the change is asked for', async () => {
    await policy();
    const { key, id, request } = await ask();
    await dev.patch(`${flags}${id}/`, { body: { active: true } });
    const subject = `${key}: a change waits for your approval`;
    expect(await sent()).toEqual([`${ownerMail}: ${subject}`, `lead@example.org: ${subject}`].sort());
    expect(mail.mails[0]?.text).toContain(`https://cairn.example.org/project/1/approvals/${request}`);
    expect(mail.mails[0]?.text).toContain('dev@example.org wants to enable the flag');
  });

  it('are those whom the policy names, by person or role, as long as they are members', async () => {
    const role = (await owner.post('/api/organizations/@current/roles/', { body: { name: 'Release' } })).body;
    const { results } = (await owner.get('/api/organizations/@current/members/?limit=100')).body;
    const userOf = (email: string) =>
      results.find(({ user }: { user: { email: string } }) => user.email === email)?.user ?? {};
    const gone = await addMember(server, 'gone@example.org');
    const members = (await owner.get('/api/organizations/@current/members/?limit=100')).body.results;
    const goneUser = members.find(({ user }: { user: { email: string } }) => user.email === 'gone@example.org').user;
    expect(gone.personalKey).toBeTruthy();
    await owner.post(`/api/organizations/@current/roles/${role.id}/role_memberships/`, {
      body: { user_uuid: userOf('lead@example.org').uuid },
    });
    await policy({ approver_config: { quorum: 1, users: [goneUser.id], roles: [role.id] } });
    expect((await owner.delete(`/api/organizations/@current/members/${goneUser.uuid}/`)).status).toBe(204);
    mail.mails.length = 0;
    const { key } = await ask();
    expect(await sent()).toEqual([`lead@example.org: ${key}: a change waits for your approval`]);
  });

  it('who had approved are told when the approvals start again', async () => {
    await policy({ approver_config: { quorum: 2 } });
    const { key, id, request } = await ask();
    await lead.post(`${requests}${request}/approve/`, { body: {} });
    await sent();
    mail.mails.length = 0;
    // Nothing changes: nothing starts again.
    const before = (await owner.get(`${flags}${id}/`)).body;
    const same = await owner.patch(`${flags}${id}/`, { body: { key, name: before.name, filters: before.filters } });
    expect([same.status, same.body.version, same.body.updated_at]).toEqual([200, before.version, before.updated_at]);
    expect((await owner.get(`${requests}${request}/`)).body.approvals).toHaveLength(1);
    expect(await sent()).toEqual([]);
    await owner.patch(`${flags}${id}/`, { body: { name: 'Another name' } });
    expect((await owner.get(`${requests}${request}/`)).body.approvals).toEqual([]);
    expect(await sent()).toEqual([`lead@example.org: ${key}: a change waits for your approval again`]);
  });
});

describe('whoever asked', () => {
  const told = async (key: string) =>
    (await sent()).filter((line) => line.startsWith(`dev@example.org: ${key}: your change`));

  it('is told that it was made', async () => {
    await policy();
    const { key, request } = await ask();
    await lead.post(`${requests}${request}/approve/`, { body: { reason: 'Seen on staging' } });
    expect(await told(key)).toEqual([`dev@example.org: ${key}: your change was approved and made`]);
    const text = mail.mails.find((one) => one.text.includes('your change'))?.text;
    expect(text).toContain('Seen on staging');
    expect(text).toContain('lead@example.org');
  });

  it('is told that it was rejected, and why', async () => {
    await policy();
    const { key, request } = await ask();
    await lead.post(`${requests}${request}/reject/`, { body: { reason: 'Not before Monday' } });
    expect(await told(key)).toEqual([`dev@example.org: ${key}: your change was rejected`]);
    expect(mail.mails.find((one) => one.text.includes('your change'))?.text).toContain('Not before Monday');
  });

  it('is not told what they did themselves', async () => {
    await policy({ allow_self_approve: true });
    const { key, request } = await ask();
    await dev.post(`${requests}${request}/cancel/`, { body: {} });
    expect(await told(key)).toEqual([]);
  });

  it('is told when it expired', async () => {
    await policy({ expires_after: '1 00:00:00' });
    const { key, request } = await ask();
    let now = NOW + DAY;
    await expect
      .poll(async () => {
        now += 61_000;
        server.setNow(new Date(now).toISOString());
        return (await owner.get(`${requests}${request}/`)).body.updated_at !== '2026-01-15T12:00:00Z';
      })
      .toBe(true);
    expect(await told(key)).toEqual([`dev@example.org: ${key}: your change expired before it was approved`]);
  });
});
