/** The audit log, told to a webhook: every entry once under one id, signed, also that it is turned off. */
import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { clientFor } from '../support/client.ts';
import { addMember, type TestMember } from '../support/people.ts';
import { scopedKey } from '../support/scoped-keys.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { type Hook, startHook } from '../support/webhook.ts';

let server: TestServer;
let owner: ReturnType<typeof clientFor>;
let member: TestMember;
let hook: Hook;
const AUDIT = '/api/organizations/@current/audit/';
const WEBHOOK = '/api/organizations/@current/audit_webhook/';

beforeAll(async () => {
  hook = await startHook();
  server = await startServer({ config: { webhookAllowPrivate: true } });
  owner = clientFor(server);
  member = await addMember(server, 'ada@example.org');
});
afterAll(async () => {
  await server.close();
  await hook.close();
});
beforeEach(async () => {
  await owner.delete(WEBHOOK);
  await settle();
  hook.requests.length = 0;
});

const settle = () => expect.poll(async () => (await owner.get(WEBHOOK)).body.waiting).toBe(0);
const save = async (body: object) => (await owner.patch(WEBHOOK, { body })).body;
const rename = (name: string) => owner.patch('/api/organizations/@current/', { body: { name } });
const received = () => hook.requests.map(({ body }) => JSON.parse(body));

