/** Segment's own library for Node, pointed at this server. */
import { Analytics } from '@segment/analytics-node';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { startServer, type TestServer } from '../support/server.ts';
import { installed } from './support/versions.ts';
import { makeWorld, onlyEvent, type World } from './support/world.ts';

let server: TestServer;
let world: World;
beforeAll(async () => {
  server = await startServer({ now: new Date().toISOString() });
});
afterAll(() => server.close());
beforeEach(async () => {
  world = await makeWorld(server);
});
afterEach(async () => {
  expect(world.relay.failures()).toEqual([]);
  await world.close();
});

const open = (complaints: unknown[] = []): Analytics => {
  const sdk = new Analytics({ writeKey: world.projectKey, host: world.relay.url });
  sdk.on('error', (error) => complaints.push(error));
  return sdk;
};

it(`@segment/analytics-node ${installed('@segment/analytics-node').version} sends everything that its protocol has`, async () => {
  const complaints: unknown[] = [];
  const sdk = open(complaints);
  sdk.track({ anonymousId: 'anon-1', event: 'visited', properties: { n: 1 }, context: { ip: '192.0.2.7' } });
  sdk.identify({ userId: 'ada', anonymousId: 'anon-1', traits: { email: 'ada@example.org', plan: 'team' } });
  sdk.page({ userId: 'ada', name: 'Home', properties: { url: 'https://shop.example/home', path: '/home' } });
  sdk.screen({ userId: 'ada', name: 'Start' });
  sdk.group({ userId: 'ada', groupId: 'a1', traits: { groupType: 'company', name: 'Acme' } });
  sdk.alias({ userId: 'ada', previousId: 'ada-of-old' });
  await sdk.closeAndFlush();
  expect(complaints).toEqual([]);
  expect(new Set(world.relay.requestLines())).toEqual(new Set(['POST /v1/batch']));

  const events = await world.waitForEvents(
    'visited',
    '$identify',
    '$pageview',
    '$screen',
    '$groupidentify',
    '$create_alias',
  );
  expect(events).toHaveLength(6);
  expect(onlyEvent(events, 'visited')).toMatchObject({
    distinct_id: 'anon-1',
    properties: { n: 1, $ip: '192.0.2.7', $lib: '@segment/analytics-node' },
  });
  expect(onlyEvent(events, '$pageview').properties).toMatchObject({
    $current_url: 'https://shop.example/home',
    $pathname: '/home',
    name: 'Home',
  });
  expect(onlyEvent(events, '$screen').properties).toMatchObject({ $screen_name: 'Start' });
  const ada = await world.person('ada');
  expect(ada).toMatchObject({ is_identified: true, properties: { email: 'ada@example.org', plan: 'team' } });
  expect(ada?.distinct_ids.toSorted()).toEqual(['ada', 'ada-of-old', 'anon-1']);
  expect(await world.group('a1')).toEqual({ name: 'Acme' });
});

it('is stored once when the answer gets lost and the upload comes again', async () => {
  const sdk = open();
  world.relay.dropAnswerTo('paid');
  sdk.track({ userId: 'ada', event: 'paid' });
  await sdk.closeAndFlush();
  onlyEvent(await world.waitForEvents('paid'), 'paid');
  expect(world.relay.exchanges.map(({ dropped, status }) => [dropped, status])).toEqual([
    [true, 200],
    [false, 200],
  ]);
});
