import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, clientFor } from '../support/client.ts';
import { addMember, type TestMember } from '../support/people.ts';
import { isWithoutEvents, startServer, type TestProject, type TestServer } from '../support/server.ts';

let server: TestServer;
let client: ReturnType<typeof clientFor>;
let member: TestMember;
let stranger: TestProject;
beforeAll(async () => {
  server = await startServer();
  client = clientFor(server);
  member = await addMember(server, 'member@example.org');
  stranger = await server.createProject({ foreign: true });
});
afterAll(() => server.close());

const activity = async () => (await client.get('/api/organizations/@current/activity/?limit=1')).body.results[0];

describe('projects', () => {
  it('show all their settings', async () => {
    const { status, body } = await client.get('/api/projects/1/');
    expect(status).toBe(200);
    expect(body).toEqual({
      id: 1,
      uuid: expect.stringMatching(/^[0-9a-f-]{36}$/),
      organization: server.organizationId,
      api_token: 'phc_test_project_key',
      name: 'Default project',
      completed_snippet_onboarding: false,
      ingested_event: false,
      is_demo: false,
      timezone: 'UTC',
      access_control: false,
      app_urls: [],
      test_account_filters_default_checked: false,
      data_attributes: ['data-attr'],
      person_display_name_properties: null,
      correlation_config: null,
      session_recording_opt_in: false,
      capture_console_log_opt_in: null,
      capture_performance_opt_in: null,
      primary_dashboard: null,
      live_events_columns: null,
      recording_domains: null,
      anonymize_ips: false,
      events_retention_days: null,
      test_account_filters: [],
      path_cleaning_filters: [],
      slack_incoming_webhook: null,
      web_analytics: {
        geoip: true,
        bounce_seconds: 10,
        path_rules: [],
        goals: [],
        own_domains: [],
        own_addresses: [],
        channel_rules: [],
        hidden_referrers: [],
      },
      cookieless_server_hash_mode: 2,
      has_secret_api_token: false,
      effective_membership_level: 15,
      has_group_types: false,
      person_on_events_querying_enabled: true,
      groups_on_events_querying_enabled: true,
      inject_web_apps: false,
      created_at: '2026-01-15T12:00:00Z',
      updated_at: '2026-01-15T12:00:00Z',
    });
  });

  it('are updated field by field, and each change is in the activity log', async () => {
    const before = (await client.get('/api/projects/1/')).body;
    server.setNow('2026-01-15T12:00:01.250Z');
    const changes = {
      name: 'Shop',
      timezone: 'Europe/Berlin',
      anonymize_ips: true,
      events_retention_days: 90,
      test_account_filters: [{ key: 'email', value: '@example.org', operator: 'not_icontains', type: 'person' }],
      path_cleaning_filters: [{ regex: '\\d+', alias: ':id' }],
      app_urls: ['https://shop.example.org'],
      slack_incoming_webhook: 'https://hooks.example.org/1',
    };
    const { status, body } = await client.patch('/api/projects/1', { body: changes });
    expect(status).toBe(200);
    expect(body).toEqual({ ...before, ...changes, updated_at: '2026-01-15T12:00:01.250000Z' });
    expect((await client.get('/api/projects/1/')).body).toEqual(body);
    const { detail, ...entry } = await activity();
    expect(entry).toMatchObject({ activity: 'updated', scope: 'Team', item_id: '1' });
    expect(new Set(detail.changes.map((change: { field: string }) => change.field))).toEqual(
      new Set(Object.keys(changes)),
    );
    expect(detail.changes).toContainEqual({
      type: 'Team',
      action: 'changed',
      field: 'timezone',
      before: 'UTC',
      after: 'Europe/Berlin',
    });
    const id = entry.id;
    await client.patch('/api/projects/1/', { body: changes });
    expect((await activity()).id).toBe(id);
    await client.patch('/api/projects/1/', { body: { events_retention_days: null, slack_incoming_webhook: null } });
    expect((await client.get('/api/projects/1/')).body.events_retention_days).toBeNull();
  });

  it('keep odd keys in free-form maps as data', async () => {
    const sent = '{"correlation_config": {"__proto__": {"polluted": 1}, "constructor": "x", "\\ud800": "\\u0000"}}';
    const { status } = await client.patch('/api/projects/1/', { body: sent });
    expect(status).toBe(200);
    const response = await fetch(`${server.url}/api/projects/1/`, {
      headers: { authorization: `Bearer ${server.personalKey}` },
    });
    expect(await response.text()).toContain('"correlation_config":{"__proto__":{"polluted":1},"constructor":"x"');
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });

  it.runIf(isWithoutEvents)('stay while their events cannot be deleted', async () => {
    const { body } = await client.post('/api/projects/', { body: { name: 'Kept' } });
    expect((await client.delete(`/api/projects/${body.id}/`)).status).toBe(503);
    expect((await client.get(`/api/projects/${body.id}/`)).body).toEqual(body);
    await server.metadata.projects.delete(body.id);
  });

  it.skipIf(isWithoutEvents)('are created by admins in their current organization, and deleted for good', async () => {
    expect((await client.post('/api/projects/', { key: member.personalKey, body: { name: 'Mine' } })).status).toBe(403);
    const made = await client.post('/api/projects/', { body: { name: 'Second', timezone: 'Asia/Tokyo' } });
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject({ name: 'Second', timezone: 'Asia/Tokyo', organization: server.organizationId });
    expect(made.body.api_token).toMatch(/^phc_[0-9A-Za-z]{43}$/);
    const path = `/api/projects/${made.body.id}/`;
    expect((await client.delete(path, { key: member.personalKey })).status).toBe(403);
    const deleted = await client.delete(path);
    expect([deleted.status, deleted.body]).toEqual([204, '']);
    expect((await client.get(path)).status).toBe(404);
    expect(await activity()).toMatchObject({ activity: 'deleted', scope: 'Team', item_id: String(made.body.id) });
    const next = await client.post('/api/projects/', { body: {} });
    expect(next.body.id).toBeGreaterThan(made.body.id);
    expect(next.body.name).toBe('Default project');
    await client.delete(`/api/projects/${next.body.id}/`);
  });

  it('get a new project key on request; the activity log has no key', async () => {
    const old = (await client.get('/api/projects/1/')).body.api_token;
    expect((await client.patch('/api/projects/1/reset_token/', { key: member.personalKey })).status).toBe(403);
    const { status, body } = await client.patch('/api/projects/1/reset_token/');
    expect(status).toBe(200);
    expect(body.api_token).toMatch(/^phc_[0-9A-Za-z]{43}$/);
    const entry = await activity();
    expect(entry.detail.changes).toEqual([
      { type: 'Team', action: 'changed', field: 'api_token', before: null, after: null },
    ]);
    expect(JSON.stringify(entry)).not.toContain(old);
  });

  it('get a secret key, shown once', async () => {
    const { status, body } = await client.patch('/api/projects/1/rotate_secret_token/');
    expect(status).toBe(200);
    expect(body.secret_api_token).toMatch(/^phs_[0-9A-Za-z]{43}$/);
    const again = (await client.get('/api/projects/1/')).body;
    expect([again.has_secret_api_token, again.secret_api_token]).toEqual([true, undefined]);
    expect(JSON.stringify((await client.get('/api/organizations/@current/activity/')).body)).not.toContain('phs_');
  });

  it("are listed from the caller's organizations only", async () => {
    const ids = async (key: string): Promise<number[]> =>
      (await client.get('/api/projects/', { key })).body.results.map((project: { id: number }) => project.id);
    expect(await ids(server.personalKey)).toEqual([1]);
    expect(await ids(stranger.personalKey)).toEqual([stranger.projectId]);
  });
});

