/** Cohorts over time: calculated again by themselves, through restarts, and used by flags. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DATA_FILES } from '../../src/stores/data-files.ts';
import { capture } from '../support/capture.ts';
import { clientFor } from '../support/client.ts';
import { START, startServer, type TestServer } from '../support/server.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'cairn-cohorts-'));
let server: TestServer;
let client: ReturnType<typeof clientFor>;
beforeAll(() => start());
afterAll(async () => {
  await server.close();
  rmSync(dataDir, { recursive: true, force: true });
});

async function start(now = START): Promise<void> {
  server = await startServer({ dataDir, now });
  client = clientFor(server);
}
const path = (rest = ''): string => `/api/projects/1/cohorts/${rest}`;
const recently = {
  properties: {
    type: 'AND',
    values: [{ type: 'behavioral', value: 'performed_event', key: 'visit', time_value: 1, time_interval: 'hour' }],
  },
};
const write = (sql: string, ...values: unknown[]): void => {
  const db = new Database(join(dataDir, DATA_FILES.metadata));
  db.prepare(sql).run(...values);
  db.close();
};
const get = async (id: number) => (await client.get(path(`${id}/`))).body;

describe('over time', () => {
  let id: number;
  beforeAll(async () => {
    await capture(server, server.projectKey, [{ event: 'visit', distinct_id: 'ada' }]);
    server.setNow('2026-01-15T12:00:01Z');
    id = (await client.post(path(), { body: { name: 'Lately', filters: recently } })).body.id;
    await server.settleCohorts();
  });

  it('members are calculated again after 15 minutes', async () => {
    expect((await get(id)).count).toBe(1);
    server.setNow('2026-01-15T12:15:01Z');
    await server.recalculateCohorts();
    expect((await get(id)).last_calculation).toBe('2026-01-15T12:00:01Z');
    server.setNow('2026-01-15T13:00:00Z');
    await server.recalculateCohorts();
    expect(await get(id)).toMatchObject({ count: 0, last_calculation: '2026-01-15T13:00:00Z', is_calculating: false });
  });

  it('a calculation that a crash interrupted is repeated at the next start', async () => {
    await capture(server, server.projectKey, [{ event: 'visit', distinct_id: 'bob' }]);
    await server.close();
    write('update cohorts set is_calculating = 1, last_calculation = 5 where id = ?', id);
    await start('2026-01-15T13:30:00Z');
    await server.settleCohorts();
    expect(await get(id)).toMatchObject({ count: 1, is_calculating: false, last_calculation: '2026-01-15T13:30:00Z' });
  });

  it('unreadable criteria are counted as errors, which a change resets', async () => {
    write(`update cohorts set filters = '{"properties": 5}', is_calculating = 1 where id = ?`, id);
    await server.settleCohorts();
    expect(await get(id)).toMatchObject({ errors_calculating: 1, is_calculating: false });
    const { body } = await client.patch(path(`${id}/`), { body: { filters: recently } });
    expect(body).toMatchObject({ errors_calculating: 0, is_calculating: true });
    await server.settleCohorts();
    expect(await get(id)).toMatchObject({ errors_calculating: 0, count: 1 });
  });

  it('a change of an action recalculates the cohorts that use it, directly or through others', async () => {
    const actions = '/api/projects/1/actions/';
    const before = Date.parse('2026-01-15T13:30:00Z');
    await capture(server, server.projectKey, [
      { event: 'paid', distinct_id: 'bob', timestamp: new Date(before - 60_000).toISOString() },
      { event: 'paid', distinct_id: 'cy', timestamp: new Date(before - 60_000).toISOString() },
      { event: 'signed', distinct_id: 'cy', timestamp: new Date(before - 60_000).toISOString() },
    ]);
    const action = (await client.post(actions, { body: { name: 'Done', steps: [{ event: 'paid' }] } })).body.id;
    const [item] = recently.properties.values;
    const asked = { properties: { type: 'AND', values: [{ ...item, key: action, event_type: 'actions' }] } };
    const direct = (await client.post(path(), { body: { filters: asked } })).body.id;
    const nested = { properties: { type: 'AND', values: [{ type: 'cohort', value: direct }] } };
    const through = (await client.post(path(), { body: { filters: nested } })).body.id;
    await server.settleCohorts();
    expect([(await get(direct)).count, (await get(through)).count]).toEqual([2, 2]);
    const change = (body: object) => client.patch(`${actions}${action}/`, { body });
    await change({ description: 'Says nothing of who did it' });
    expect((await get(direct)).last_calculation).toBe('2026-01-15T13:30:00Z');
    await change({ steps: [{ event: 'signed' }] });
    await server.settleCohorts();
    expect([(await get(direct)).count, (await get(through)).count]).toEqual([1, 1]);
    await change({ deleted: true });
    await server.settleCohorts();
    expect(await get(direct)).toMatchObject({ count: 0, errors_calculating: 0 });
    // A cohort that refers to itself, here through the action, is empty there.
    const circle = [{ event: 'signed', properties: [{ key: 'id', type: 'cohort', value: direct }] }];
    await change({ deleted: false, steps: circle });
    await server.settleCohorts();
    expect(await get(direct)).toMatchObject({ count: 0, errors_calculating: 0 });
  });

  it('a cohort is deleted with its project', async () => {
    const other = await server.createProject();
    const mine = `/api/projects/${other.projectId}/`;
    const body = { is_static: true, _create_static_person_ids: ['x'] };
    await capture(server, other.projectKey, [{ distinct_id: 'x' }]);
    const { body: cohort } = await client.post(`${mine}cohorts/`, { body });
    expect(await server.rows('select * from cohort_members where cohort_id = ?', cohort.id)).toHaveLength(1);
    expect((await client.delete(mine)).status).toBe(204);
    expect(await server.rows('select * from cohort_members where cohort_id = ?', cohort.id)).toEqual([]);
    expect(await server.rows('select * from cohorts where id = ?', cohort.id)).toEqual([]);
  });
});

describe('in flags', () => {
  const plan = { properties: { type: 'AND', values: [{ key: 'plan', type: 'person', value: 'pro' }] } };
  const asks = (id: number) => ({ properties: { type: 'AND', values: [{ key: 'id', type: 'cohort', value: id }] } });
  const make = async (filters: object, name = 'A'): Promise<number> =>
    (await client.post(path(), { body: { name, filters } })).body.id;
  const addFlag = async (key: string, cohort: number, active = true): Promise<void> => {
    const filters = {
      groups: [{ properties: [{ key: 'id', type: 'cohort', value: cohort }], rollout_percentage: 100 }],
    };
    const { status } = await client.post('/api/projects/1/feature_flags/', { body: { key, filters, active } });
    expect(status).toBe(201);
  };
  const refusal = async (id: number, filters: object) => {
    const { status, body } = await client.patch(path(`${id}/`), { body: { filters } });
    return [status, body.code, body.attr, body.detail];
  };
  const refused = [
    400,
    'behavioral_cohort_found',
    'filters',
    'Behavioral filters cannot be added to cohorts used in feature flags.',
  ];

  it('behaviour is rejected if an active flag uses the cohort, directly or through another', async () => {
    const inner = await make(plan);
    const outer = await make(asks(inner));
    await addFlag('uses-outer', outer);
    expect(await refusal(outer, recently)).toEqual(refused);
    expect(await refusal(inner, recently)).toEqual(refused);
    const behavioural = await make(recently, 'Visitors');
    expect(await refusal(outer, asks(behavioural))).toEqual([
      400,
      'behavioral_cohort_found',
      'filters',
      "Cohort 'Visitors' has behavioral filters and cannot be part of cohorts used in feature flags.",
    ]);
    expect((await get(outer)).filters).toEqual(asks(inner));
  });

  it('a change takes effect with the next evaluation', async () => {
    const id = await make(plan);
    await addFlag('follows', id);
    await capture(server, server.projectKey, [
      { distinct_id: 'pro', properties: { $set: { plan: 'pro' } } },
      { distinct_id: 'free', properties: { $set: { plan: 'free' } } },
    ]);
    const decide = async (distinct_id: string): Promise<unknown> => {
      const body = JSON.stringify({ api_key: server.projectKey, distinct_id });
      const response = await fetch(`${server.url}/decide/?v=3`, { method: 'POST', body });
      return ((await response.json()) as { featureFlags: Record<string, unknown> }).featureFlags['follows'];
    };
    expect([await decide('pro'), await decide('free')]).toEqual([true, false]);
    const values = [{ key: 'plan', type: 'person', value: 'free' }];
    await client.patch(path(`${id}/`), { body: { filters: { properties: { type: 'AND', values } } } });
    expect([await decide('pro'), await decide('free')]).toEqual([false, true]);
    await client.patch(path(`${id}/`), { body: { is_static: true } });
    await client.post(path(`${id}/add_persons_to_static_cohort/`), { body: { person_ids: ['pro'] } });
    expect(await decide('pro')).toBe(true);
  });

  it('behaviour is accepted if no active flag uses the cohort', async () => {
    const id = await make(plan);
    await addFlag('off', id, false);
    expect((await refusal(id, recently))[0]).toBe(200);
  });
});
