/** Links for people who are not signed in: what they show, what they never show, and that nothing else opens by them. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { capture } from '../support/capture.ts';
import { call, clientFor } from '../support/client.ts';
import { OpenApi } from '../support/openapi.ts';
import { addMember, cookieOf } from '../support/people.ts';
import { cachingGet, realPath } from '../support/real-paths.ts';
import { START, startServer, type TestServer } from '../support/server.ts';

const MARKER = 'zanzibar';
let server: TestServer;
let owner: ReturnType<typeof clientFor>;
let insight: number;
let dashboard: number;

beforeAll(async () => {
  server = await startServer({ config: { trustProxy: true } });
  owner = clientFor(server);
  await capture(server, server.projectKey, [
    {
      event: 'seen',
      distinct_id: `${MARKER}-id`,
      properties: { plan: 'free', $set: { email: `${MARKER}@example.org` } },
    },
    { event: 'seen', distinct_id: 'b', properties: { plan: `of ${MARKER}@example.org` } },
    {
      event: '$pageview',
      distinct_id: 'b',
      properties: { $pathname: `/u/${MARKER}@example.org`, $session_id: 's', $lib: 'test' },
    },
  ]);
  await server.drain();
  const filters = {
    insight: 'TRENDS',
    events: [{ id: 'seen', properties: [{ key: 'plan', value: [MARKER], operator: 'is_not' }] }],
    properties: [{ key: 'email', value: `${MARKER}@example.org`, operator: 'is_not', type: 'person' }],
  };
  const make = async (name: string, given: object): Promise<number> =>
    (await owner.post('/api/projects/1/insights/', { body: { name, saved: true, filters: given } })).body.id;
  insight = await make('Seen', filters);
  const byPlan = await make('By plan', { insight: 'TRENDS', events: [{ id: 'seen' }], breakdown: 'plan' });
  const byMail = await make('By mail', { ...filters, breakdown: 'email', breakdown_type: 'person' });
  const steps = [
    { id: 'seen', order: 0 },
    { id: '$pageview', order: 1 },
  ];
  const others = await Promise.all([
    make('Funnel', { insight: 'FUNNELS', events: steps }),
    make('Retention', { insight: 'RETENTION', target_entity: { id: 'seen' }, returning_entity: { id: 'seen' } }),
    make('Paths', { insight: 'PATHS' }),
    make('Lifecycle', { insight: 'LIFECYCLE', events: [{ id: 'seen' }] }),
    make('Stickiness', { insight: 'STICKINESS', events: [{ id: 'seen' }] }),
  ]);
  const tiles = [insight, byPlan, byMail, ...others].map((id) => ({ insight: id }));
  const body = { name: 'All of it', tiles: [...tiles, { text: { body: '# Goals' } }] };
  dashboard = (await owner.post('/api/projects/1/dashboards/', { body })).body.id;
});
afterAll(() => server.close());

let visits = 0;
/** Each visitor comes from another network. */
const visit = (path: string, headers: Record<string, string> = {}, method = 'GET', body?: unknown) => {
  visits++;
  const from = { 'x-forwarded-for': `203.0.${visits >> 8}.${visits & 255}`, ...headers };
  return call(server.url, method, path, { key: null, headers: from, ...(body === undefined ? {} : { body }) });
};
const sharing = (kind = `insights/${insight}`): string => `/api/projects/1/${kind}/sharing/`;
const share = async (kind?: string, body: object = {}) =>
  (await owner.patch(sharing(kind), { body: { enabled: true, expires_at: null, password_required: false, ...body } }))
    .body;

beforeEach(() => server.setNow(START));

