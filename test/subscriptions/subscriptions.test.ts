/** Digests through the API: in PostHog's shape, on a schedule, by mail with pictures, Slack and webhooks. */
import { createHmac } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { MEMBER } from '../../src/stores/metadata/accounts.ts';
import { capture } from '../support/capture.ts';
import { clientFor } from '../support/client.ts';
import { type MailServer, startMailServer } from '../support/mail-server.ts';
import { addMember } from '../support/people.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { type Hook, startHook } from '../support/webhook.ts';

let server: TestServer;
let client: ReturnType<typeof clientFor>;
let mail: MailServer;
let hook: Hook;
/** Of the owner. */
let email: string;
let dashboard: number;
let insight: number;
const all = '/api/projects/1/subscriptions/';
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** A Thursday. */
const T0 = Date.parse('2026-01-15T12:00:00Z');

let now = T0;
let members = 0;
const at = (time: number | string): void => {
  now = typeof time === 'number' ? time : Date.parse(time);
  server.setNow(new Date(now).toISOString());
};

/** A server of its own for each test: their clocks differ. */
async function open(): Promise<void> {
  now = T0;
  mail = await startMailServer();
  hook = await startHook();
  server = await startServer({
    now: new Date(T0).toISOString(),
    config: { ...mail.config, publicUrl: 'https://cairn.example.org', webhookAllowPrivate: true },
  });
  client = clientFor(server);
  email = (await client.get('/api/users/@me/')).body.email;
  const times = [
    ...Array.from({ length: 30 }, (_, i) => T0 - (i % 6) * DAY - HOUR),
    ...Array.from({ length: 20 }, (_, i) => T0 - 7 * DAY - (i % 5) * DAY - HOUR),
  ];
  await capture(
    server,
    server.projectKey,
    times.map((ms, i) => ({
      event: 'signed up',
      distinct_id: `d${i}`,
      timestamp: new Date(ms).toISOString(),
      properties: { plan: i % 3 === 0 ? 'Größe <b>' : 'free', email: `p${i}@example.net` },
    })),
  );
  await server.drain();
  insight = await saveInsight('Sign-ups', { insight: 'TRENDS', events: [{ id: 'signed up' }], date_from: '-6d' });
  const plans = { insight: 'TRENDS', events: [{ id: 'signed up' }], breakdown: 'plan', display: 'ActionsPie' };
  const persons = { insight: 'TRENDS', events: [{ id: 'signed up' }], breakdown: 'email', breakdown_type: 'event' };
  const funnel = {
    insight: 'FUNNELS',
    events: [
      { id: 'signed up', order: 0 },
      { id: 'paid', order: 1 },
    ],
  };
  const tiles = [
    insight,
    await saveInsight('Plans', { ...plans, date_from: '-6d' }),
    await saveInsight('By person', persons),
    await saveInsight('Conversion', funnel),
  ];
  const body = { name: 'Growth', tiles: tiles.map((id) => ({ insight: id })) };
  dashboard = (await client.post('/api/projects/1/dashboards/', { body })).body.id;
}
async function close(): Promise<void> {
  await server.close();
  await hook.close();
  await mail.close();
}

async function saveInsight(name: string, filters: object): Promise<number> {
  const made = await client.post('/api/projects/1/insights/', { body: { name, filters, saved: true } });
  expect(made.status).toBe(201);
  return made.body.id;
}

/** Without the mail that invites them. */
async function newMember() {
  const member = await addMember(server, `member${++members}@example.org`, MEMBER);
  await mail.take(member.email);
  return member;
}

const daily = (rest: object = {}) => ({
  dashboard,
  target_type: 'email',
  target_value: email,
  frequency: 'daily',
  start_date: '2026-01-15T13:00:00Z',
  ...rest,
});
async function make(body: object, key?: string) {
  const answer = await client.post(all, { body, ...(key === undefined ? {} : { key }) });
  expect([answer.status, answer.body.detail]).toEqual([201, undefined]);
  return answer.body;
}
const one = async (id: number) => (await client.get(`${all}${id}/`)).body;
const sentOf = async (id: number) => (await client.get(`${all}${id}/deliveries/`)).body.results;
/** Waits until the digest of this time was made and is on its way or sent. */
async function slotOf(id: number, slot: string): Promise<void> {
  await expect.poll(async () => (await one(id)).last_delivery_date, { timeout: 8000 }).toBe(slot);
  await expect
    .poll(async () => (await sentOf(id)).every(({ state }: { state: string }) => state === 'sent'), { timeout: 8000 })
    .toBe(true);
}
const decoded = (text: string): string => Buffer.from(text, 'latin1').toString('utf8');

