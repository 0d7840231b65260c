/** The Node SDK as users install it, asking the started server for each flag. */
import { PostHog } from 'posthog-node';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { everybody, those, variants } from '../../contract/flag-builders.ts';
import { startServer, type TestServer } from '../../support/server.ts';

let server: TestServer;
let client: PostHog;
const asked: string[] = [];

beforeAll(async () => {
  server = await startServer({ now: new Date().toISOString() });
  await server.addFlag({ key: 'on', filters: { ...everybody(), payloads: { true: '{"limit": 5}' } } });
  await server.addFlag({ key: 'off', filters: everybody(0) });
  await server.addFlag({ key: 'colour', filters: { ...everybody(), multivariate: variants(['blue', 100]) } });
  await server.addFlag({ key: 'team', filters: those('plan', 'team') });
  await server.addFlag({
    key: 'acme',
    filters: {
      aggregation_group_type_index: 0,
      groups: [{ properties: [{ key: 'name', value: 'Acme', type: 'group', group_type_index: 0 }] }],
    },
  });
  await server.addFlag({ key: 'browser', evaluationRuntime: 'client' });
  await server.addFlag({ key: 'server', evaluationRuntime: 'server' });
  client = new PostHog(server.projectKey, {
    host: server.url,
    flushAt: 1,
    flushInterval: 10,
    fetch: async (url, options) => {
      asked.push(new URL(url).pathname);
      return (await fetch(url, options as RequestInit)) as never;
    },
  });
});
afterAll(async () => {
  await client.shutdown();
  await server.close();
});

it('gets values and payloads', async () => {
  expect(await client.getAllFlags('ada')).toEqual({
    on: true,
    off: false,
    colour: 'blue',
    team: false,
    acme: false,
    server: true,
  });
  expect(await client.getFeatureFlag('colour', 'ada')).toBe('blue');
  expect(await client.isFeatureEnabled('off', 'ada')).toBe(false);
  expect(await client.getFeatureFlagPayload('on', 'ada')).toEqual({ limit: 5 });
  expect(await client.getFeatureFlag('unheard of', 'ada')).toBeUndefined();
  expect(asked).toContain('/flags/');
});

it('sends properties of the person and their groups', async () => {
  expect(await client.getFeatureFlag('team', 'bob', { personProperties: { plan: 'team' } })).toBe(true);
  client.groupIdentify({ groupType: 'company', groupKey: 'a1', properties: { name: 'Acme' } });
  await client.flush();
  expect(await client.getFeatureFlag('acme', 'bob', { groups: { company: 'a1' } })).toBe(true);
  expect(await client.getFeatureFlag('acme', 'bob', { groups: { company: 'b2' } })).toBe(false);
  const sent = { groups: { company: 'b2' }, groupProperties: { company: { name: 'Acme' } } };
  expect(await client.getFeatureFlag('acme', 'bob', sent)).toBe(true);
});

it('sees what it has just sent about a person', async () => {
  for (const plan of ['team', 'free', 'team']) {
    await client.identifyImmediate({ distinctId: 'grace', properties: { plan } });
    expect([plan, await client.getFeatureFlag('team', 'grace')]).toEqual([plan, plan === 'team']);
  }
});
