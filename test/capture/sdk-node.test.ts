/** The Node SDK as users install it, against the started server. */
import { PostHog } from 'posthog-node';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let client: PostHog;
const answers: { path: string; status: number }[] = [];

beforeAll(async () => {
  // The SDK stamps events by the true clock; a server in the past would take them for events of the future.
  server = await startServer({ now: new Date().toISOString() });
  client = new PostHog(server.projectKey, {
    host: server.url,
    flushAt: 20,
    flushInterval: 50,
    fetch: async (url, options) => {
      const response = await fetch(url, options as RequestInit);
      answers.push({ path: new URL(url).pathname, status: response.status });
      return response as never;
    },
  });
});
afterAll(async () => {
  await client.shutdown();
  await server.close();
});

const events = async () => {
  const rows = await server.query('select event, distinct_id, properties, group_0 from event_rows order by rowid');
  return rows.map(({ event, distinct_id, group_0, properties }) => ({
    event: String(event),
    distinct_id,
    group_0,
    properties: JSON.parse(String(properties)),
  }));
};

const person = async (distinctId: string) => {
  const [found] = await server.rows(
    'select p.* from persons p join person_distinct_ids d on d.person_id = p.id where d.distinct_id = ?',
    distinctId,
  );
  return found && { ...found, properties: JSON.parse(found.properties) };
};

it('captures, identifies, aliases and describes groups', async () => {
  client.capture({ distinctId: 'anon-1', event: 'visited', properties: { page: '/' } });
  client.identify({ distinctId: 'ada', properties: { email: 'ada@example.org', $set_once: { first_seen: 'today' } } });
  client.alias({ distinctId: 'ada', alias: 'anon-1' });
  client.groupIdentify({ groupType: 'company', groupKey: 'acme', properties: { seats: 12 } });
  client.capture({ distinctId: 'ada', event: 'bought', groups: { company: 'acme' }, sendFeatureFlags: false });
  await client.captureImmediate({ distinctId: 'ada', event: 'paid', properties: { amount: 12.5 } });
  await client.flush();
  await server.drain();

  const stored = await events();
  expect(stored.map(({ event }) => event).sort()).toEqual(
    ['$create_alias', '$groupidentify', '$identify', 'bought', 'paid', 'visited'].sort(),
  );
  const bought = stored.find(({ event }) => event === 'bought');
  expect(bought).toMatchObject({ distinct_id: 'ada', group_0: 'acme' });
  expect(bought?.properties).toMatchObject({ $lib: 'posthog-node', $group_0: 'acme' });
  expect(await person('ada')).toMatchObject({
    properties: { email: 'ada@example.org', first_seen: 'today' },
    is_identified: 1,
  });
  expect((await person('anon-1')).uuid).toBe((await person('ada')).uuid);
  const people = await server.query(`select distinct person_id from events where distinct_id in ('ada', 'anon-1')`);
  expect(people).toEqual([{ person_id: (await person('ada')).uuid }]);
  const [group] = await server.rows(`select * from groups where group_key = 'acme'`);
  expect(JSON.parse(group.properties)).toEqual({ seats: 12 });
});

it('keeps what is queued when it shuts down', async () => {
  const another = new PostHog(server.projectKey, { host: server.url, flushAt: 1000, flushInterval: 60_000 });
  for (let n = 0; n < 250; n++) another.capture({ distinctId: 'busy', event: 'queued', properties: { n } });
  await another.shutdown();
  await server.drain();
  const numbers = (await events()).filter(({ event }) => event === 'queued').map(({ properties }) => properties.n);
  expect(numbers).toEqual(Array.from({ length: 250 }, (_, n) => n));
});

it('was never refused', () => {
  expect(answers.length).toBeGreaterThan(1);
  expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
});
