/** Webhooks of events: in PostHog's shape, filtered, signed, in order, at least once, and never silently dropped. */
import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { MEMBER } from '../../src/stores/metadata/accounts.ts';
import { capture } from '../support/capture.ts';
import { clientFor } from '../support/client.ts';
import { addMember } from '../support/people.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { type Hook, startHook } from '../support/webhook.ts';

let server: TestServer;
let client: ReturnType<typeof clientFor>;
let hook: Hook;
const all = '/api/projects/1/hog_functions/';
const T0 = Date.parse('2026-01-15T12:00:00Z');
const HOUR = 3_600_000;

let now = T0;
const at = (ms: number): void => {
  now = ms;
  server.setNow(new Date(ms).toISOString());
};

beforeAll(async () => {
  hook = await startHook();
  server = await startServer({
    now: new Date(T0).toISOString(),
    config: { webhookAllowPrivate: true, publicUrl: 'https://cairn.example.org' },
  });
  client = clientFor(server);
});
afterAll(async () => {
  await server.close();
  await hook.close();
});
beforeEach(async () => {
  for (const { id } of (await client.get(`${all}?limit=1000`)).body.results) await client.delete(`${all}${id}/`);
  hook.requests.length = 0;
  hook.answers.length = 0;
});

const webhook = (rest: object = {}, inputs: object = {}) => ({
  type: 'destination',
  template_id: 'template-webhook',
  name: 'CRM',
  enabled: true,
  inputs: { url: { value: hook.url }, ...inputs },
  ...rest,
});
async function make(rest: object = {}, inputs: object = {}) {
  const answer = await client.post(all, { body: webhook(rest, inputs) });
  expect([answer.status, answer.body.detail]).toEqual([201, undefined]);
  return answer.body;
}
const one = async (id: string) => (await client.get(`${all}${id}/`)).body;
const totals = async (id: string) => (await client.get(`${all}${id}/metrics/totals/`)).body.totals;
const send = (...events: object[]) => capture(server, server.projectKey, events as never);
const bodies = () => hook.requests.map(({ body }) => JSON.parse(body));

