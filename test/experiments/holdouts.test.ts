/** Holdouts, A/A tests, copies, and flags that can be measured. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, clientFor } from '../support/client.ts';
import { startServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let client: ReturnType<typeof clientFor>;
const all = '/api/projects/1/experiments/';
const holdouts = '/api/projects/1/experiment_holdouts/';

beforeAll(async () => {
  server = await startServer();
  client = clientFor(server);
});
afterAll(() => server.close());

const make = async (body: object): Promise<Answer['body']> => {
  const answer = await client.post(all, { body: { ...body, allow_unknown_events: true } });
  expect([answer.status, answer.body.detail]).toEqual([201, undefined]);
  return answer.body;
};
const hold = async (share: number): Promise<Answer['body']> => {
  const filters = [{ properties: [], rollout_percentage: share }];
  return (await client.post(holdouts, { body: { name: 'Held out', filters } })).body;
};
const decide = async (who: string): Promise<unknown> => {
  const answer = await client.post('/decide/?v=3', {
    body: { token: server.projectKey, distinct_id: who },
    headers: { authorization: '' },
  });
  return answer.body.featureFlags;
};

describe('a holdout', () => {
  it('keeps people out of all experiments that take it', async () => {
    const { id, filters } = await hold(100);
    expect(filters).toEqual([{ properties: [], rollout_percentage: 100, variant: `holdout-${id}` }]);
    const made = await make({ name: 'Held', feature_flag_key: 'held', holdout_id: id, start_date: '2026-01-15' });
    expect(made).toMatchObject({ holdout_id: id, holdout: { id, name: 'Held out' } });
    expect(made.feature_flag.filters.holdout_groups).toEqual(filters);
    expect(await decide('anybody')).toMatchObject({ held: `holdout-${id}` });

    const changed = await client.patch(`${holdouts}${id}/`, { body: { filters: [{ rollout_percentage: 0 }] } });
    expect(changed.body.filters).toMatchObject([{ rollout_percentage: 0 }]);
    expect(await decide('anybody')).toMatchObject({ held: expect.stringMatching(/^(control|test)$/) });

    expect((await client.patch(`${all}${made.id}/`, { body: { holdout_id: null } })).body.attr).toBe('holdout_id');
    expect((await client.delete(`${holdouts}${id}/`)).status).toBe(204);
    const after = (await client.get(`${all}${made.id}/`)).body;
    expect(after).toMatchObject({ holdout_id: null, holdout: null });
    expect(after.feature_flag.filters.holdout_groups).toBeUndefined();
    expect((await client.get(`${holdouts}${id}/`)).status).toBe(404);
  });

  it('is listed, renamed and refused', async () => {
    const { id } = await hold(10);
    expect((await client.patch(`${holdouts}${id}/`, { body: { name: 'Renamed' } })).body.name).toBe('Renamed');
    expect((await client.get(holdouts)).body).toMatchObject({ count: 1, results: [{ id, name: 'Renamed' }] });
    for (const filters of [
      [],
      [{ rollout_percentage: 101 }],
      [{ rollout_percentage: 5, properties: [{ key: 'a' }] }],
    ]) {
      const answer = await client.post(holdouts, { body: { name: 'Bad', filters } });
      expect([answer.status, answer.body.attr]).toEqual([400, 'filters']);
    }
    const none = await client.post(all, { body: { name: 'None', feature_flag_key: 'none', holdout_id: 999 } });
    expect([none.status, none.body.attr]).toEqual([400, 'holdout_id']);
  });
});

describe('an experiment', () => {
  it('is duplicated as a draft, on its flag or on a new one with the same variants', async () => {
    const variants = [
      { key: 'control', rollout_percentage: 20 },
      { key: 'b', rollout_percentage: 80 },
    ];
    const metrics = [{ metric_type: 'funnel', series: [{ kind: 'EventsNode', event: 'order' }] }];
    const body = { name: 'First', feature_flag_key: 'first', metrics, parameters: { feature_flag_variants: variants } };
    const { id } = await make({ ...body, start_date: '2026-01-15' });
    await client.post(`${all}${id}/end/`, { body: { conclusion: 'lost' } });
    const same = await client.post(`${all}${id}/duplicate/`);
    expect([same.status, same.body.name, same.body.feature_flag_key]).toEqual([201, 'First (copy)', 'first']);
    expect(same.body).toMatchObject({ status: 'draft', conclusion: null, metrics: [{ metric_type: 'funnel' }] });
    const other = await client.post(`${all}${id}/duplicate/`, { body: { feature_flag_key: 'second', name: 'Again' } });
    expect(other.body).toMatchObject({
      name: 'Again',
      feature_flag: { key: 'second', active: false },
      parameters: { feature_flag_variants: variants },
    });
  });

  it('is an A/A test: nothing can be shipped', async () => {
    const { id, mode } = await make({ name: 'Same', feature_flag_key: 'same', mode: 'aa', start_date: '2026-01-15' });
    expect(mode).toBe('aa');
    const shipped = await client.post(`${all}${id}/ship_variant/`, { body: { variant_key: 'test' } });
    expect([shipped.status, shipped.body.detail]).toEqual([
      400,
      'In an A/A test all variants are the same: there is nothing to ship.',
    ]);
  });

  it('can measure flags with variants, one of them control', async () => {
    await client.post('/api/projects/1/feature_flags/', { body: { key: 'plain', filters: { groups: [{}] } } });
    const found = (await client.get(`${all}eligible_feature_flags/?search=se`)).body;
    expect(found.results.map(({ key }: { key: string }) => key).sort()).toEqual(['second']);
    expect((await client.get(`${all}eligible_feature_flags/?search=plain`)).body.count).toBe(0);
    expect((await client.get(`${all}eligible_feature_flags/?active=true&search=same`)).body.count).toBe(1);
  });

  it('keeps the experience of those who log in, if asked', async () => {
    const parameters = { ensure_experience_continuity: true };
    const made = await make({ name: 'Kept', feature_flag_key: 'kept', parameters });
    const flag = await client.get(`/api/projects/1/feature_flags/${made.feature_flag.id}/`);
    expect(flag.body.ensure_experience_continuity).toBe(true);
  });
});