function isSigned({ headers, body }: Hook['requests'][number], secret: string): boolean {
  const [id, time] = [headers['webhook-id'], headers['webhook-timestamp']];
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${time}.${body}`).digest('base64');
  return String(headers['webhook-signature']).split(' ').includes(`v1,${signature}`);
}

describe('the webhook of the audit log', () => {
  it('gets every entry from the one that made it on, signed, as the API shows it', async () => {
    const { secret, url } = await save({ url: hook.url });
    expect([url, secret]).toEqual([hook.url, expect.stringMatching(/^whsec_/)]);
    await rename('Told');
    const requests = await hook.waitForRequests(2);
    expect(requests.map((one) => isSigned(one, secret))).toEqual([true, true]);
    expect(requests.some((one) => isSigned(one, `whsec_${'A'.repeat(44)}`))).toBe(false);
    const told = received().toSorted((a, b) => a.data.number - b.data.number);
    const { results } = (await owner.get(`${AUDIT}?limit=2`)).body;
    const organization_id = (await owner.get('/api/organizations/@current/')).body.id;
    expect(told).toEqual(
      results.toReversed().map((entry: { created_at: string }) => ({
        type: 'audit',
        timestamp: new Date(entry.created_at).toISOString(),
        data: { organization_id, ...entry },
      })),
    );
    expect(told[0].data).toMatchObject({
      scope: 'AuditWebhook',
      activity: 'created',
      name: `${new URL(hook.url).origin}/…`,
    });
    expect(new Set(requests.map(({ headers }) => headers['webhook-id'])).size).toBe(2);
    expect((await owner.get(WEBHOOK)).body).toMatchObject({ url: hook.url, secret: null, failed: 0, paused: null });
    const log = (await owner.get(`${WEBHOOK}deliveries/?state=sent`)).body.results;
    expect(log.slice(0, 2).map(({ slot, kind }: { slot: string; kind: string }) => [slot, kind])).toEqual(
      results.map(({ number }: { number: number }) => [String(number), 'audit']),
    );
    const unknown = await owner.get(`${WEBHOOK}deliveries/?state=gone`);
    expect([unknown.status, unknown.body.attr]).toEqual([400, 'state']);
  });

  it('is tried again under the same id, and everything that failed is sent again when asked', async () => {
    await save({ url: hook.url });
    await hook.waitForRequests(1);
    await settle();
    hook.requests.length = 0;
    hook.answers.push({ status: 503 }, { status: 400 });
    await rename('Again');
    const [first] = await hook.waitForRequests(1);
    await expect
      .poll(async () => (await owner.get(`${WEBHOOK}deliveries/?limit=1`)).body.results[0].attempts.length)
      .toBe(1);
    server.setNow('2026-01-15T12:05:00Z');
    await hook.waitForRequests(2);
    await expect.poll(async () => (await owner.get(WEBHOOK)).body.failed).toBe(1);
    expect((await owner.post(`${WEBHOOK}retry/`)).body).toEqual({ retried: 1 });
    await hook.waitForRequests(3);
    expect(new Set(hook.requests.map(({ headers }) => headers['webhook-id']))).toEqual(
      new Set([first?.headers['webhook-id']]),
    );
    await expect.poll(async () => (await owner.get(WEBHOOK)).body.failed).toBe(0);
  });

  it('is paused if the address is gone, until it is saved again', async () => {
    await save({ url: hook.url });
    await hook.waitForRequests(1);
    await settle();
    hook.answers.push({ status: 410 });
    await rename('Gone');
    await expect.poll(async () => (await owner.get(WEBHOOK)).body.paused).toContain('410');
    await rename('While it is paused');
    await expect.poll(async () => (await owner.get(WEBHOOK)).body.failed).toBe(2);
    await save({ url: hook.url });
    expect((await owner.get(WEBHOOK)).body.paused).toBeNull();
    expect((await owner.post(`${WEBHOOK}retry/`)).body).toEqual({ retried: 2 });
    await settle();
    expect((await owner.get(WEBHOOK)).body.failed).toBe(0);
  });

  it('says so to the old address when it is moved or removed', async () => {
    const other = await startHook();
    await save({ url: hook.url });
    await hook.waitForRequests(1);
    const { secret } = await save({ url: other.url });
    await other.waitForRequests(1);
    await hook.waitForRequests(2);
    expect(other.requests.every((one) => isSigned(one, secret))).toBe(true);
    expect(received().at(-1).data).toMatchObject({ scope: 'AuditWebhook', activity: 'updated' });
    await owner.delete(WEBHOOK);
    await other.waitForRequests(2);
    expect(JSON.parse(other.requests[1]?.body ?? '').data).toMatchObject({
      scope: 'AuditWebhook',
      activity: 'deleted',
    });
    await rename('Not told');
    expect(await other.staysAt(2)).toBe(true);
    expect((await owner.get(WEBHOOK)).body.url).toBeNull();
    await other.close();
  });

  it('signs with both secrets for a day after one was replaced', async () => {
    const { secret: old } = await save({ url: hook.url });
    const { secret } = await save({ roll_secret: true });
    expect(secret).not.toBe(old);
    await rename('Rolled');
    await expect.poll(() => hook.requests.length).toBeGreaterThanOrEqual(3);
    const last = hook.requests.find(({ body }) => body.includes('Rolled'));
    expect(last && [isSigned(last, old), isSigned(last, secret)]).toEqual([true, true]);
  });

  it('sends a test, and the last entry of an organization that is deleted', async () => {
    const made = (await owner.post('/api/organizations/', { body: { name: 'Short-lived' } })).body;
    const own = `/api/organizations/${made.id}/audit_webhook/`;
    await owner.patch(own, { body: { url: hook.url } });
    await hook.waitForRequests(1);
    expect((await owner.post(`${own}test/`)).status).toBe(204);
    await hook.waitForRequests(2);
    expect(received()[1]).toMatchObject({ type: 'audit.test', data: { organization_id: made.id, test: true } });
    await owner.delete(`/api/organizations/${made.id}/`);
    await hook.waitForRequests(3);
    expect(received()[2].data).toMatchObject({ scope: 'Organization', activity: 'deleted' });
    await expect.poll(async () => (await server.metadata.auditWebhooks.list()).length).toBe(0);
  });

  it('is set by admins in person, and by keys without limits', async () => {
    const body = { url: hook.url };
    const reads = await scopedKey(server, ['activity_log:read']);
    expect((await owner.get(WEBHOOK, { key: reads })).status).toBe(200);
    for (const key of [
      member.personalKey,
      reads,
      await scopedKey(server, ['activity_log:write', 'organization:write']),
    ]) {
      expect((await owner.patch(WEBHOOK, { key, body })).status).toBe(403);
      expect((await owner.post(`${WEBHOOK}test/`, { key })).status).toBe(403);
    }
    expect((await owner.get(WEBHOOK, { key: member.personalKey })).status).toBe(403);
    expect((await owner.get(WEBHOOK)).body.url).toBeNull();
  });

  it.each(['ftp://example.org/', 'example.org', 'https://me:pw@example.org/', 'javascript:alert(1)', ''])(
    'refuses the address %s',
    async (url) => {
      const { status, body } = await owner.patch(WEBHOOK, { body: { url } });
      expect([status, body.attr]).toEqual([400, 'url']);
    },
  );

  it('has nothing to change or test where there is none', async () => {
    for (const answer of [
      await owner.patch(WEBHOOK, { body: { roll_secret: true } }),
      await owner.post(`${WEBHOOK}test/`),
    ])
      expect(answer.status).toBe(404);
  });
});

it('refuses private addresses unless the operator allows them', async () => {
  const strict = await startServer();
  try {
    const { status, body } = await clientFor(strict).patch(WEBHOOK, { body: { url: 'http://127.0.0.1:9/x' } });
    expect([status, body.attr]).toEqual([400, 'url']);
    expect(body.detail).toContain('WEBHOOK_ALLOW_PRIVATE');
  } finally {
    await strict.close();
  }
});
