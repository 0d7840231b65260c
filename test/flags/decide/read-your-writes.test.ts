import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { everybody, those } from '../../contract/flag-builders.ts';
import { sendJson } from '../../support/send.ts';
import { startServer, type TestServer } from '../../support/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
  await server.addFlag({ key: 'team', filters: those('plan', 'team') });
  await server.addFlag({
    key: 'large',
    filters: {
      aggregation_group_type_index: 0,
      groups: [{ properties: [{ key: 'size', value: 100, operator: 'gt', type: 'group', group_type_index: 0 }] }],
    },
  });
});
afterAll(() => server.close());

const send = async (event: object): Promise<void> => {
  const { status } = await sendJson(server.url, '/capture/', { api_key: server.projectKey, ...event });
  expect(status).toBe(200);
};
const flagsOf = async (distinctId: string, more: object = {}) =>
  (await sendJson(server.url, '/decide/?v=3', { token: server.projectKey, distinct_id: distinctId, ...more })).json
    .featureFlags;
const metric = async (): Promise<number> => {
  const text = await (await fetch(new URL('/metrics', server.url))).text();
  return Number(/^cairn_decide_outdated_total (\d+)/m.exec(text)?.[1] ?? Number.NaN);
};

describe('the next decision after a 200 sees what was sent', () => {
  it('about a person, fifty times in a row', async () => {
    for (let i = 0; i < 50; i++) {
      const plan = i % 2 === 0 ? 'team' : 'free';
      await send({ event: '$set', distinct_id: 'ada', properties: { $set: { plan } } });
      expect([i, await flagsOf('ada')]).toMatchObject([i, { team: plan === 'team' }]);
    }
  });

  it('about new persons, while others send a stream of events', async () => {
    let streaming = true;
    const stream = (async () => {
      for (let n = 0; streaming; n++) {
        const batch = Array.from({ length: 100 }, (_, i) => ({
          event: 'noise',
          distinct_id: `noise-${(n + i) % 500}`,
        }));
        await sendJson(server.url, '/batch/', { api_key: server.projectKey, batch });
        await new Promise((resolve) => setTimeout(resolve, 25));
      }
    })();
    try {
      for (let i = 0; i < 30; i++) {
        await send({ event: '$identify', distinct_id: `person-${i}`, $set: { plan: 'team' } });
        expect([i, await flagsOf(`person-${i}`)]).toMatchObject([i, { team: true }]);
      }
    } finally {
      streaming = false;
      await stream;
    }
  });

  it('about a person in a batch', async () => {
    const batch = Array.from({ length: 300 }, (_, i) => ({
      event: 'ping',
      distinct_id: `batched-${i}`,
      properties: { $set: { plan: i === 299 ? 'team' : 'free' } },
    }));
    await sendJson(server.url, '/batch/', { api_key: server.projectKey, batch });
    expect(await flagsOf('batched-299')).toMatchObject({ team: true });
    expect(await flagsOf('batched-0')).toMatchObject({ team: false });
  });

  it('about an anonymous user who is merged', async () => {
    await send({ event: '$set', distinct_id: 'anon', properties: { $set: { plan: 'team' } } });
    await send({ event: '$identify', distinct_id: 'grace', properties: { $anon_distinct_id: 'anon' } });
    expect(await flagsOf('grace')).toMatchObject({ team: true });
    await send({ event: '$create_alias', distinct_id: 'grace', properties: { alias: 'g' } });
    expect(await flagsOf('g')).toMatchObject({ team: true });
  });

  it('about a group of a new type', async () => {
    const describeGroup = (key: string, size: number) =>
      send({
        event: '$groupidentify',
        distinct_id: 'ada',
        properties: { $group_type: 'company', $group_key: key, $group_set: { size } },
      });
    await describeGroup('acme', 500);
    expect(await flagsOf('ada', { groups: { company: 'acme' } })).toMatchObject({ large: true });
    await describeGroup('acme', 5);
    expect(await flagsOf('ada', { groups: { company: 'acme' } })).toMatchObject({ large: false });
    expect(await flagsOf('ada', { groups: { company: 'unheard of' } })).toMatchObject({ large: false });
  });

  it('and none was answered without it', async () => {
    expect(await metric()).toBe(0);
  });
});

it('does not wait if no flag depends on the person', async () => {
  const other = await startServer();
  try {
    await other.addFlag({ key: 'half', filters: everybody(50) });
    await sendJson(other.url, '/capture/', {
      api_key: other.projectKey,
      event: '$set',
      distinct_id: 'ada',
      $set: { a: 1 },
    });
    const { json } = await sendJson(other.url, '/decide/?v=3', { token: other.projectKey, distinct_id: 'ada' });
    expect(Object.keys(json.featureFlags)).toEqual(['half']);
  } finally {
    await other.close();
  }
});