describe('a digest', () => {
  beforeEach(open);
  afterEach(close);

  it('has every field that clients know', async () => {
    const made = await make({
      dashboard,
      target_type: 'email',
      target_value: ` ${email} , ${email.toUpperCase()}`,
      frequency: 'weekly',
      interval: 1,
      byweekday: ['monday'],
      start_date: '2026-01-16T08:00:00Z',
      title: 'Monday numbers',
    });
    const { created_by, ...rest } = made;
    expect(created_by.id).toBe(1);
    expect(rest).toEqual({
      id: expect.any(Number),
      dashboard,
      insight: null,
      insight_short_id: null,
      resource_name: 'Growth',
      target_type: 'email',
      target_value: email.toUpperCase(),
      frequency: 'weekly',
      interval: 1,
      byweekday: ['monday'],
      bysetpos: null,
      count: null,
      start_date: '2026-01-16T08:00:00Z',
      until_date: null,
      title: 'Monday numbers',
      invite_message: null,
      external_recipients: false,
      summary: 'sent every week on Monday',
      next_delivery_date: '2026-01-19T08:00:00Z',
      last_delivery_date: null,
      enabled: true,
      paused_reason: null,
      deleted: false,
      created_at: '2026-01-15T12:00:00Z',
    });
    expect((await client.get(`${all}?dashboard=${dashboard}`)).body.count).toBe(1);
    expect((await client.get(`${all}?insight=${insight}`)).body.count).toBe(0);
  });

  it('is sent once for each time, by mail with numbers, changes, pictures and links', async () => {
    const { id } = await make(daily({ title: 'Numbers\r\nBcc: eve@example.org' }));
    at('2026-01-15T13:00:30Z');
    await slotOf(id, '2026-01-15T13:00:00Z');
    expect(mail.mails).toHaveLength(1);
    const [{ to, text } = { to: [], text: '' }] = mail.mails;
    expect(to).toEqual([email]);
    const body = decoded(text);
    expect(body).toContain('Subject: Numbers Bcc: eve@example.org');
    expect(body).not.toMatch(/^Bcc:/im);
    expect(body).toContain('Growth of');
    // Thirty in these seven days, twenty in the seven before.
    expect(body).toContain('signed up: 30 (+50 %)');
    expect(body).toContain('9 Jan to 15 Jan 2026');
    expect(body).toContain('https://cairn.example.org/project/1/insights/');
    expect(body).toContain(`https://cairn.example.org/project/1/dashboards/${dashboard}`);
    expect(body).toContain('Größe &lt;b&gt;');
    expect(body).not.toContain('Größe <b>"');
    expect(body).toContain('1. signed up: 34');
    expect(body).toContain('Conversion: 0 %');
    // Each picture that the HTML shows is in the mail.
    const shown = [...body.matchAll(/src="cid:([^"]+)"/g)].map(([, cid]) => cid);
    const attached = [...body.matchAll(/^Content-Id: <([^>]+)>/gim)].map(([, cid]) => cid);
    expect(shown.length).toBeGreaterThanOrEqual(3);
    expect(attached).toEqual(shown);
    expect(text.match(/^Content-Type: image\/png/gim)).toHaveLength(shown.length);
    expect(text.match(/^Content-Disposition: inline/gim)).toHaveLength(shown.length);
    expect(text).toContain('iVBORw0KGgo');
    expect((await one(id)).next_delivery_date).toBe('2026-01-16T13:00:00Z');
    // Nothing happens until the next time.
    at('2026-01-16T12:59:59Z');
    await new Promise((resolve) => setTimeout(resolve, 1500));
    expect(mail.mails).toHaveLength(1);
    at('2026-01-16T13:00:01Z');
    await slotOf(id, '2026-01-16T13:00:00Z');
    expect(mail.mails).toHaveLength(2);
  }, 30_000);

  it('shows twelve insights of a dashboard, and how many more there are', async () => {
    const filters = { insight: 'TRENDS', events: [{ id: 'signed up' }] };
    const tiles: object[] = [];
    for (let n = 1; n <= 14; n++) tiles.push({ insight: await saveInsight(`Insight ${n}`, filters) });
    const body = { name: 'Large', tiles };
    const large = (await client.post('/api/projects/1/dashboards/', { body })).body.id;
    const { id } = await make(daily({ dashboard: large, target_type: 'webhook', target_value: hook.url }));
    at('2026-01-15T13:00:30Z');
    await slotOf(id, '2026-01-15T13:00:00Z');
    const sent = JSON.parse((await hook.waitForRequests(1))[0]?.body ?? '{}').data.tiles;
    const names = sent.map(({ name }: { name: string }) => name);
    expect(names).toEqual([
      ...Array.from({ length: 12 }, (_, i) => `Insight ${i + 1}`),
      '2 more insights on the dashboard',
    ]);
  });

  it('keeps the hour as the clocks of the project change', async () => {
    const timezone = (name: string) => client.patch('/api/projects/1/', { body: { timezone: name } });
    expect((await timezone('Europe/Berlin')).status).toBe(200);
    const { id, next_delivery_date: first } = await make(
      daily({ insight, dashboard: null, start_date: '2026-03-28T07:00:00Z', count: 3 }),
    );
    expect(first).toBe('2026-03-28T07:00:00Z');
    at('2026-03-28T07:00:01Z');
    await slotOf(id, '2026-03-28T07:00:00Z');
    expect((await one(id)).next_delivery_date).toBe('2026-03-29T06:00:00Z');
    await timezone('UTC');
  }, 15_000);

  it('is sent once after a standstill, and not at all after a long one', async () => {
    const { id } = await make(daily());
    at('2026-01-22T14:00:00Z');
    await slotOf(id, '2026-01-22T13:00:00Z');
    expect(mail.mails).toHaveLength(1);
    // Nothing is sent again when the clock goes back by three days, by an hour, and on.
    for (const time of ['2026-01-19T14:00:00Z', '2026-01-22T13:00:00Z', '2026-01-23T12:59:00Z']) {
      at(time);
      await new Promise((resolve) => setTimeout(resolve, 1500));
    }
    expect(mail.mails).toHaveLength(1);
    expect((await one(id)).next_delivery_date).toBe('2026-01-23T13:00:00Z');
    at('2026-01-22T14:00:00Z');
    const yearly = await make(daily({ frequency: 'yearly', start_date: '2026-01-23T08:00:00Z' }));
    at('2026-01-25T08:00:00Z');
    await expect.poll(async () => (await one(yearly.id)).next_delivery_date).toBe('2027-01-23T08:00:00Z');
    expect(await sentOf(yearly.id)).toEqual([]);
  }, 60_000);

  it('ends', async () => {
    const { id } = await make(daily({ count: 1 }));
    at('2026-01-15T13:00:01Z');
    await slotOf(id, '2026-01-15T13:00:00Z');
    expect((await one(id)).next_delivery_date).toBeNull();
  }, 15_000);

  it('goes to a webhook, signed, and to Slack', async () => {
    const signed = await make(daily({ target_type: 'webhook', target_value: hook.url, title: 'To us' }));
    expect(signed.secret).toMatch(/^whsec_/);
    await make(daily({ target_type: 'slack', target_value: hook.url, title: 'To <all>' }));
    at('2026-01-15T13:00:01Z');
    await expect.poll(() => hook.requests.length, { timeout: 8000 }).toBe(2);
    const own = hook.requests.find(({ headers }) => headers['webhook-signature'] !== undefined);
    const { headers = {}, body = '' } = own ?? {};
    const key = Buffer.from(signed.secret.slice('whsec_'.length), 'base64');
    const text = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
    expect(headers['webhook-signature']).toBe(`v1,${createHmac('sha256', key).update(text).digest('base64')}`);
    const { type, data } = JSON.parse(body);
    expect(type).toBe('digest');
    expect(data).toMatchObject({ slot: '2026-01-15T13:00:00.000Z', subscription: { id: signed.id, title: 'To us' } });
    expect(data.tiles[0]).toMatchObject({
      name: 'Sign-ups',
      numbers: [{ label: 'signed up', value: 30, previous: 20, unit: 'count' }],
    });
    const slack = JSON.parse(hook.requests.find((one) => one !== own)?.body ?? '{}');
    expect(slack.blocks.length).toBe(5);
    expect(slack.text).toContain('|To &lt;all&gt;>');
    expect(slack.text).toContain('signed up: 30 (+50 %)');
    // The address and the secret are not shown again.
    expect((await one(signed.id)).secret).toBeUndefined();
  }, 20_000);

  it('can be tried: a mail to whoever asks, with a mark', async () => {
    const other = await newMember();
    const { id } = await make(daily({ target_value: `${email},${other.email}` }));
    const tried = await client.post(`${all}${id}/test-delivery/`);
    expect([tried.status, tried.body]).toEqual([201, { deliveries: 1 }]);
    const text = decoded(await mail.take(email));
    expect(text).toContain('Subject: Test: Growth');
    expect(mail.mails).toHaveLength(0);
    expect(await sentOf(id)).toMatchObject([{ kind: 'test', title: 'Test: Growth' }]);
  });
});

