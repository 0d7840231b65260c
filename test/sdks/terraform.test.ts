/** Terraform's flag resource: what its provider asks of the private API while a flag is planned, changed and taken away. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { send } from '../support/send.ts';
import { startServer, type TestServer } from '../support/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.close());

const call = (method: string, path: string, body?: object) =>
  send(server.url, path, {
    method,
    headers: {
      authorization: `Bearer ${server.personalKey}`,
      'content-type': 'application/json',
      'user-agent': 'posthog/terraform-provider; version: 1.0.4',
      'accept-encoding': 'gzip',
    },
    body: body === undefined ? null : JSON.stringify(body),
  });

describe('a flag as a resource', () => {
  const flags = '/api/projects/1/feature_flags/';
  const filters = {
    groups: [
      { properties: [{ key: 'plan', operator: 'exact', type: 'person', value: ['team'] }], rollout_percentage: 50 },
    ],
    payloads: { true: '{"limit": 5}' },
  };
  let id: number;

  it('is created with what was planned, and nothing that is read back differs from it', async () => {
    const planned = { key: 'terraformed', name: 'By a plan', active: true, filters, tags: ['infra'] };
    const created = await call('POST', flags, planned);
    expect(created.status).toBe(201);
    expect(created.json).toMatchObject(planned);
    id = created.json.id;
    expect(Number.isInteger(id)).toBe(true);
    const read = await call('GET', `${flags}${id}/`);
    expect(read.status).toBe(200);
    // A difference here would be a change at each plan.
    expect(read.json).toMatchObject({ ...planned, id, deleted: false });
    expect(read.json.filters.groups).toEqual(filters.groups.map((group) => expect.objectContaining(group)));
  });

  it('is changed with the whole plan each time, also without a change', async () => {
    const changed = {
      key: 'terraformed',
      name: 'By another plan',
      active: false,
      filters: { groups: [{ rollout_percentage: 10 }] },
    };
    for (let time = 0; time < 2; time++) {
      const answer = await call('PATCH', `${flags}${id}/`, changed);
      expect([answer.status, answer.json.name, answer.json.active]).toEqual([200, 'By another plan', false]);
      // Tags that are not sent stay.
      expect(answer.json.tags).toEqual(['infra']);
    }
    expect((await call('GET', `${flags}${id}/`)).json.filters).toMatchObject(changed.filters);
  });

  it('is deleted by being marked, and missing in the next plan', async () => {
    const answer = await call('PATCH', `${flags}${id}/`, { key: 'terraformed', deleted: true });
    expect([answer.status, answer.json.deleted]).toEqual([200, true]);
    const read = await call('GET', `${flags}${id}/`);
    // Either way the provider knows that it was deleted.
    expect(read.status === 404 || read.json.deleted).toBe(true);
    expect((await call('GET', flags)).json.results).toEqual([]);
  });

  it('can be created again under the same key', async () => {
    const again = await call('POST', flags, { key: 'terraformed', filters: { groups: [{ rollout_percentage: 100 }] } });
    expect([again.status, again.json]).toEqual([201, expect.objectContaining({ key: 'terraformed' })]);
    expect(again.json.id).not.toBe(id);
  });

  it('that was never there is a 404, which means: create it', async () => {
    expect((await call('GET', `${flags}999999/`)).status).toBe(404);
  });
});
