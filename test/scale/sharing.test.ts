/** A link that was turned off on one node opens nothing in the very next request to another. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { call, clientFor } from '../support/client.ts';
import { type ClusterStores, makeStoresWithoutClickHouse } from '../support/cluster-stores.ts';
import { describeWithPostgres } from '../support/postgres.ts';
import { startServer, type TestServer } from '../support/server.ts';

describeWithPostgres(() => {
  let setup: ClusterStores;
  let one: TestServer;
  let two: TestServer;
  beforeAll(async () => {
    setup = await makeStoresWithoutClickHouse();
    const start = (): Promise<TestServer> => startServer({ stores: 'large', setup, config: { role: 'web' } });
    [one, two] = [await start(), await start()];
  });
  afterAll(async () => {
    await one?.close();
    await two?.close();
    await setup?.remove();
  });

  it('closes on every node at once', async () => {
    const { patch, post } = clientFor(one);
    const path = '/api/projects/1/web_analytics/sharing/';
    const opened = async (token: string) =>
      (await call(two.url, 'GET', `/embedded/${token}`, { key: null })).headers.get('content-security-policy');
    const isOpen = async (token: string): Promise<boolean> =>
      (await opened(token))?.includes('frame-ancestors *') ?? false;
    let { access_token: token } = (await patch(path, { body: { enabled: true } })).body;
    for (let round = 0; round < 5; round++) {
      expect(await isOpen(token)).toBe(true);
      await patch(path, { body: { enabled: false } });
      expect(await isOpen(token)).toBe(false);
      await patch(path, { body: { enabled: true } });
      expect(await isOpen(token)).toBe(true);
      const next = (await post(`${path}refresh/`)).body.access_token;
      expect([await isOpen(token), await isOpen(next)]).toEqual([false, true]);
      token = next;
    }
    await patch('/api/organizations/@current/', { body: { allow_publicly_shared_resources: false } });
    expect(await isOpen(token)).toBe(false);
  });
});