describe('a recipient', () => {
  beforeEach(open);
  afterEach(close);

  it('leaves with one click, and the digest is paused after the last', async () => {
    const other = await newMember();
    const { id } = await make(daily({ target_value: `${email},${other.email}` }));
    at('2026-01-15T13:00:01Z');
    await slotOf(id, '2026-01-15T13:00:00Z');
    expect(mail.mails).toHaveLength(2);
    const linkOf = (text: string): string =>
      /List-Unsubscribe: ?<https:\/\/cairn\.example\.org(\/unsubscribe\/digest\/[^>]+)>/.exec(
        text.replaceAll(/=?\r\n[ \t]*/g, ''),
      )?.[1] ?? '';
    const links = new Map(mail.mails.map(({ to, text }) => [to[0], linkOf(text)]));
    const post = async (path: string) => (await fetch(server.url + path, { method: 'POST' })).status;
    const link = links.get(other.email) ?? '';
    expect((await fetch(server.url + link)).status).toBe(200);
    expect((await one(id)).target_value).toBe(`${email},${other.email}`);
    for (const wrong of [`${link}x`, link.replace('/digest/1.', '/digest/2.'), '/unsubscribe/digest/x'])
      expect(await post(wrong)).toBe(404);
    // A link of a digest is none of an alert.
    expect(await post(link.replace('/digest/', '/'))).toBe(404);
    expect(await post(link)).toBe(200);
    expect((await one(id)).target_value).toBe(email);
    expect(await post(link)).toBe(200);
    expect(await post(links.get(email) ?? '')).toBe(200);
    expect(await one(id)).toMatchObject({
      enabled: false,
      paused_reason: 'All recipients have unsubscribed.',
      next_delivery_date: null,
    });
  }, 20_000);

  it('outside of the organization needs an admin, and sees no persons', async () => {
    const member = await newMember();
    const outside = 'board@partner.example';
    const refused = await client.post(all, { body: daily({ target_value: outside }) });
    expect([refused.status, refused.body.attr, refused.body.code]).toEqual([400, 'target_value', 'external_recipient']);
    const allowed = daily({ target_value: `${email},${outside}`, external_recipients: true });
    expect((await client.post(all, { body: allowed, key: member.personalKey })).status).toBe(403);
    const { id } = await make({ ...allowed, invite_message: 'Our numbers, as agreed.' });
    const invited = decoded(await mail.take(outside));
    expect(invited).toContain('Our numbers, as agreed.');
    expect(invited).toContain('List-Unsubscribe');
    // Others may stop it, but not change where it goes or what it shows.
    const patch = (body: object) => client.patch(`${all}${id}/`, { body, key: member.personalKey });
    expect((await patch({ title: 'Mine' })).status).toBe(403);
    expect((await patch({ enabled: false, target_value: 'eve@partner.example' })).status).toBe(403);
    expect((await patch({ enabled: false })).body).toMatchObject({ enabled: false, target_value: /…@/ });
    await client.patch(`${all}${id}/`, { body: { enabled: true } });
    at('2026-01-15T13:00:01Z');
    await slotOf(id, '2026-01-15T13:00:00Z');
    const theirs = decoded(await mail.take(outside));
    const ours = decoded(await mail.take(email));
    expect(ours).toMatch(/p\d+@example\.net/);
    expect(theirs).not.toContain('@example.net');
    expect(theirs).toContain('This insight is only shown to members.');
    expect(theirs).toContain('signed up: 30 (+50 %)');
    expect(theirs).not.toContain('/project/1/');
  }, 20_000);
});