describe('a shared insight', () => {
  it('is off at first, and asking for it changes nothing', async () => {
    const path = sharing(`dashboards/${dashboard}`);
    const { status, body } = await owner.get(path);
    expect([status, body.enabled, body.access_token, body.created_at]).toEqual([200, false, null, null]);
    expect(body.settings).toMatchObject({ legend: true, noHeader: false, theme: 'system' });
    expect((await owner.get(path)).body).toEqual(body);
  });

  it('keeps a setting of PostHog that is about recordings, and shows the same with it', async () => {
    const { access_token: token } = await share();
    const before = (await visit(`/shared/${token}.json`)).body;
    const saved = await owner.patch(sharing(), { body: { settings: { showInspector: true } } });
    expect([saved.status, saved.body.settings.showInspector]).toEqual([200, true]);
    expect((await owner.get(sharing())).body.settings.showInspector).toBe(true);
    const { body } = await visit(`/shared/${token}.json`);
    expect(body.tiles).toEqual(before.tiles);
    expect(JSON.stringify(body)).not.toContain(MARKER);
    await owner.patch(sharing(), { body: { settings: { showInspector: false } } });
  });

  it('shows names and numbers, and neither filters nor persons', async () => {
    const { access_token: token } = await share();
    const { status, body, headers } = await visit(`/shared/${token}.json`);
    expect(status).toBe(200);
    expect(body).toMatchObject({ kind: 'insight', name: 'Seen', timezone: 'UTC', dates: null });
    const [item] = body.tiles[0].insight.result;
    expect([item.label, item.data.reduce((a: number, b: number) => a + b)]).toEqual(['seen', 1]);
    expect(JSON.stringify(body)).not.toContain(MARKER);
    expect(JSON.stringify(body)).not.toMatch(/persons|people|"filter"|properties/);
    expect(headers.get('cache-control')).toBe('private, max-age=60');
    expect(headers.get('x-robots-tag')).toBe('noindex');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('access-control-allow-origin')).toBeNull();
  });

  it('is computed at most once a minute, whatever is asked for', async () => {
    const { access_token: token } = await share();
    const before = (await visit(`/shared/${token}.json`)).body;
    await capture(server, server.projectKey, [{ event: 'seen', distinct_id: 'c', properties: { plan: 'free' } }]);
    await server.drain();
    for (const query of ['', '?refresh=true', '?date_from=-1h', '?properties=[]&limit=1'])
      expect((await visit(`/shared/${token}.json${query}`)).body).toEqual(before);
    server.setNow('2026-01-15T12:01:01.000Z');
    const after = (await visit(`/shared/${token}.json`)).body;
    const sum = ({ tiles }: typeof before): number =>
      tiles[0].insight.result[0].data.reduce((a: number, b: number) => a + b);
    expect([sum(before), sum(after)]).toEqual([1, 2]);
  });

  it('has other dates only where that is allowed, from a list', async () => {
    const { access_token: token } = await share(undefined, { settings: { allowDates: true } });
    const dated = (await visit(`/shared/${token}.json?date_from=-30d`)).body;
    expect(dated.dates.chosen).toBe('-30d');
    expect(dated.tiles[0].insight.result[0].days).toHaveLength(31);
    const other = (await visit(`/shared/${token}.json?date_from=-31d`)).body;
    expect([other.dates.chosen, other.tiles[0].insight.result[0].days.length]).toEqual([null, 8]);
    await share(undefined, { settings: { allowDates: false } });
  });

  it('counts how often it was opened', async () => {
    const before = (await owner.get(sharing())).body;
    await visit(`/shared/${before.access_token}.json`);
    await visit(`/shared/${before.access_token}.json`);
    expect((await owner.get(sharing())).body.views_30d).toBe(before.views_30d + 2);
  });

  it('has annotations where that is set', async () => {
    const note = { content: 'v1.2.0, @ada@example.org', date_marker: START };
    await owner.post('/api/projects/1/annotations/', { body: note });
    const other = { content: 'of the dashboard', dashboard_id: dashboard, scope: 'dashboard' };
    await owner.post('/api/projects/1/annotations/', { body: other });
    const { access_token: token } = await share(undefined, { settings: { showAnnotations: true } });
    const shown = (await visit(`/shared/${token}.json`)).body.annotations;
    expect(shown).toEqual([{ content: 'v1.2.0, @•••', date_marker: START }]);
    await share(undefined, { settings: { showAnnotations: false } });
    expect((await visit(`/shared/${token}.json`)).body.annotations).toEqual([]);
  });
});