describe('@current', () => {
  it.skipIf(isWithoutEvents)('is the project chosen last, else the oldest', async () => {
    const other = (await client.post('/api/projects/', { body: { name: 'Other' } })).body;
    expect((await client.get('/api/projects/@current/')).body.id).toBe(1);
    const me = await client.patch('/api/users/@me/', { body: { set_current_team: other.id } });
    expect([me.status, me.body.team.id]).toEqual([200, other.id]);
    expect((await client.get('/api/projects/@current/')).body.id).toBe(other.id);
    expect((await client.get('/api/projects/@current/', { key: member.personalKey })).body.id).toBe(1);
    await client.delete(`/api/projects/${other.id}/`);
    expect((await client.get('/api/projects/@current/')).body.id).toBe(1);
  });

  it.skipIf(isWithoutEvents)('moves with the organization', async () => {
    const other = (await client.post('/api/organizations/', { body: { name: 'Other' } })).body;
    const { body: me } = await client.patch('/api/users/@me/', { body: { set_current_organization: other.id } });
    expect([me.organization.id, me.team.id]).toEqual([other.id, other.teams[0].id]);
    expect((await client.get('/api/organizations/@current/')).body.id).toBe(other.id);
    await client.delete('/api/organizations/@current/');
    expect((await client.get('/api/organizations/@current/')).body.id).toBe(server.organizationId);
    await client.patch('/api/users/@me/', { body: { set_current_organization: server.organizationId } });
  });

  it.each([
    ['set_current_team', () => stranger.projectId, 'Project not found.'],
    ['set_current_organization', () => stranger.organizationId, 'Organization not found.'],
  ])('%s takes nothing of strangers', async (field, id, detail) => {
    const { status, body } = await client.patch('/api/users/@me/', { body: { [field]: id() } });
    expect([status, body.detail]).toEqual([404, detail]);
  });
});

