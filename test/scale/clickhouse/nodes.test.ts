import { afterAll, beforeAll, expect, it } from 'vitest';
import { openLog } from '../../../src/lib/log.ts';
import { capture } from '../../support/capture.ts';
import { call } from '../../support/client.ts';
import { type ClusterStores, makeClusterStores } from '../../support/cluster-stores.ts';
import { describeWithClickHouse } from '../../support/describe-clickhouse.ts';
import { startServer, type TestServer } from '../../support/server.ts';

/** One installation for all of it: two web nodes, and a worker that comes and goes. */
await describeWithClickHouse('many machines', () => {
  let setup: ClusterStores;
  let one: TestServer;
  let two: TestServer;
  let worker: TestServer;

  const start = (role: 'web' | 'worker'): Promise<TestServer> =>
    startServer({ stores: 'large', setup, config: { role }, log: openLog('silent') });

  beforeAll(async () => {
    setup = await makeClusterStores();
    one = await start('web');
    // The first brings ClickHouse to its shape.
    await one.query('select 1 as n');
    two = await start('web');
    worker = await start('worker');
  }, 600_000);

  afterAll(async () => {
    await Promise.all([one, two, worker].map((node) => node?.close()));
    await setup?.remove();
  }, 600_000);

  const decide = async (node: TestServer, distinctId: string) => {
    const body = { token: one.projectKey, distinct_id: distinctId };
    return (await call(node.url, 'POST', '/decide/?v=3', { key: null, body })).body;
  };
  const send = (node: TestServer, ...batch: object[]) =>
    call(node.url, 'POST', '/batch/', { key: null, body: { api_key: one.projectKey, batch } });
  const api = (node: TestServer, method: string, path: string, body?: unknown) =>
    call(node.url, method, `/api/projects/${one.projectId}${path}`, body === undefined ? {} : { body });

  const PRO = {
    key: 'pro-only',
    name: '',
    active: true,
    filters: {
      groups: [
        { properties: [{ key: 'plan', value: 'pro', type: 'person', operator: 'exact' }], rollout_percentage: 100 },
      ],
    },
  };

  it('shows every node of the whole at each of them', async () => {
    const status = (await call(two.url, 'GET', '/_status')).body;
    expect(status.stores.metadata).toBe('ok');
    expect(status.cluster.nodes.map(({ role }: { role: string }) => role).sort()).toEqual(['web', 'web', 'worker']);
    const workerId = (await call(worker.url, 'GET', '/_status')).body.cluster.node;
    await expect
      .poll(async () => (await call(one.url, 'GET', '/_status')).body.cluster.keeper, { timeout: 10_000 })
      .toBe(workerId);
    expect((await call(worker.url, 'POST', '/batch/', { body: {} })).status).toBe(404);
    expect((await call(worker.url, 'GET', '/_readyz')).status).toBe(200);
    expect((await call(worker.url, 'GET', '/metrics')).body).toContain('cairn_ingest_accepted_total');
  });

  it('decides by a flag that was made on another node, from the next request on', async () => {
    expect((await decide(two, 'ada')).featureFlags).toEqual({});
    const made = await api(one, 'POST', '/feature_flags/', PRO);
    expect(made.status).toBe(201);
    await expect
      .poll(async () => (await decide(two, 'ada')).featureFlags, { timeout: 1000, interval: 10 })
      .toEqual({ 'pro-only': false });
    await api(two, 'PATCH', `/feature_flags/${made.body.id}/`, { name: 'renamed' });
    expect((await api(one, 'GET', `/feature_flags/${made.body.id}/`)).body.name).toBe('renamed');
  });

  it('lets a decision on one node see what another has acknowledged', async () => {
    for (const [n, id] of ['bo', 'cy', 'di', 'ed'].entries()) {
      const sent = await send(n % 2 === 0 ? one : two, {
        event: '$set',
        distinct_id: id,
        properties: { $set: { plan: 'pro' } },
      });
      expect(sent.status).toBe(200);
      // On the way to other nodes the news is as fast as PostgreSQL: a busy machine may be outrun (decision 27).
      const other = n % 2 === 0 ? two : one;
      await expect
        .poll(async () => (await decide(other, id)).featureFlags, { interval: 5, timeout: 2000 })
        .toEqual({ 'pro-only': true });
    }
  });

  it('answers insights about what came through any node, and anew when more has come', async () => {
    await capture(one, one.projectKey, [
      { event: 'bought', distinct_id: 'ada' },
      { event: 'bought', distinct_id: 'bo' },
    ]);
    const ask = async (node: TestServer) =>
      (await api(node, 'GET', '/insights/trend/?events=[{"id":"bought"}]&date_from=-1d&interval=day')).body.result?.[0]
        ?.count;
    expect([await ask(one), await ask(two)]).toEqual([2, 2]);
    await capture(two, one.projectKey, [{ event: 'bought', distinct_id: 'cy' }]);
    await expect.poll(() => ask(one), { timeout: 20_000 }).toBe(3);
    expect(await one.counters()).toMatchObject({ accepted: 7, stored: 7, pending: 0 });
  }, 300_000);

  it('makes a column at the worker for a property that is asked for at web nodes', async () => {
    const columns = async (node: TestServer) => (await call(node.url, 'GET', '/_status')).body.promoted_columns;
    expect(await columns(worker)).toEqual({ ready: 0, filling: [] });
    const path = '/insights/trend/?events=[{"id":"bought"}]&breakdown=colour&date_from=-1d&refresh=true';
    for (const node of [one, two]) expect((await api(node, 'GET', path)).body.result?.[0]?.count).toBe(3);
    await expect.poll(() => columns(worker), { timeout: 300_000, interval: 500 }).toEqual({ ready: 1, filling: [] });
    expect((await api(two, 'GET', path)).body.result?.[0]?.count).toBe(3);
  }, 600_000);

  it('goes on where a worker stopped, with whoever comes next', async () => {
    await worker.close();
    await send(one, { event: 'late', distinct_id: 'ada' }, { event: 'late', distinct_id: 'bo' });
    expect(await two.counters()).toMatchObject({ accepted: 9, pending: 2 });
    worker = await start('worker');
    await two.drain();
    expect(await one.query(`select count(*) as n from event_rows where event = 'late'`)).toEqual([{ n: 2 }]);
    expect(await two.counters()).toMatchObject({ accepted: 9, stored: 9, pending: 0 });
  }, 300_000);
});