describe('a shared dashboard', () => {
  it('shows every kind of insight and texts, without addresses, and no list of persons', async () => {
    const { access_token: token } = await share(`dashboards/${dashboard}`);
    const { status, body } = await visit(`/shared/${token}.json`);
    expect(status).toBe(200);
    expect(JSON.stringify(body)).not.toContain(MARKER);
    const shown = body.tiles.map(({ insight: one }: { insight: { name: string; error: string | null } | null }) =>
      one === null ? 'text' : `${one.name}${one.error === null ? '' : ': not shown'}`,
    );
    expect(shown).toEqual([
      'Seen',
      'By plan',
      'By mail: not shown',
      'Funnel',
      'Retention',
      'Paths',
      'Lifecycle',
      'Stickiness',
      'text',
    ]);
    const labels = body.tiles[1].insight.result.map(({ label }: { label: string }) => label);
    expect(labels.toSorted()).toEqual(['seen - free', 'seen - of •••']);
    expect(body.tiles[3].insight.result[0]).toMatchObject({ name: 'seen', count: 3 });
  });
});

describe('the shared overview of a site', () => {
  it('shows numbers and pages', async () => {
    const { access_token: token } = await share('web_analytics');
    const { status, body } = await visit(`/shared/${token}.json`);
    expect([status, body.kind, body.overview.totals.views.value]).toEqual([200, 'web', 1]);
    expect(body.overview.tables.page.rows[0][0]).toBe('/u/•••');
    expect(JSON.stringify(body)).not.toContain(MARKER);
  });
});

describe('a link that opens nothing', () => {
  const refused = async (token: string) => {
    const answers = await Promise.all([
      visit(`/shared/${token}`),
      visit(`/embedded/${token}`),
      visit(`/shared/${token}.json`),
    ]);
    return answers.map(({ status, body, headers }) => [status, body, headers.get('content-security-policy')]);
  };

  it('is answered in one and the same way, whatever the reason', async () => {
    const wrong = await refused('0'.repeat(43));
    expect(wrong.map(([status]) => status)).toEqual([404, 404, 404]);
    const { access_token: token } = await share();
    await owner.patch(sharing(), { body: { enabled: false } });
    expect(await refused(token)).toEqual(wrong);
    await share(undefined, { expires_at: '2026-01-15T12:30:00Z' });
    expect((await visit(`/shared/${token}.json`)).status).toBe(200);
    server.setNow('2026-01-15T12:30:00.000Z');
    expect(await refused(token)).toEqual(wrong);
    server.setNow(START);
    await share();
    await owner.patch('/api/organizations/@current/', { body: { allow_publicly_shared_resources: false } });
    expect(await refused(token)).toEqual(wrong);
    expect((await owner.patch(sharing(), { body: { enabled: true } })).status).toBe(403);
    await owner.patch('/api/organizations/@current/', { body: { allow_publicly_shared_resources: true } });
    await owner.patch(`/api/projects/1/insights/${insight}/`, { body: { deleted: true } });
    expect(await refused(token)).toEqual(wrong);
    await owner.patch(`/api/projects/1/insights/${insight}/`, { body: { deleted: false } });
    expect((await visit(`/shared/${token}.json`)).status).toBe(200);
    for (const odd of ['x', `${token}x`, `${token}.jso`, "' or 1=1"]) expect(await refused(odd)).toEqual(wrong);
  });

  it('ends at once when there is a new one, or after the grace that was asked for', async () => {
    const { access_token: first } = await share();
    const { body } = await owner.post(`${sharing()}refresh/`);
    expect(body.access_token).not.toBe(first);
    expect((await visit(`/shared/${first}.json`)).status).toBe(404);
    const later = await owner.post(`${sharing()}refresh/?grace_minutes=5`);
    expect((await visit(`/shared/${body.access_token}.json`)).status).toBe(200);
    expect((await visit(`/shared/${later.body.access_token}.json`)).status).toBe(200);
    server.setNow('2026-01-15T12:05:00.000Z');
    expect((await visit(`/shared/${body.access_token}.json`)).status).toBe(404);
    expect((await owner.post(`${sharing()}refresh/?grace_minutes=6`)).status).toBe(400);
  });
});

