import { PostHog } from 'posthog-node';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { clientFor } from '../support/client.ts';
import { startServer, type TestServer } from '../support/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.close());

it('gives posthog-node the payload of a flag by its key', async () => {
  const filters = { groups: [{}], payloads: { true: '{"colour":"red"}' } };
  const body = { key: 'config', is_remote_configuration: true, filters };
  expect((await clientFor(server).post('/api/projects/1/feature_flags/', { body })).status).toBe(201);
  const sdk = new PostHog(server.projectKey, {
    host: server.url,
    personalApiKey: server.personalKey,
    featureFlagsPollingInterval: 3_600_000,
  });
  expect(await sdk.getRemoteConfigPayload('config')).toEqual({ colour: 'red' });
  await sdk.shutdown();
});