describe('pages', () => {
  beforeAll(async () => {
    for (let i = 0; i < 6; i++) await client.post('/api/projects/', { body: { name: `Project ${i}` } });
  });
  const list = async (query: string) => (await client.get(`/api/projects/${query}`)).body;

  it('link to the next and previous with absolute URLs, sorted parameters, and the other parameters', async () => {
    const { next, previous, count, results } = await list('?offset=2&x=a%20b&limit=2');
    expect([count, results.length]).toEqual([7, 2]);
    expect(next).toBe(`${server.url}/api/projects/?limit=2&offset=4&x=a+b`);
    expect(previous).toBe(`${server.url}/api/projects/?limit=2&x=a+b`);
  });

  it('can be walked from end to end and back', async () => {
    const seen: number[] = [];
    let last = '';
    for (let url: string | null = '/api/projects/?limit=3'; url; ) {
      const { body }: Answer = await client.get(url);
      seen.push(...body.results.map((project: { id: number }) => project.id));
      last = url;
      url = body.next;
    }
    expect(seen).toEqual(seen.toSorted((a, b) => a - b));
    expect(new Set(seen).size).toBe(7);
    const back = (await client.get(last)).body.previous;
    expect(back).toBe(`${server.url}/api/projects/?limit=3&offset=3`);
  });

  it.each([
    ['?limit=0'],
    ['?limit=-5'],
    ['?limit=abc'],
    ['?offset=-1'],
    ['?offset=abc'],
    ['?limit=&offset='],
    ['?limit=1001'],
  ])('take nonsense for absence: %s', async (query) => {
    const body = await list(query);
    expect([body.results.length, body.next, body.previous]).toEqual([7, null, null]);
  });

  it('end beyond the last item', async () => {
    const body = await list('?offset=9007199254740991');
    expect([body.count, body.results, body.next]).toEqual([7, [], null]);
  });

  it('use the host that a proxy names', async () => {
    const behind = await startServer({ config: { publicUrl: 'https://cairn.example.org' } });
    await behind.createProject();
    const { body } = await clientFor(behind).get('/api/projects/?limit=1');
    await behind.close();
    expect(body.next).toBe('https://cairn.example.org/api/projects/?limit=1&offset=1');
  });
});

describe('a trailing slash', () => {
  it.each([
    ['GET', '/api/projects', undefined, 200],
    ['POST', '/api/projects', {}, 201],
    ['GET', '/api/projects/1', undefined, 200],
    ['PATCH', '/api/projects/1', {}, 200],
    ['PATCH', '/api/projects/1/reset_token', undefined, 200],
    ['DELETE', '/api/personal_api_keys/none', undefined, 404],
    ['PUT', '/api/projects', undefined, 405],
    ['GET', '/api/schema', undefined, 200],
  ])('is optional: %s %s', async (method, path, body, status) => {
    const send = (end: string) =>
      fetch(server.url + path + end, {
        method,
        redirect: 'error',
        headers: {
          authorization: `Bearer ${server.personalKey}`,
          ...(body ? { 'content-type': 'application/json' } : {}),
        },
        ...(body ? { body: JSON.stringify(body) } : {}),
      });
    expect([(await send('')).status, (await send('/')).status, (await send('?a=1')).status]).toEqual([
      status,
      status,
      status,
    ]);
  });
});