describe('a link with a password', () => {
  it('opens for a day after the right one, for this link alone', async () => {
    const { access_token: token } = await share(undefined, { password_required: true });
    const made = await owner.post(`${sharing()}passwords/`, { body: { note: 'for the board' } });
    expect([made.status, made.body.note]).toEqual([201, 'for the board']);
    expect(JSON.stringify((await owner.get(sharing())).body)).not.toContain(made.body.password);
    const closed = await visit(`/shared/${token}.json`);
    expect([closed.status, closed.body.code, closed.headers.get('cache-control')]).toEqual([
      401,
      'password_required',
      'no-store',
    ]);
    const wrong = await visit(`/shared/${token}`, {}, 'POST', { password: 'wrong' });
    expect([wrong.status, wrong.body.code]).toEqual([401, 'wrong_password']);
    const entered = await visit(`/shared/${token}`, {}, 'POST', { password: made.body.password });
    expect(entered.status).toBe(200);
    const set = entered.headers.getSetCookie();
    expect(set.map((one) => /Path=([^;]+)/.exec(one)?.[1])).toEqual([
      `/shared/${token}`,
      `/shared/${token}.json`,
      `/embedded/${token}`,
    ]);
    expect(set[0]).toMatch(/Max-Age=86400.*HttpOnly/);
    const cookie = cookieOf(entered.headers);
    expect((await visit(`/shared/${token}.json`, { cookie })).status).toBe(200);
    const { access_token: other } = await share(`dashboards/${dashboard}`, { password_required: true });
    expect((await visit(`/shared/${other}.json`, { cookie })).status).toBe(401);
    await share(`dashboards/${dashboard}`);
    server.setNow('2026-01-16T12:00:01.000Z');
    expect((await visit(`/shared/${token}.json`, { cookie })).status).toBe(401);
    server.setNow(START);
    await owner.delete(`${sharing()}passwords/${made.body.id}/`);
    expect((await visit(`/shared/${token}.json`, { cookie })).status).toBe(401);
    await share();
  });

  it('takes five attempts a minute from a network, and says so in the audit log', async () => {
    const { access_token: token } = await share(undefined, { password_required: true });
    await owner.post(`${sharing()}passwords/`, { body: { raw_password: 'long enough' } });
    const from = { 'x-forwarded-for': '198.51.100.7' };
    const tries = [];
    for (let at = 0; at < 6; at++)
      tries.push((await visit(`/shared/${token}`, from, 'POST', { password: 'no' })).status);
    expect(tries).toEqual([401, 401, 401, 401, 401, 429]);
    const { body } = await owner.get('/api/organizations/@current/audit/?scope=SharingConfiguration');
    const refused = body.results.filter(({ activity }: { activity: string }) => activity === 'password refused');
    expect(refused.length).toBeGreaterThanOrEqual(5);
    expect(body.results.map(({ activity }: { activity: string }) => activity)).toContain('refreshed');
    await share();
  });
});

