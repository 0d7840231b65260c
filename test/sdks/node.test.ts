/** posthog-node of every age, as it is published, against the started server. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startServer, type TestServer } from '../support/server.ts';
import { type NodeSdk, openNodeSdk, shutDown } from './support/node-sdk.ts';
import { installed, NODE_SDKS } from './support/versions.ts';
import { DEFAULT_FLAGS, makeWorld, onlyEvent, PAYLOADS, type World } from './support/world.ts';

let server: TestServer;
beforeAll(async () => {
  // SDKs stamp events by the true clock; a server in the past would take them for events of the future.
  server = await startServer({ now: new Date().toISOString() });
});
afterAll(() => server.close());

let world: World;
beforeEach(async () => {
  world = await makeWorld(server);
});
afterEach(async () => {
  expect(world.relay.failures()).toEqual([]);
  await world.close();
});

/** The first age has one question about flags, and asks with a personal key only. */
const FIRST = 'posthog-node-1';
const LATER = NODE_SDKS.filter((alias) => alias !== FIRST);
const title = (alias: string): string => `${installed(alias).name} ${installed(alias).version}`;

/** Everything that an app says about a user who logs in and buys something. */
function tellStory(sdk: NodeSdk): void {
  sdk.capture({ distinctId: 'anon-1', event: 'visited', properties: { page: '/', count: 3 } });
  sdk.identify({ distinctId: 'ada', properties: { email: 'ada@example.org', plan: 'team' } });
  sdk.alias({ distinctId: 'ada', alias: 'anon-1' });
  sdk.groupIdentify({ groupType: 'company', groupKey: 'a1', properties: { name: 'Acme', seats: 12 } });
  sdk.capture({ distinctId: 'ada', event: 'bought', properties: { amount: 12.5 }, groups: { company: 'a1' } });
}

async function expectStory(): Promise<void> {
  const events = await world.waitForEvents('visited', '$identify', '$create_alias', '$groupidentify', 'bought');
  expect(events).toHaveLength(5);
  expect(onlyEvent(events, 'visited').properties).toMatchObject({ page: '/', count: 3, $lib: 'posthog-node' });
  expect(onlyEvent(events, 'bought')).toMatchObject({
    distinct_id: 'ada',
    properties: { amount: 12.5, $groups: { company: 'a1' }, $group_0: 'a1' },
  });
  const ada = await world.person('ada');
  expect(ada).toMatchObject({ is_identified: true, properties: { email: 'ada@example.org', plan: 'team' } });
  expect(ada?.distinct_ids.toSorted()).toEqual(['ada', 'anon-1']);
  expect(await world.group('a1')).toEqual({ name: 'Acme', seats: 12 });
}

describe.each(NODE_SDKS)('%s', (alias) => {
  it(`(${title(alias)}) captures, identifies, aliases and describes groups, and sends all of it when it is shut down`, async () => {
    const sdk = openNodeSdk(alias, world);
    tellStory(sdk);
    await shutDown(sdk, world);
    await expectStory();
  });
});