describe('a destination', () => {
  it('has every field that clients know, and shows its secret once', async () => {
    const { id, signing_secret, created_by, ...rest } = await make({ filters: { events: [{ id: 'paid' }] } });
    expect([created_by.id, signing_secret]).toEqual([1, expect.stringMatching(/^whsec_/)]);
    expect(rest).toEqual({
      type: 'destination',
      template_id: 'template-webhook',
      name: 'CRM',
      description: '',
      enabled: true,
      deleted: false,
      hog: null,
      filters: { events: [{ id: 'paid' }], actions: [], properties: [], filter_test_accounts: false },
      inputs: {
        url: { value: hook.url },
        method: { value: 'POST' },
        body: { value: null },
        headers: { value: {} },
        batch: { value: false },
      },
      masking: null,
      execution_order: null,
      status: {
        state: 'healthy',
        failing_since: null,
        retry_at: null,
        error: null,
        waiting: 0,
        waiting_since: null,
      },
      created_at: '2026-01-15T12:00:00Z',
      updated_at: '2026-01-15T12:00:00Z',
    });
    expect((await one(id)).signing_secret).toBeUndefined();
  });

  it('sends stored events, signed, under an id of the event and the destination', async () => {
    const { id, signing_secret } = await make();
    await send({ event: 'paid', distinct_id: 'ada', properties: { amount: 125, $set: { plan: 'pro' } } });
    const [request] = await hook.waitForRequests(1);
    const { type, data } = JSON.parse(request?.body ?? '');
    expect([type, data.event.event, data.event.distinct_id, data.person.properties.plan, data.project.name]).toEqual([
      'event',
      'paid',
      'ada',
      'pro',
      expect.any(String),
    ]);
    expect(data.event.properties.amount).toBe(125);
    const headers = request?.headers ?? {};
    expect(headers['webhook-id']).toBe(`${data.event.uuid}:${id}`);
    const key = Buffer.from(signing_secret.slice(6), 'base64');
    const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${request?.body}`;
    expect(headers['webhook-signature']).toBe(`v1,${createHmac('sha256', key).update(signed).digest('base64')}`);
    await expect.poll(() => totals(id)).toMatchObject({ sent: 1, failed: 0, skipped: 0 });
    const { results } = (await client.get(`${all}${id}/logs/`)).body;
    expect(results).toEqual([expect.objectContaining({ state: 'sent', event: 'paid', event_uuid: data.event.uuid })]);
  });

  it('filters by event, action, property and test account', async () => {
    const action = await client.post('/api/projects/1/actions/', {
      body: { name: 'Saw prices', steps: [{ event: '$pageview', url: '/pricing', url_matching: 'contains' }] },
    });
    const test_account_filters = [{ key: 'email', value: 'us@example.org', operator: 'is_not', type: 'person' }];
    await client.patch('/api/projects/1/', { body: { test_account_filters } });
    const { id } = await make({
      filters: {
        events: [{ id: 'paid', type: 'events', properties: [{ key: 'amount', operator: 'gt', value: 10 }] }],
        actions: [{ id: action.body.id, type: 'actions' }],
        properties: [{ key: 'plan', type: 'person', value: 'pro' }],
        filter_test_accounts: true,
      },
    });
    const pro = { $set: { plan: 'pro' } };
    await send(
      { event: 'paid', distinct_id: 'a', properties: { amount: 5, ...pro } },
      { event: 'paid', distinct_id: 'a', properties: { amount: 50, ...pro } },
      { event: '$pageview', distinct_id: 'a', properties: { $current_url: 'https://x.y/pricing', ...pro } },
      { event: '$pageview', distinct_id: 'a', properties: { $current_url: 'https://x.y/about', ...pro } },
      { event: 'paid', distinct_id: 'b', properties: { amount: 50 } },
      { event: 'paid', distinct_id: 'us', properties: { amount: 50, $set: { plan: 'pro', email: 'us@example.org' } } },
    );
    await expect.poll(() => totals(id)).toMatchObject({ sent: 2, filtered: 4 });
    expect(bodies().map(({ data }) => [data.event.event, data.event.properties.amount ?? null])).toEqual([
      ['paid', 50],
      ['$pageview', null],
    ]);
  });

  it('fills in a template, and keeps the type of a value that stands alone', async () => {
    const body = {
      text: 'Paid {event.properties.amount} € by {person.properties.email}; \\{as is}',
      amount: '{event.properties.amount}',
      name: "{event.properties['first name']}",
      missing: '{event.properties.nothing}',
      list: [{ project: '{project.id}' }],
    };
    await make({}, { body: { value: body }, method: { value: 'PUT' } });
    const properties = { amount: 12.5, 'first name': 'Ada', $set: { email: 'ada@example.org' } };
    await send({ event: 'paid', distinct_id: 'ada', properties });
    const [request] = await hook.waitForRequests(1);
    expect([request?.method, JSON.parse(request?.body ?? '')]).toEqual([
      'PUT',
      {
        text: 'Paid 12.5 € by ada@example.org; {as is}',
        amount: 12.5,
        name: 'Ada',
        missing: null,
        list: [{ project: 1 }],
      },
    ]);
  });

  it('keeps headers encrypted, shows them as ****** and sends them', async () => {
    const secret = 'Bearer top-secret-value';
    const { id, inputs } = await make({}, { headers: { value: { Authorization: secret, 'Content-Type': 'text/x' } } });
    expect(inputs.headers.value).toEqual({ Authorization: '******', 'Content-Type': 'text/x' });
    const rows = await server.rows('select inputs from destinations');
    expect(JSON.stringify(rows)).not.toContain('top-secret');
    const activity = (await client.get('/api/projects/1/activity_log/')).body;
    expect(JSON.stringify(activity)).not.toContain('top-secret');
    // Sent back as they are shown, they stay.
    const kept = await client.patch(`${all}${id}/`, { body: { inputs: { ...inputs, method: { value: 'PATCH' } } } });
    expect(kept.status).toBe(200);
    await send({ event: 'paid', distinct_id: 'ada' });
    const [request] = await hook.waitForRequests(1);
    expect([request?.headers['authorization'], request?.type, request?.method]).toEqual([secret, 'text/x', 'PATCH']);
    // They are not sent to another server.
    const moved = { ...inputs, url: { value: 'http://127.0.0.1:9/elsewhere' } };
    const answer = await client.patch(`${all}${id}/`, { body: { inputs: moved } });
    expect([answer.status, answer.body.attr]).toEqual([400, 'inputs']);
  });

  it('masks events that are alike', async () => {
    const { id } = await make({ masking: { hash: '{person.id} {event.event}', ttl: 3600, threshold: 3 } });
    for (let i = 0; i < 7; i++) await send({ event: 'ping', distinct_id: 'ada', properties: { i } });
    await expect.poll(() => totals(id)).toMatchObject({ sent: 3, masked: 4 });
    expect(bodies().map(({ data }) => data.event.properties.i)).toEqual([0, 2, 5]);
    at(now + HOUR);
    await send({ event: 'ping', distinct_id: 'ada', properties: { i: 7 } });
    await expect.poll(() => totals(id)).toMatchObject({ sent: 4, masked: 4 });
  });

  it('sends events together when several wait, each with its own id', async () => {
    const { id } = await make(
      { enabled: true },
      { batch: { value: true }, body: { value: { n: '{event.properties.n}' } } },
    );
    const events = Array.from({ length: 150 }, (_, n) => ({ event: 'step', distinct_id: 'ada', properties: { n } }));
    await send(...events);
    await expect.poll(() => totals(id)).toMatchObject({ sent: 150 });
    const [first, second] = bodies();
    expect([hook.requests.length, first.batch, first.data.length, second.data.length]).toEqual([2, true, 100, 50]);
    const sent = [...first.data, ...second.data];
    expect(sent.map(({ body }) => body.n)).toEqual(events.map(({ properties }) => properties.n));
    expect(new Set(sent.map((item) => item.id)).size).toBe(150);
  });
});

describe('a receiver that fails', () => {
  it('gets events again, in order for each person, with the same ids', async () => {
    hook.answers.push({ status: 500 }, { status: 503 }, { status: 429, headers: { 'retry-after': '2' } });
    const { id } = await make();
    await send(...[1, 2, 3].map((n) => ({ event: 'step', distinct_id: 'ada', properties: { n } })));
    await expect.poll(async () => (await one(id)).status.state).toBe('failing');
    for (let tries = 0; tries < 10 && (await totals(id)).sent < 3; tries++) {
      at(now + 10_000);
      await new Promise((resolve) => setTimeout(resolve, 600));
    }
    expect(await totals(id)).toMatchObject({ sent: 3, retried: 3, failed: 0 });
    expect(bodies().map(({ data }) => data.event.properties.n)).toEqual([1, 1, 1, 1, 2, 3]);
    expect(new Set(hook.requests.slice(0, 4).map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect((await one(id)).status).toMatchObject({ state: 'healthy', waiting: 0, error: null });
  });

  it('does not keep events of others waiting, nor is asked again for what it refuses', async () => {
    hook.answers.push({ status: 400 });
    const { id } = await make();
    await send({ event: 'bad', distinct_id: 'a' }, { event: 'good', distinct_id: 'a' });
    await expect.poll(() => totals(id)).toMatchObject({ sent: 1, failed: 1 });
    const { results } = (await client.get(`${all}${id}/logs/?state=failed`)).body;
    expect(results).toEqual([expect.objectContaining({ event: 'bad', status: 400, level: 'ERROR' })]);
  });

  it('is paused when it is gone; events wait and are sent when it is resumed', async () => {
    hook.answers.push({ status: 410 });
    const { id } = await make();
    await send({ event: 'first', distinct_id: 'a' });
    await expect.poll(async () => (await one(id)).status.state).toBe('paused');
    await send({ event: 'second', distinct_id: 'a' });
    await expect.poll(async () => (await one(id)).status.waiting).toBe(2);
    await client.patch(`${all}${id}/`, { body: { enabled: true } });
    await expect.poll(() => totals(id)).toMatchObject({ sent: 2 });
    expect(bodies().map(({ data }) => data.event.event)).toEqual(['first', 'first', 'second']);
  });

  it('is paused after 24 hours, and after 7 days its events are counted as skipped', async () => {
    hook.answers.push(...Array.from({ length: 50 }, () => ({ status: 500 })));
    const { id } = await make();
    await send({ event: 'lost', distinct_id: 'a' });
    await expect.poll(async () => (await one(id)).status.state).toBe('failing');
    at(now + 25 * HOUR);
    await expect.poll(async () => (await one(id)).status.state).toBe('paused');
    at(now + 7 * 24 * HOUR);
    await expect.poll(async () => (await one(id)).status.waiting).toBe(0);
    const { results } = (await client.get(`${all}${id}/logs/?state=skipped`)).body;
    expect(results).toEqual([expect.objectContaining({ events: 1, message: expect.stringContaining('7 days') })]);
  });
});

describe('a test', () => {
  it('sends an invented event and says what came back', async () => {
    hook.answers.push({ status: 200 }, { status: 500 });
    const { id } = await make({ enabled: false }, { body: { value: { e: '{event.event}' } } });
    const good = await client.post(`${all}${id}/test/`);
    expect(good.body).toMatchObject({ status: 'success', response_status: 200, body: '{"e":"test event"}' });
    const bad = await client.post(`${all}${id}/test/`);
    expect(bad.body).toMatchObject({ status: 'error', response_status: 500, error: 'it answered 500' });
    expect(hook.requests[0]?.headers['webhook-id']).toMatch(/^test_/);
  });
});

describe('bad input', () => {
  it.each<[string, object, string, string]>([
    ['another template', { template_id: 'template-slack' }, 'template_id', 'unsupported'],
    ['code', { hog: 'fetch(inputs.url)' }, 'hog', 'unsupported'],
    ['another type', { type: 'transformation' }, 'type', 'unsupported'],
    ['no address', { inputs: {} }, 'inputs', 'required'],
    ['an address that is none', { inputs: { url: { value: 'ftp://x' } } }, 'inputs', 'invalid_input'],
    ['a template in the address', { inputs: { url: { value: 'https://x/{event.event}' } } }, 'inputs', 'unsupported'],
    [
      'code in the body',
      { inputs: { url: { value: 'https://x' }, body: { value: { a: '{fetch(1)}' } } } },
      'inputs',
      'unsupported',
    ],
    [
      'another root',
      { inputs: { url: { value: 'https://x' }, body: { value: '{inputs.url}' } } },
      'inputs',
      'unsupported',
    ],
    [
      'a header that ends the line',
      { inputs: { url: { value: 'https://x' }, headers: { value: { A: 'a\r\nB: c' } } } },
      'inputs',
      'invalid_input',
    ],
    [
      'a header of the server',
      { inputs: { url: { value: 'https://x' }, headers: { value: { Host: 'a' } } } },
      'inputs',
      'invalid_input',
    ],
    [
      'a hidden header that is not there',
      { inputs: { url: { value: 'https://x' }, headers: { value: { A: '******' } } } },
      'inputs',
      'invalid_input',
    ],
    ['masking without time', { masking: { hash: '{person.id}' } }, 'masking', 'invalid_input'],
    ['an unknown action', { filters: { actions: [{ id: 4711 }] } }, '', 'invalid_input'],
    ['filters that are none', { filters: [] }, 'filters', 'invalid_input'],
  ])('%s is refused', async (_name, rest, attr, code) => {
    const answer = await client.post(all, { body: webhook(rest) });
    expect([answer.status, answer.body.attr ?? '', answer.body.code]).toEqual([400, attr, code]);
  });

  it('members see a shortened address and change nothing', async () => {
    const { id } = await make();
    const asMember = clientFor({ ...server, ...(await addMember(server, 'member@example.org', MEMBER)) });
    expect((await asMember.get(`${all}${id}/`)).body.inputs.url.value).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/…$/);
    for (const answer of [
      await asMember.patch(`${all}${id}/`, { body: { name: 'Mine' } }),
      await asMember.post(all, { body: webhook() }),
      await asMember.post(`${all}${id}/test/`),
      await asMember.delete(`${all}${id}/`),
    ])
      expect(answer.status).toBe(403);
  });
});