describe('frames', () => {
  const ancestors = (headers: Headers) =>
    /frame-ancestors ([^;]+)/.exec(headers.get('content-security-policy') ?? '')?.[1];

  it('are for /embedded/ alone, on the sites that were named', async () => {
    const { access_token: token } = await share();
    expect(ancestors((await visit(`/embedded/${token}`)).headers)).toBe('*');
    const { body } = await owner.patch(sharing(), {
      body: { allowed_origins: ['https://Example.org/', 'https://*.example.com:8443'] },
    });
    expect(body.allowed_origins).toEqual(['https://example.org', 'https://*.example.com:8443']);
    expect(ancestors((await visit(`/embedded/${token}`)).headers)).toBe(
      'https://example.org https://*.example.com:8443',
    );
    expect(ancestors((await visit(`/shared/${token}`)).headers)).toBe("'none'");
    expect(ancestors((await visit(`/shared/${token}.json`)).headers)).toBe("'none'");
  });

  it.each([
    'https://example.org/path',
    'example.org',
    'javascript:alert(1)',
    "https://a.org; script-src 'unsafe-inline'",
    '*',
  ])('are not for %s', async (origin) => {
    const { status, body } = await owner.patch(sharing(), { body: { allowed_origins: [origin] } });
    expect([status, body.attr]).toEqual([400, 'allowed_origins']);
  });
});

describe('bad input', () => {
  it.each([
    [{ expires_at: '2020-01-01T00:00:00Z' }, 'expires_at'],
    [{ expires_at: 'tomorrow' }, 'expires_at'],
    [{ settings: { theme: 'pink' } }, 'settings__theme'],
    [{ enabled: 'perhaps' }, 'enabled'],
  ])('%j is refused', async (body, attr) => {
    const answer = await owner.patch(sharing(), { body });
    expect([answer.status, answer.body.attr]).toEqual([400, attr]);
  });

  it('is a short password, or an insight of another project', async () => {
    expect((await owner.post(`${sharing()}passwords/`, { body: { raw_password: 'short' } })).status).toBe(400);
    const foreign = await server.createProject({ foreign: true });
    const path = `/api/projects/${foreign.projectId}/insights/${insight}/sharing/`;
    expect((await owner.patch(path, { key: foreign.personalKey, body: { enabled: true } })).status).toBe(404);
  });

  it('limits requests of a network', async () => {
    const from = { 'x-forwarded-for': '198.51.100.99' };
    const statuses = [];
    for (let at = 0; at < 301; at++) statuses.push((await visit('/shared/none.json', from)).status);
    expect([statuses.filter((one) => one === 404).length, statuses.at(-1)]).toEqual([300, 429]);
  });
});

it('opens nothing else: no route of the API takes a token or the cookie of a password', async () => {
  const { access_token: token } = await share(undefined, { password_required: true });
  await owner.post(`${sharing()}passwords/`, { body: { raw_password: 'another one' } });
  const entered = await visit(`/shared/${token}`, {}, 'POST', { password: 'another one' });
  const cookie = cookieOf(entered.headers);
  expect((await visit(`/shared/${token}.json`, { cookie })).status).toBe(200);
  const api = await OpenApi.of(server);
  const operations = api.operations.filter(({ isPrivate }) => isPrivate);
  expect(operations.length).toBeGreaterThan(100);
  const asked = cachingGet(owner.get);
  const value = cookie.split('=').slice(1).join('=');
  const opened = [];
  for (const operation of operations) {
    const path = await realPath(asked, operation);
    const joined = path.includes('?') ? '&' : '?';
    const attempts = [
      await visit(path, { authorization: `Bearer ${token}` }, operation.method),
      await visit(
        `${path}${joined}sharing_access_token=${token}&personal_api_key=${token}`,
        { cookie },
        operation.method,
      ),
      await visit(path, { cookie: `${cookie}; cairn_session=${token}` }, operation.method),
      await visit(path, { cookie: `cairn_session=${value}` }, operation.method),
    ];
    opened.push(
      ...attempts.filter(({ status }) => status !== 401).map(({ status }) => `${operation.method} ${path} → ${status}`),
    );
  }
  expect(opened).toEqual([]);
  await share();
});

it('is changed by those who may edit, and read by members', async () => {
  const member = await addMember(server, 'member@example.org');
  expect((await owner.get(sharing(), { key: member.personalKey })).status).toBe(200);
  await owner.post('/api/organizations/@current/resource_access/', {
    body: { resource: 'insights', access_level: 21 },
  });
  const refused = await owner.patch(sharing(), { key: member.personalKey, body: { enabled: false } });
  expect(refused.status).toBe(403);
});
