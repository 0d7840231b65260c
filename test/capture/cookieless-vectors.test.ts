/** Recorded visits without cookies, sent to a server event by event. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { call, clientFor } from '../support/client.ts';
import { send } from '../support/send.ts';
import { isWithoutEvents, startServer, type TestServer } from '../support/server.ts';
import { describeVectors } from '../support/vectors.ts';

interface SentEvent {
  event: string;
  timestamp: string;
  ip: string | null;
  user_agent: string;
  host: string;
  timezone?: string;
  extra?: string;
  distinct_id?: string;
  session_id?: string;
  cookieless?: boolean;
  uuid?: string;
  received_at?: string;
}

type Names = (string | null)[];

interface Vectors {
  cases: {
    id: string;
    kind: string;
    project: { timezone: string; cookieless_server_hash_mode: number };
    events: SentEvent[];
    expect: { distinct: Names; anon: Names; session: Names; dropped: Names };
  }[];
}

const COOKIELESS_ID = '$posthog_cookieless';
const NO_SESSION_BUT_THIS = 'own';

/** Unknown ids are named by the order in which they come: c0, c1 … */
const named = (letter: string, isOwn: (id: string) => boolean) => {
  const seen: string[] = [];
  return (id: string | null): string | null => {
    if (id === null || !isOwn(id)) return id;
    if (!seen.includes(id)) seen.push(id);
    return `${letter}${seen.indexOf(id)}`;
  };
};

const uuidOf = (label: string): string => `0190d0d0-0000-7000-8000-${Buffer.from(label.padEnd(6)).toString('hex')}`;

describeVectors<Vectors>('recorded visits without cookies', 'web-analytics.json', ({ cases }) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer({ config: { trustProxy: true } });
  });
  afterAll(() => server.close());

  async function sendOne(key: string, one: SentEvent, uuid: string): Promise<string | null> {
    server.setNow(one.received_at ?? one.timestamp);
    const before = (await server.counters()).dropped;
    const id = one.distinct_id ?? COOKIELESS_ID;
    const properties = {
      distinct_id: id,
      $cookieless_mode: one.cookieless ?? true,
      $raw_user_agent: one.user_agent,
      $host: one.host,
      // A server that is asked directly always knows an address.
      $ip: one.ip ?? 'unknown',
      ...(one.timezone && { $timezone: one.timezone }),
      ...(one.extra && { $cookieless_extra: one.extra }),
      ...(one.session_id && { $session_id: one.session_id }),
      ...(one.event === '$identify' && { $anon_distinct_id: COOKIELESS_ID }),
    };
    const batch = [{ event: one.event, uuid, distinct_id: id, timestamp: one.timestamp, properties }];
    const { status } = await send(server.url, '/batch/', { body: JSON.stringify({ api_key: key, batch }) });
    expect(status).toBe(200);
    await server.drain();
    const after = (await server.counters()).dropped;
    return Object.keys(after).find((reason) => after[reason] !== before[reason]) ?? null;
  }

  const visits = cases.filter(({ kind }) => kind === 'cookieless').map((one) => [one.id, one] as const);
  it.skipIf(isWithoutEvents).each(visits)('%s', async (name, { project, events, expect: expected }) => {
    const created = await call(server.url, 'POST', '/api/projects/', {
      body: { name, timezone: project.timezone },
    });
    expect(created.status).toBe(201);
    const { id, api_token: key } = created.body;
    const change = { cookieless_server_hash_mode: project.cookieless_server_hash_mode };
    expect((await call(server.url, 'PATCH', `/api/projects/${id}/`, { body: change })).status).toBe(200);
    const uuids = events.map(({ uuid }, i) => uuidOf(uuid ?? `e${i}`));
    const dropped: Names = [];
    for (const [i, one] of events.entries()) dropped.push(await sendOne(key, one, uuids[i] as string));
    expect(dropped).toEqual(expected.dropped);
    const list = `/api/projects/${id}/events/?after=2026-03-01&before=2026-04-01&limit=100`;
    const stored = new Map((await clientFor(server).get(list)).body.results.map((one: StoredEvent) => [one.id, one]));
    const found = uuids.map((uuid) => (stored.get(uuid) as StoredEvent | undefined) ?? null);
    const visitor = named('c', (value) => value.startsWith('cookieless_'));
    const session = named('s', (value) => value !== NO_SESSION_BUT_THIS);
    expect({
      distinct: found.map((one) => visitor(one?.distinct_id ?? null)),
      anon: found.map((one) => visitor(one?.properties['$anon_distinct_id'] ?? null)),
      session: found.map((one) => session(one?.properties['$session_id'] ?? null)),
    }).toEqual({ distinct: expected.distinct, anon: expected.anon, session: expected.session });
    const persons = (await clientFor(server).get(`/api/projects/${id}/persons/`)).body.results;
    expect(JSON.stringify([persons, found])).not.toContain(COOKIELESS_ID);
    expect(JSON.stringify(found)).not.toContain(events[0]?.cookieless === false ? 'nothing' : events[0]?.user_agent);
  });
});

interface StoredEvent {
  id: string;
  distinct_id: string;
  properties: Record<string, string>;
}