describe('a digest whose maker has left', () => {
  beforeEach(open);
  afterEach(close);

  it('is paused, the admins are told, and whoever turns it on again answers for it', async () => {
    const maker = await newMember();
    const { id } = await make(daily(), maker.personalKey);
    const { results } = (await client.get('/api/organizations/@current/members/')).body;
    const uuid = results.find(({ user }: { user: { email: string } }) => user.email === maker.email).user.uuid;
    expect((await client.delete(`/api/organizations/@current/members/${uuid}/`)).status).toBe(204);
    at('2026-01-15T13:00:01Z');
    await expect.poll(async () => (await one(id)).enabled, { timeout: 8000 }).toBe(false);
    expect((await one(id)).paused_reason).toContain('no longer a member');
    const text = decoded(await mail.take(email));
    expect(text).toContain('Subject: Digest paused: Growth');
    expect(await sentOf(id)).toEqual([]);
    const again = await client.patch(`${all}${id}/`, { body: { enabled: true } });
    expect(again.body).toMatchObject({ enabled: true, paused_reason: null, created_by: { id: 1 } });
    at('2026-01-16T13:00:01Z');
    await slotOf(id, '2026-01-16T13:00:00Z');
  }, 20_000);

  it('is also paused when what it shows was deleted', async () => {
    const body = { name: 'Short', filters: { insight: 'TRENDS', events: [{ id: 'signed up' }] } };
    const short = (await client.post('/api/projects/1/insights/', { body })).body.id;
    const { id } = await make(daily({ dashboard: null, insight: short }));
    await client.patch(`/api/projects/1/insights/${short}/`, { body: { deleted: true } });
    at('2026-01-15T13:00:01Z');
    await expect.poll(async () => (await one(id)).paused_reason, { timeout: 8000 }).toBe('The insight was deleted.');
  }, 15_000);
});

