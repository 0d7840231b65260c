/** Demo data, of a started server: it is loaded once, shows something everywhere, and says how far it is. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, clientFor } from '../support/client.ts';
import { startServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let client: ReturnType<typeof clientFor>;
const P = '/api/projects/1';

beforeAll(async () => {
  server = await startServer();
  client = clientFor(server);
});
afterAll(() => server.close());

const read = async (path: string): Promise<Answer['body']> => {
  const { status, body } = await client.get(`${P}${path}`);
  expect([path, status]).toEqual([path, 200]);
  return body;
};

async function load(): Promise<Answer['body']> {
  const started = await client.post(`${P}/demo_data/`, { body: {} });
  expect([started.status, started.body.state]).toEqual([200, 'running']);
  return finished();
}

async function finished(): Promise<Answer['body']> {
  for (;;) {
    const progress = await read('/demo_data/');
    if (!['running', 'removing'].includes(progress.state)) return progress;
    await sleep(20);
  }
}

describe('demo data', () => {
  it('is loaded once, and shows something everywhere', async () => {
    expect(await read('/demo_data/')).toEqual({ state: 'none', sent: 0, total: 0, problem: null });
    const done = await load();
    expect(done).toEqual({ state: 'done', sent: done.total, total: expect.any(Number), problem: null });
    expect(done.total).toBeGreaterThan(10_000);
    await server.drain();
    await server.settleCohorts();

    const stored = async (): Promise<number> =>
      Number((await server.query('select count(*) as n from events'))[0]?.['n']);
    expect(await stored()).toBe(done.total);
    const flags = (await read('/feature_flags/')).results;
    expect(flags.map(({ key }: { key: string }) => key).sort()).toEqual(['demo-new-planner', 'demo-offline-maps']);
    const [cohort] = (await read('/cohorts/')).results;
    expect(cohort).toMatchObject({ name: 'Demo: hikers who pay', is_calculating: false });
    expect(cohort.count).toBeGreaterThan(10);
    const [listed] = (await read('/dashboards/')).results;
    const { tiles } = await read(`/dashboards/${listed.id}/?refresh=true`);
    const results = tiles.map(({ insight }: { insight: { result: unknown[] } }) => insight.result.length);
    expect(results).toEqual([1, 3, 8, 3]);

    await load();
    await server.drain();
    expect(await stored()).toBe(done.total);
    expect((await read('/feature_flags/')).count).toBe(2);
    expect((await read('/dashboards/')).count).toBe(1);

    const own = { event: 'own', distinct_id: 'ann', api_key: server.projectKey };
    await fetch(`${server.url}/capture/`, { method: 'POST', body: JSON.stringify(own) });
    await server.drain();
    const started = await client.delete(`${P}/demo_data/`);
    expect([started.status, started.body.state]).toEqual([200, 'removing']);
    expect(await finished()).toMatchObject({ state: 'removed', sent: 2000, total: 2000, problem: null });
    await expect.poll(stored).toBe(1);
    expect((await read('/persons/')).results.map(({ name }: { name: string }) => name)).toEqual(['ann']);
    for (const list of ['feature_flags', 'cohorts', 'dashboards', 'insights', 'experiments']) {
      expect([list, (await read(`/${list}/`)).results]).toEqual([list, []]);
    }
    expect((await read('/groups/?group_type_index=0')).results).toEqual([]);
  });
});