describe.each(LATER)('%s', (alias) => {
  it('asks the server for flags and payloads', async () => {
    const sdk = openNodeSdk(alias, world);
    expect(await sdk.getAllFlags('bob')).toEqual(DEFAULT_FLAGS);
    expect(await sdk.getFeatureFlag('colour', 'bob')).toBe('blue');
    expect(await sdk.isFeatureEnabled('off', 'bob')).toBe(false);
    expect(await sdk.getFeatureFlagPayload('on', 'bob')).toEqual(PAYLOADS.on);
    expect(await sdk.getFeatureFlag('team', 'bob', { personProperties: { plan: 'team' } })).toBe(true);
    const member = { groups: { company: 'x9' }, groupProperties: { company: { name: 'Acme' } } };
    expect(await sdk.getFeatureFlag('acme', 'bob', member)).toBe(true);
    const both = await sdk.getAllFlagsAndPayloads('bob');
    expect(both.featureFlags).toEqual(DEFAULT_FLAGS);
    expect(parsed(both.featureFlagPayloads)).toEqual(PAYLOADS);
    await shutDown(sdk, world);
    const called = (await world.waitForEvents('$feature_flag_called')).filter(
      ({ event }) => event === '$feature_flag_called',
    );
    expect(called.map(({ properties }) => properties['$feature_flag'])).toContain('colour');
  });

  it('evaluates flags by itself, and finds what the server finds', async () => {
    const remote = openNodeSdk(alias, world);
    const sdk = openNodeSdk(alias, world, { personalApiKey: world.personalKey });
    const member = {
      personProperties: { plan: 'team' },
      groups: { company: 'x9' },
      groupProperties: { company: { name: 'Acme' } },
    };
    const expected = { ...DEFAULT_FLAGS, team: true, acme: true };
    expect(await remote.getAllFlags('bob', member)).toEqual(expected);
    await sdk.reloadFeatureFlags();
    const asked = world.relay.requestLines().length;
    expect(await sdk.getAllFlags('bob', { ...member, onlyEvaluateLocally: true })).toEqual(expected);
    const both = await sdk.getAllFlagsAndPayloads('bob', { ...member, onlyEvaluateLocally: true });
    expect(both.featureFlags).toEqual(expected);
    expect(parsed(both.featureFlagPayloads)).toEqual(PAYLOADS);
    // Nobody was asked about it.
    expect(world.relay.requestLines()).toHaveLength(asked);
    await sdk.shutdown();
    await remote.shutdown();
  });

  it('sends nothing after an opt-out', async () => {
    const sdk = openNodeSdk(alias, world);
    await (sdk.disable?.() ?? sdk.optOut?.());
    tellStory(sdk);
    await (sdk.shutdownAsync?.() ?? sdk.shutdown());
    expect(world.relay.requestLines()).toEqual([]);
  });
});

describe(FIRST, () => {
  it('asks for flags with a personal key, simple ones by itself and the others at /decide/', async () => {
    const sdk = openNodeSdk(FIRST, world, { personalApiKey: world.personalKey });
    expect(await sdk.isFeatureEnabled('on', 'bob', false)).toBe(true);
    // It reads the share of simple flags from a name that never was on the wire, and takes them all for on.
    expect(await sdk.isFeatureEnabled('off', 'bob', false)).toBe(true);
    expect(await sdk.isFeatureEnabled('colour', 'bob', false)).toBe(true);
    expect(await sdk.isFeatureEnabled('team', 'bob', false)).toBe(false);
    await shutDown(sdk, world);
    expect(world.relay.requestLines()).toEqual(expect.arrayContaining(['GET /api/feature_flag/', 'POST /decide/']));
    await world.waitForEvents('$feature_flag_called');
  });
});

describe('posthog-node in its v1 capture mode', () => {
  beforeEach(() => {
    process.env['POSTHOG_CAPTURE_MODE'] = 'v1';
  });
  afterEach(() => {
    delete process.env['POSTHOG_CAPTURE_MODE'];
  });

  it('sends the same story to the newer path, and every event is taken', async () => {
    const sdk = openNodeSdk('posthog-node', world);
    const complaints: unknown[] = [];
    sdk.on?.('error', (error) => complaints.push(error));
    tellStory(sdk);
    await shutDown(sdk, world);
    await expectStory();
    expect(complaints).toEqual([]);
    expect(new Set(world.relay.requestLines())).toEqual(new Set(['POST /i/v1/analytics/events']));
    const { results } = JSON.parse(world.relay.exchanges[0]?.answer ?? '{}');
    expect(Object.values(results)).toEqual(Array(5).fill({ result: 'ok' }));
  });
});

/** Until 3.x the payloads of all flags are handed over as they came: as JSON text. */
const parsed = (payloads: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(payloads).map(([key, value]) => [key, typeof value === 'string' ? JSON.parse(value) : value]),
  );