describe('bad input', () => {
  beforeAll(open);
  afterAll(close);

  it.each<[string, object, string]>([
    ['neither a dashboard nor an insight', { dashboard: null }, 'dashboard'],
    ['an unknown dashboard', { dashboard: 999 }, 'dashboard'],
    ['interval 0', { interval: 0 }, 'interval'],
    ['an unknown frequency', { frequency: 'hourly' }, 'frequency'],
    ['an unknown day', { byweekday: ['lundi'] }, 'byweekday'],
    ['a position without days', { frequency: 'monthly', bysetpos: 1 }, 'bysetpos'],
    ['a position that no month has', { frequency: 'monthly', byweekday: ['monday'], bysetpos: 5 }, 'bysetpos'],
    ['days that never come', { interval: 7, byweekday: ['monday'] }, 'byweekday'],
    ['a second Monday of the week', { frequency: 'weekly', byweekday: ['monday'], bysetpos: 2 }, 'byweekday'],
    [
      'times in the past only',
      { start_date: '2025-01-01T00:00:00Z', until_date: '2025-02-01T00:00:00Z' },
      'until_date',
    ],
    ['a count that is over', { start_date: '2025-01-01T00:00:00Z', count: 3 }, 'count'],
    ['an end before the start', { until_date: '2026-01-01T00:00:00Z' }, 'until_date'],
    ['no date', { start_date: 'soon' }, 'start_date'],
    ['a date of another age', { start_date: '1950-01-01T00:00:00Z' }, 'start_date'],
    ['no recipient', { target_value: ' , ' }, 'target_value'],
    ['a line break in an address', { target_value: 'a@example.org\r\nBcc: b@example.org' }, 'target_value'],
    ['an address with a name', { target_value: 'A <a@example.org>' }, 'target_value'],
    [
      'too many recipients',
      { target_value: Array.from({ length: 101 }, (_, i) => `a${i}@x.org`).join() },
      'target_value',
    ],
    ['a webhook without an address', { target_type: 'webhook', target_value: '' }, 'target_value'],
    ['a webhook that is none', { target_type: 'webhook', target_value: 'ftp://x.org' }, 'target_value'],
    ['an unknown target', { target_type: 'fax' }, 'target_type'],
  ])('%s is refused', async (_name, rest, attr) => {
    const { status, body } = await client.post(all, { body: daily(rest) });
    expect([status, body.attr]).toEqual([400, attr]);
  });

  it('both a dashboard and an insight are refused; a private address too', async () => {
    expect((await client.post(all, { body: daily({ insight }) })).body.attr).toBe('insight');
    const strict = await startServer();
    const strictClient = clientFor(strict);
    const made = await strictClient.post('/api/projects/1/dashboards/', { body: { name: 'Own' } });
    const body = daily({ dashboard: made.body.id, target_type: 'webhook', target_value: 'http://10.0.0.1/x' });
    const refused = await strictClient.post(all, { body });
    expect([refused.status, refused.body.attr]).toEqual([400, 'target_value']);
    await strict.close();
  });

  it('a member adds no webhook, and changes none', async () => {
    const member = await newMember();
    const body = daily({ target_type: 'webhook', target_value: hook.url });
    expect((await client.post(all, { body, key: member.personalKey })).status).toBe(403);
    const { id } = await make(body);
    const patch = (changes: object) => client.patch(`${all}${id}/`, { body: changes, key: member.personalKey });
    const shown = (await client.get(`${all}${id}/`, { key: member.personalKey })).body.target_value;
    expect(shown).toBe(`${new URL(hook.url).origin}/…`);
    expect((await patch({ target_value: shown, title: 'Renamed' })).body.title).toBe('Renamed');
    expect((await one(id)).target_value).toBe(hook.url);
    expect((await patch({ target_value: 'https://example.org/' })).status).toBe(403);
    expect((await patch({ roll_secret: true })).status).toBe(403);
  });
});
