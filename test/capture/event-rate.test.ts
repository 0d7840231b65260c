import { afterAll, beforeAll, expect, it } from 'vitest';
import { send, sendJson } from '../support/send.ts';
import { startServer, type TestProject, type TestServer } from '../support/server.ts';

let server: TestServer;
let other: TestProject;
beforeAll(async () => {
  server = await startServer({ now: '2026-01-15T12:00:00Z', config: { eventsPerSecond: 2 } });
  other = await server.createProject();
});
afterAll(() => server.close());

const events = (key: string, count: number) => ({
  api_key: key,
  batch: Array.from({ length: count }, () => ({ event: 'e', distinct_id: 'ada' })),
});

it('EVENTS_PER_SECOND limits one project, on average over a minute, and not the others', async () => {
  expect((await sendJson(server.url, '/batch/', events(server.projectKey, 130))).status).toBe(200);
  const refused = await sendJson(server.url, '/batch/', events(server.projectKey, 1));
  expect(refused).toMatchObject({ status: 429, json: { code: 'rate_limited', attr: null } });
  // Ten events too many, and the next one.
  expect(refused.headers['retry-after']).toBe('6');
  expect((await sendJson(server.url, '/batch/', events(other.projectKey, 1))).status).toBe(200);
  const flags = { token: server.projectKey, distinct_id: 'ada' };
  expect((await send(server.url, '/flags/?v=2', { body: JSON.stringify(flags) })).status).toBe(200);
  server.setNow('2026-01-15T12:00:06Z');
  expect((await sendJson(server.url, '/batch/', events(server.projectKey, 1))).status).toBe(200);
});
