import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Config } from '../../src/config.ts';
import { call } from '../support/client.ts';
import { type ClusterStores, makeStoresWithoutClickHouse } from '../support/cluster-stores.ts';
import { type OwnPostgres, startOwnPostgres } from '../support/own-postgres.ts';
import { describeWithPostgres } from '../support/postgres.ts';
import { pendingAt, startServer, type TestServer } from '../support/server.ts';

describeWithPostgres(() => {
  const KEY = 'phc_test_project_key';
  const FLAGS = [
    { key: 'everybody', filters: { groups: [{ properties: [], rollout_percentage: 100 }] } },
    {
      key: 'pro-only',
      filters: {
        groups: [
          { properties: [{ key: 'plan', value: 'pro', type: 'person', operator: 'exact' }], rollout_percentage: 100 },
        ],
      },
    },
  ];

  const decide = async (node: TestServer, distinctId: string) =>
    call(node.url, 'POST', '/decide/?v=3', { key: null, body: { token: KEY, distinct_id: distinctId } });
  const send = (node: TestServer, ...batch: object[]) =>
    call(node.url, 'POST', '/batch/', { key: null, body: { api_key: KEY, batch } });
  const statusOf = async (node: TestServer) => (await call(node.url, 'GET', '/_status')).body;
  const setPlan = (node: TestServer, id: string, plan: string) =>
    send(node, { event: '$set', distinct_id: id, properties: { $set: { plan } } });

  const waiting = ({ url }: TestServer): Promise<number> => pendingAt(url);

  describe('nodes without ClickHouse', () => {
    let setup: ClusterStores;
    let one: TestServer;
    let two: TestServer;
    let worker: TestServer;
    const start = (role: Config['role']): Promise<TestServer> =>
      startServer({ stores: 'large', setup, config: { role } });

    beforeAll(async () => {
      setup = await makeStoresWithoutClickHouse();
      [one, two, worker] = [await start('web'), await start('web'), await start('worker')];
    });
    afterAll(async () => {
      await Promise.all([one, two, worker].map((node) => node?.close()));
      await setup?.remove();
    });

    it('are ready, and show what is away and who is there', async () => {
      for (const node of [one, worker]) expect((await call(node.url, 'GET', '/_readyz')).status).toBe(200);
      await expect.poll(async () => (await statusOf(two)).cluster.keeper).not.toBeNull();
      const { stores, cluster } = await statusOf(two);
      expect(stores).toEqual({ metadata: 'ok', events: 'The event store cannot be reached; try again in a moment.' });
      expect(cluster.nodes.map(({ role }: { role: string }) => role)).toEqual(['web', 'web', 'worker']);
      const { node } = (await statusOf(worker)).cluster;
      expect(cluster.partitions).toHaveLength(16);
      expect(new Set(cluster.partitions.map((one: { worker: string }) => one.worker))).toEqual(new Set([node]));
      const metrics = (await call(worker.url, 'GET', '/metrics')).body;
      expect(metrics).toContain('cairn_nodes{role="web"} 2');
      expect(metrics).toContain('cairn_log_partitions_unleased 0');
    });

    it('tell on a worker where requests belong', async () => {
      const answer = await send(worker, { event: 'x', distinct_id: 'ada' });
      expect(answer.status).toBe(404);
      expect(answer.body.detail).toContain('ROLE=worker');
    });

    it('decide by a flag that was made on another node', async () => {
      expect((await decide(two, 'ada')).body.featureFlags).toEqual({});
      for (const flag of FLAGS) {
        const made = await call(one.url, 'POST', `/api/projects/${one.projectId}/feature_flags/`, { body: flag });
        expect(made.status).toBe(201);
      }
      await expect
        .poll(async () => (await decide(two, 'ada')).body.featureFlags, { interval: 5, timeout: 1000 })
        .toEqual({ everybody: true, 'pro-only': false });
    });

    it('let a decision see what another node has acknowledged', async () => {
      for (const [n, id] of ['bo', 'cy', 'di', 'ed', 'flo', 'gil'].entries()) {
        const [first, second] = n % 2 === 0 ? [one, two] : [two, one];
        expect((await setPlan(first, id, 'pro')).status).toBe(200);
        // On the way to other nodes the news is as fast as PostgreSQL: a busy machine may be outrun (decision 27).
        await expect
          .poll(async () => (await decide(second, id)).body.featureFlags['pro-only'], { interval: 5, timeout: 2000 })
          .toBe(true);
        expect((await setPlan(second, id, 'free')).status).toBe(200);
        expect((await decide(second, id)).body.featureFlags['pro-only']).toBe(false);
      }
    });

    it('answer questions about events with 503, and count events that cannot be shipped as pending', async () => {
      const asked = await call(one.url, 'GET', `/api/projects/${one.projectId}/insights/trend/?events=[{"id":"$set"}]`);
      expect([asked.status, asked.body.type]).toEqual([503, 'server_error']);
      await expect.poll(() => waiting(one)).toBe(0);
      expect((await statusOf(one)).ingest).toMatchObject({ accepted: 12, stored: 0, pending: 12 });
    });

    it('go on where a worker stopped, with whoever comes next', async () => {
      await worker.close();
      await setPlan(one, 'hal', 'pro');
      expect(await waiting(two)).toBe(1);
      worker = await start('worker');
      await expect.poll(() => waiting(two), { timeout: 10_000 }).toBe(0);
      expect((await decide(two, 'hal')).body.featureFlags['pro-only']).toBe(true);
    });
  });

  describe('a node whose ClickHouse takes connections and says nothing', () => {
    it('processes events, and stops in time', async () => {
      const mute = createServer(() => undefined);
      await once(mute.listen(0, '127.0.0.1'), 'listening');
      const { config, remove } = await makeStoresWithoutClickHouse();
      const clickhouseUrl = `http://127.0.0.1:${(mute.address() as AddressInfo).port}`;
      const setup = { config: { ...config, clickhouseUrl }, remove };
      const node = await startServer({ stores: 'large', setup, config: { role: 'all' } });
      await setPlan(node, 'ada', 'pro');
      await expect.poll(() => waiting(node), { timeout: 10_000 }).toBe(0);
      await expect.poll(async () => (await statusOf(node)).cluster.blocks_waiting, { timeout: 10_000 }).toBe(1);
      const began = performance.now();
      await node.close();
      // After ten seconds a stop is cut short (`main.ts`).
      expect(performance.now() - began).toBeLessThan(10_000);
      mute.close();
      await remove();
    });
  });

  describe('a node without PostgreSQL', () => {
    let postgres: OwnPostgres;
    let node: TestServer;

    beforeAll(async () => {
      postgres = await startOwnPostgres({ fsync: false });
      const setup = {
        config: {
          databaseUrl: await postgres.freshDatabase(),
          clickhouseUrl: 'http://127.0.0.1:9',
          clickhouseOptions: {},
        },
        remove: async () => undefined,
      };
      node = await startServer({ stores: 'large', setup, config: { role: 'all' } });
      for (const flag of FLAGS) {
        await call(node.url, 'POST', `/api/projects/${node.projectId}/feature_flags/`, { body: flag });
      }
      await setPlan(node, 'ada', 'pro');
      expect((await decide(node, 'ada')).body).toMatchObject({
        featureFlags: { everybody: true, 'pro-only': true },
        errorsWhileComputingFlags: false,
      });
      await postgres.halt();
    });
    afterAll(async () => {
      await node?.close();
      await postgres?.stop();
    });

    it('asks senders to come back, and says where a project could not be looked up', async () => {
      const sent = await send(node, { event: 'x', distinct_id: 'ada' });
      expect([sent.status, sent.body.type, sent.headers.get('retry-after')]).toEqual([503, 'server_error', '2']);
      const unknown = await call(node.url, 'POST', '/capture/', {
        key: null,
        body: { api_key: 'phc_nobody_knows_this_key', event: 'x', distinct_id: 'ada' },
      });
      expect([unknown.status, unknown.body.code]).toEqual([503, 'fetch_team_fail']);
    });

    it('decides from memory, and says that flags which need the person have no value', async () => {
      for (let n = 0; n < 3; n++) {
        const { status, body } = await decide(node, 'ada');
        expect(status).toBe(200);
        expect(body.featureFlags).toMatchObject({ everybody: true });
        expect(body.featureFlags['pro-only']).not.toBe(true);
        expect(body.errorsWhileComputingFlags).toBe(true);
      }
    });

    it('stays alive and ready, and tells what is away', async () => {
      expect((await call(node.url, 'GET', '/_livez')).status).toBe(200);
      expect((await call(node.url, 'GET', '/_readyz')).status).toBe(200);
      expect((await statusOf(node)).stores.metadata).not.toBe('ok');
      expect((await call(node.url, 'GET', `/api/projects/${node.projectId}/feature_flags/`)).status).toBe(503);
    });

    it('recovers by itself', async () => {
      await postgres.resume();
      await expect
        .poll(async () => (await setPlan(node, 'bo', 'pro')).status, { timeout: 15_000, interval: 200 })
        .toBe(200);
      await expect
        .poll(async () => (await decide(node, 'bo')).body.featureFlags, { timeout: 15_000, interval: 200 })
        .toEqual({ everybody: true, 'pro-only': true });
      expect((await decide(node, 'ada')).body.errorsWhileComputingFlags).toBe(false);
    });
  });
});
