/** Annotations through the API: in PostHog's shape, in their scope only, with the changes of flags beside them. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clientFor } from '../support/client.ts';
import { startServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let client: ReturnType<typeof clientFor>;
const all = '/api/projects/1/annotations/';

beforeAll(async () => {
  server = await startServer();
  client = clientFor(server);
});
afterAll(() => server.close());

async function make(body: object) {
  const answer = await client.post(all, { body });
  expect([answer.status, answer.body.detail]).toEqual([201, undefined]);
  return answer.body;
}
const contents = async (query = '', projectId = 1): Promise<string[]> =>
  (await client.get(`/api/projects/${projectId}/annotations/${query}`)).body.results.map(
    (one: { content: string }) => one.content,
  );

describe('an annotation', () => {
  it('has every field that clients know', async () => {
    const insight = await client.post('/api/projects/1/insights/', { body: { name: 'Visits', filters: {} } });
    const { created_by, ...made } = await make({
      content: 'Launch, see @ann@example.org',
      date_marker: '2026-01-10T08:00:00Z',
      dashboard_item: insight.body.id,
    });
    expect(created_by.id).toBe(1);
    expect(made).toEqual({
      id: made.id,
      content: 'Launch, see @ann@example.org',
      date_marker: '2026-01-10T08:00:00Z',
      creation_type: 'USR',
      dashboard_item: insight.body.id,
      insight_short_id: insight.body.short_id,
      insight_name: 'Visits',
      insight_derived_name: null,
      dashboard_id: null,
      dashboard_name: null,
      scope: 'dashboard_item',
      tagged_users: ['ann@example.org'],
      created_at: '2026-01-15T12:00:00Z',
      updated_at: '2026-01-15T12:00:00Z',
      deleted: false,
    });
    expect((await client.get(`${all}${made.id}/`)).body).toEqual({ ...made, created_by });
    expect(await contents(`?dashboardItemId=${insight.body.id}`)).toEqual([made.content]);
  });

  it('is of the whole project, now, by a user, unless it says otherwise', async () => {
    const deployed = await make({ content: 'v1.2.0', creation_type: 'GIT' });
    expect(deployed).toMatchObject({ scope: 'project', date_marker: '2026-01-15T12:00:00Z', creation_type: 'GIT' });
  });

  it('is changed and deleted by PATCH, and recorded', async () => {
    const { id } = await make({ content: 'Typo' });
    const changed = await client.patch(`${all}${id}/`, { body: { content: 'Fixed', date_marker: '2026-01-01' } });
    expect(changed.body).toMatchObject({ content: 'Fixed', date_marker: '2026-01-01T00:00:00Z' });
    expect((await client.delete(`${all}${id}/`)).status).toBe(405);
    await client.patch(`${all}${id}/`, { body: { deleted: true } });
    expect(await contents('?search=fixed')).toEqual([]);
    const log = await client.get('/api/organizations/@current/activity/?limit=2');
    expect(log.body.results.map((one: { detail: { changes: object[] } }) => one.detail.changes)).toEqual([
      [{ type: 'Annotation', action: 'changed', field: 'deleted', before: false, after: true }],
      [
        { type: 'Annotation', action: 'changed', field: 'content', before: 'Typo', after: 'Fixed' },
        {
          type: 'Annotation',
          action: 'changed',
          field: 'date_marker',
          before: '2026-01-15T12:00:00.000Z',
          after: '2026-01-01T00:00:00.000Z',
        },
      ],
    ]);
  });

  it('of the organization is in its other projects, but not in other organizations', async () => {
    const [sibling, stranger] = [await server.createProject(), await server.createProject({ foreign: true })];
    await make({ content: 'Outage of the provider', scope: 'organization' });
    expect(await contents('', sibling.projectId)).toEqual(['Outage of the provider']);
    const theirs = clientFor({ ...server, personalKey: stranger.personalKey });
    expect((await theirs.get(`/api/projects/${stranger.projectId}/annotations/`)).body.count).toBe(0);
    expect((await theirs.get(all)).status).toBe(404);
  });

  it('of the organization is not written with a key for one project', async () => {
    const made = await make({ content: 'For all', scope: 'organization' });
    const body = { label: 'One project', scopes: ['annotation:write'], scoped_teams: [1] };
    const { value } = (await client.post('/api/personal_api_keys/', { body })).body;
    const limited = clientFor({ ...server, personalKey: value });
    expect((await limited.post(all, { body: { content: 'Here' } })).status).toBe(201);
    expect((await limited.post(all, { body: { content: 'x', scope: 'organization' } })).status).toBe(403);
    expect((await limited.patch(`${all}${made.id}/`, { body: { scope: 'project' } })).status).toBe(403);
  });

  it.each([
    ['no text', {}, 'content', 'required'],
    ['an empty text', { content: '' }, 'content', 'blank'],
    ['a text that is too long', { content: 'x'.repeat(8193) }, 'content', 'max_length'],
    ['a date that is none', { content: 'x', date_marker: 'soon' }, 'date_marker', 'invalid_input'],
    ['an unknown scope', { content: 'x', scope: 'world' }, 'scope', 'invalid_choice'],
    ['an unknown insight', { content: 'x', dashboard_item: 999 }, 'dashboard_item', 'does_not_exist'],
    ['a scope without its dashboard', { content: 'x', scope: 'dashboard' }, 'dashboard_id', 'required'],
  ])('is refused with %s', async (_name, body, attr, code) => {
    const { status, body: answer } = await client.post(all, { body });
    expect([status, answer.attr, answer.code]).toEqual([400, attr, code]);
  });

  it('is found by time', async () => {
    await make({ content: 'In March', date_marker: '2025-03-05T00:00:00Z' });
    expect(await contents('?after=2025-03-01&before=2025-03-31')).toEqual(['In March']);
    const refused = await client.get(`${all}?after=whenever`);
    expect([refused.status, refused.body.attr]).toEqual([400, 'after']);
  });

  it('is found by its scope, which is a known one', async () => {
    await make({ content: 'Everywhere', scope: 'organization', date_marker: '2025-04-05T00:00:00Z' });
    expect(await contents('?scope=organization&after=2025-04-01&before=2025-04-30')).toEqual(['Everywhere']);
    expect(await contents('?scope=project&after=2025-04-01&before=2025-04-30')).toEqual([]);
    const { status, body } = await client.get(`${all}?scope=world`);
    expect([status, body.attr, body.detail]).toEqual([
      400,
      'scope',
      'scope is one of dashboard_item, dashboard, project, organization.',
    ]);
  });
});

it('lists the changes of flags beside annotations, on request', async () => {
  server.setNow('2026-02-01T10:00:00Z');
  const flag = await client.post('/api/projects/1/feature_flags/', { body: { key: 'basket', active: false } });
  server.setNow('2026-02-02T10:00:00Z');
  await client.patch(`/api/projects/1/feature_flags/${flag.body.id}/`, { body: { name: 'Only a name' } });
  await client.patch(`/api/projects/1/feature_flags/${flag.body.id}/`, { body: { active: true } });
  const { body } = await client.get(`${all}?include=flags&after=2026-02-01`);
  const item = { scope: 'FeatureFlag', item_id: String(flag.body.id), dashboard_item: null };
  expect(body.changes).toEqual([
    { content: 'Flag basket enabled', date_marker: '2026-02-02T10:00:00Z', ...item },
    { content: 'Flag basket created', date_marker: '2026-02-01T10:00:00Z', ...item },
  ]);
  expect((await client.get(all)).body).not.toHaveProperty('changes');
});

it('lists alerts that began to fire beside them, on request', async () => {
  const NOW = Date.parse('2026-03-01T10:10:00Z');
  server.setNow(new Date(NOW).toISOString());
  const insight = { name: 'Sign-ups', filters: { insight: 'TRENDS', events: [{ id: 'never sent' }] } };
  const dashboard_item = (await client.post('/api/projects/1/insights/', { body: insight })).body.id;
  const threshold = { configuration: { type: 'absolute', bounds: { lower: 1, upper: null } } };
  const body = { name: 'Low', insight: dashboard_item, calculation_interval: 'hourly', threshold };
  const { id } = (await client.post('/api/projects/1/alerts/', { body })).body;
  for (const hours of [1, 2]) {
    server.setNow(new Date(NOW + hours * 3_600_000).toISOString());
    const checks = async () => (await client.get(`/api/projects/1/alerts/${id}/checks/`)).body.count;
    await expect.poll(checks, { timeout: 10_000 }).toBe(hours);
  }
  const { body: found } = await client.get(`${all}?include=alerts,flags&after=2026-03-01`);
  // Two periods outside of the bounds, one firing.
  expect(found.changes).toEqual([
    { content: 'Alert Low fired', date_marker: '2026-03-01T10:00:00Z', scope: 'Alert', item_id: id, dashboard_item },
  ]);
  expect((await client.get(`${all}?include=flags&after=2026-03-01`)).body.changes).toEqual([]);
}, 40_000);
