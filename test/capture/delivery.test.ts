/** A 200 means that events are stored once, in order, and counted; and what happens when they cannot be stored. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DATA_FILES } from '../../src/stores/data-files.ts';
import { type RawAnswer, send, sendJson } from '../support/send.ts';
import { type Counters, startServer, type TestServer } from '../support/server.ts';
import { describeVectors } from '../support/vectors.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.close());

const batch = (on: TestServer, events: object[], headers: Record<string, string> = {}): Promise<RawAnswer> =>
  sendJson(on.url, '/batch/', { api_key: on.projectKey, batch: events }, headers);

async function stored(on: TestServer, event: string): Promise<unknown[]> {
  await on.drain();
  const rows = await on.query('select properties from event_rows where event = $1 order by rowid', [event]);
  return rows.map((row) => JSON.parse(String(row['properties']))['n']);
}

const sum = ({ stored: kept, duplicate, dropped, dead_lettered, pending }: Counters): number =>
  kept + duplicate + Object.values(dropped).reduce((all, count) => all + count, 0) + dead_lettered + pending;

describe('the same event again', () => {
  it('is stored once: in a batch, a day later, and after a restart', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'cairn-again-'));
    const id = crypto.randomUUID();
    const identities: [string, object][] = [
      ['uuid', { uuid: id }],
      ['messageId', { messageId: id }],
      ['capitals', { uuid: crypto.randomUUID().toUpperCase() }],
    ];
    const same = (n: number): object[] =>
      identities.map(([event, identity]) => ({ event, distinct_id: 'd', properties: { n }, ...identity }));
    const expectOnce = async (on: TestServer): Promise<void> => {
      for (const [event] of identities) expect(await stored(on, event)).toEqual([1]);
    };
    try {
      const first = await startServer({ dataDir });
      await batch(first, [...same(1), ...same(2)]);
      await expectOnce(first);
      first.setNow('2026-01-16T12:00:00.000Z');
      await batch(first, same(3));
      await expectOnce(first);
      await first.close();

      const second = await startServer({ dataDir });
      await batch(second, same(4));
      await expectOnce(second);
      expect(await second.counters()).toMatchObject({ accepted: 12, stored: 3, duplicate: 9, pending: 0 });
      await second.close();
    } finally {
      rmSync(dataDir, { recursive: true, force: true });
    }
  });

  it('by its $insert_id is stored once', async () => {
    const one = { event: 'insert id', distinct_id: 'd', properties: { $insert_id: 'x', n: 1 } };
    await batch(server, [one, one]);
    await batch(server, [one]);
    expect(await stored(server, 'insert id')).toEqual([1]);
  });

  it('without any id is another event', async () => {
    const one = { event: 'anonymous twin', distinct_id: 'd', properties: { n: 1 } };
    await batch(server, [one, one]);
    expect(await stored(server, 'anonymous twin')).toEqual([1, 1]);
  });

  it('in another project is another event', async () => {
    const other = await server.createProject();
    const one = { event: 'shared uuid', distinct_id: 'd', uuid: crypto.randomUUID(), properties: { n: 1 } };
    await batch(server, [one]);
    await sendJson(server.url, '/batch/', { api_key: other.projectKey, batch: [one] });
    expect(await stored(server, 'shared uuid')).toEqual([1, 1]);
  });
});

it('keeps the order of each distinct id, over batches and within them', async () => {
  const numbers = Array.from({ length: 60 }, (_, n) => n);
  for (let i = 0; i < numbers.length; i += 6) {
    const part = numbers.slice(i, i + 6).map((n) => ({
      event: 'in order',
      distinct_id: 'orderly',
      properties: { n, $set: { last: n } },
    }));
    expect((await batch(server, part)).status).toBe(200);
  }
  expect(await stored(server, 'in order')).toEqual(numbers);
  const [person] = await server.rows(`
    select p.properties from persons p join person_distinct_ids d on d.person_id = p.id
    where d.distinct_id = 'orderly'`);
  expect(JSON.parse(person.properties).last).toBe(59);
});

it('accounts for every event', async () => {
  const before = await server.counters();
  const uuid = crypto.randomUUID();
  const events = [
    { event: 'fine', distinct_id: 'd' },
    { event: 'fine', distinct_id: 'd', uuid },
    { event: 'fine', distinct_id: 'd', uuid },
    { distinct_id: 'nameless' },
    { event: '', distinct_id: 'nameless' },
    { event: 'nobody' },
    { event: 'nobody', distinct_id: '  ' },
    { event: '$identify', distinct_id: 'd', properties: { $process_person_profile: false } },
    { event: '$snapshot', distinct_id: 'd' },
  ];
  expect((await batch(server, events)).status).toBe(200);
  await server.drain();
  const after = await server.counters();
  expect(sum(after)).toBe(after.accepted);
  const grown = (reason: string): number => (after.dropped[reason] ?? 0) - (before.dropped[reason] ?? 0);
  expect({
    accepted: after.accepted - before.accepted,
    stored: after.stored - before.stored,
    duplicate: after.duplicate - before.duplicate,
    nameless: grown('missing_event_name'),
    nobody: grown('missing_distinct_id'),
    personless: grown('person_processing_disabled'),
    recording: grown('session_recording'),
    pending: after.pending,
  }).toEqual({
    accepted: 9,
    stored: 2,
    duplicate: 1,
    nameless: 2,
    nobody: 2,
    personless: 1,
    recording: 1,
    pending: 0,
  });
});

it('adds up at any time under load', async () => {
  const event = (n: number): object => ({ event: 'load', distinct_id: `d${n % 7}`, properties: { n } });
  const sending = Array.from({ length: 40 }, (_, i) =>
    batch(
      server,
      Array.from({ length: 50 }, (_, n) => event(i + n)),
    ),
  );
  for (let i = 0; i < 20; i++) {
    const counters = await server.counters();
    expect(sum(counters)).toBe(counters.accepted);
    expect(counters.pending).toBeGreaterThanOrEqual(0);
  }
  expect((await Promise.all(sending)).map(({ status }) => status)).toEqual(Array(40).fill(200));
});

describe('when events cannot be stored', () => {
  /** Statuses on which each kind of SDK sends an event again instead of losing it. */
  const retries: Record<string, (status: number) => boolean> = {
    'posthog-js 2023': (status) => ![200, 401, 403, 404, 500].includes(status),
    'posthog-js 2024': (status) => (status < 400 && status !== 200) || status > 500,
    'posthog-js 2026': (status) => status !== 200 && (status < 400 || status > 499),
    'core: node, react native': (status) => status === 408 || status === 429 || status >= 500,
    python: (status) => status !== 200 && !(status >= 400 && status < 500 && status !== 429),
    'v1 senders': (status) => [408, 500, 502, 503, 504].includes(status),
    'java server': (status) => status >= 500,
  };

  const expectRetry = ({ status, headers }: RawAnswer): void => {
    expect(Object.entries(retries).filter(([, isRetried]) => !isRetried(status))).toEqual([]);
    expect(status).toBe(503);
    expect(Number(headers['retry-after'])).toBeGreaterThan(0);
    expect(Number(headers['retry-after'])).toBeLessThanOrEqual(30);
  };

  type SdkRules = { sdk_rules: Record<string, unknown>[] };
  describeVectors<SdkRules>('recorded reactions of SDKs', 'sdk-reactions.json', ({ sdk_rules: rules }) => {
    it('take 200 for success everywhere, and 503 for final nowhere', () => {
      for (const { sdk, retried, success, terminal } of rules) {
        if (Array.isArray(success)) expect([sdk, success.includes(200)]).toEqual([sdk, true]);
        expect([sdk, String(terminal ?? '').includes('503')]).toEqual([sdk, false]);
        if (typeof retried === 'string') expect(retried).toMatch(/5\d\d|5xx|>= ?500|> 500|every|everything|any status/);
      }
    });
  });

  it('answers 503 while the log is full, and accepts events again once it is processed', async () => {
    const small = await startServer({ config: { ingestLogMaxBytes: 30_000 } });
    // Nobody processes while the relational database is locked.
    const holder = new Database(join(small.dataDir, DATA_FILES.metadata), { timeout: 5000 });
    try {
      const event = (n: number): object => ({
        event: 'squeezed',
        distinct_id: 'd',
        properties: { n, x: 'x'.repeat(5000) },
      });
      expect((await batch(small, [event(0)])).status).toBe(200);
      await small.drain();
      holder.exec('begin immediate');
      const answers: RawAnswer[] = [];
      for (let n = 1; n <= 10; n++) answers.push(await batch(small, [event(n)], { origin: 'https://shop.example' }));
      const refused = answers.filter(({ status }) => status !== 200);
      expect(refused.length).toBeGreaterThan(3);
      for (const answer of refused) {
        expectRetry(answer);
        expect(answer.json).toMatchObject({ type: 'server_error', code: 'server_error', attr: null });
        expect(answer.headers['access-control-allow-origin']).toBe('https://shop.example');
      }
      const taken = answers.length - refused.length;
      expect((await small.counters()).pending).toBe(taken);

      holder.exec('rollback');
      await small.drain();
      expect((await batch(small, [event(11)])).status).toBe(200);
      expect(await stored(small, 'squeezed')).toHaveLength(taken + 2);
      const counters = await small.counters();
      expect(sum(counters)).toBe(counters.accepted);
    } finally {
      holder.close();
      await small.close();
    }
  });

  it('answers 503 to V1 senders in their format', async () => {
    const full = await startServer({ config: { ingestLogMaxBytes: 10 } });
    try {
      const headers = {
        'content-type': 'application/json',
        authorization: `Bearer ${full.projectKey}`,
        'posthog-sdk-info': 'test/1',
        'posthog-attempt': '1',
        'posthog-request-id': crypto.randomUUID(),
        'posthog-request-timestamp': '2026-01-15T12:00:00Z',
        'user-agent': 'test',
      };
      const event = { event: 'e', uuid: crypto.randomUUID(), distinct_id: 'd', timestamp: '2026-01-15T12:00:00Z' };
      const body = JSON.stringify({ created_at: '2026-01-15T12:00:00Z', batch: [event] });
      const answer = await send(full.url, '/i/v1/analytics/events', { headers, body });
      expectRetry(answer);
      expect(answer.json).toMatchObject({ error: expect.any(String) });
    } finally {
      await full.close();
    }
  });

  it('never answers 200 and loses events: they are there after a restart', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'cairn-stop-'));
    try {
      const first = await startServer({ dataDir });
      const answers = await Promise.all(
        Array.from({ length: 30 }, (_, n) => batch(first, [{ event: 'stopped', distinct_id: 'd', properties: { n } }])),
      );
      await first.close();
      const taken = answers.filter(({ status }) => status === 200).length;
      expect(taken).toBe(30);
      const second = await startServer({ dataDir });
      expect(await stored(second, 'stopped')).toHaveLength(taken);
      await second.close();
    } finally {
      rmSync(dataDir, { recursive: true, force: true });
    }
  });
});
