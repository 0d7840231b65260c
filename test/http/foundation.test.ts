import { afterAll, beforeAll, expect, it } from 'vitest';
import { clientFor } from '../support/client.ts';
import { startServer, type TestServer } from '../support/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.close());

it('shows the caller who they are', async () => {
  const { status, body } = await clientFor(server).get('/api/users/@me/');
  expect(status).toBe(200);
  expect(body.email).toBe('owner@cairn.invalid');
  expect(body.team.api_token).toBe('phc_test_project_key');
});
