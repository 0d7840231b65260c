/** Hostile bodies against a real process on a small heap: what others wait, and what it costs in memory. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Sent, send } from '../support/send.ts';
import { addedWaitMs, measureImpact, startAttackedServer } from '../support/under-attack.ts';

// A new one for each: what one attack leaves in memory would hide what the next one needs.
let server: Awaited<ReturnType<typeof startAttackedServer>>;
beforeEach(async () => {
  server = await startAttackedServer();
});
afterEach(() => server.close());

/** A failed connection counts as 0. */
const flood = (count: number, sent: Sent, path = '/e/'): Promise<number[]> =>
  Promise.all(
    Array.from({ length: count }, () =>
      send(server.url, path, sent).then(
        ({ status }) => status,
        () => 0,
      ),
    ),
  );

/** Tried again, because the machine that runs the tests may be busy with something else. */
const RETRIED = { retry: 3, timeout: 120_000 };
/** BODY_MEMORY_MB is 40, and V8 begins to collect freed buffers once there are 64 MB of them. What is sent is more. */
const MAX_GROWTH_MB = 150;
const KEY = 'phc_test_project_key';
const JSON_TYPE = { 'content-type': 'application/json' };
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

const base64 = (body: Buffer): Buffer => Buffer.from(body.toString('base64'));
const zeros = (count: number): Buffer => Buffer.from(`{"a":[${'0,'.repeat(count)}0]}`);
const events = (count: number, event: string): string =>
  `{"api_key":"${KEY}","batch":[${`${event},`.repeat(count - 1)}${event}]}`;
const distinctKeys = (count: number): string => Array.from({ length: count }, (_, i) => `"k${i}":${i}`).join(',');

interface Attack {
  name: string;
  path?: string;
  count: number;
  make(): Sent;
  /** What may be answered. */
  statuses: number[];
}

const ATTACKS: Attack[] = [
  {
    name: 'a few bytes that are packed twice',
    count: 20,
    make: () => ({ body: gzipSync(base64(gzipSync(zeros(24_000_000)))) }),
    statuses: [400],
  },
  {
    name: 'a few kilobytes that unpack to many megabytes',
    count: 20,
    make: () => ({ body: gzipSync(zeros(24_000_000)) }),
    statuses: [413],
  },
  {
    name: 'the same in a form',
    count: 20,
    make: () => ({ headers: FORM, body: `data=${encodeURIComponent(gzipSync(zeros(24_000_000)).toString('base64'))}` }),
    statuses: [413],
  },
  {
    name: 'the same on the V1 protocol, whose key is checked first',
    path: '/i/v1/analytics/events',
    count: 20,
    make: () => ({
      headers: {
        ...JSON_TYPE,
        'content-encoding': 'br',
        authorization: 'Bearer phc_unknown',
        'posthog-sdk-info': 'test/1',
        'posthog-attempt': '1',
        'posthog-request-id': crypto.randomUUID(),
        'posthog-request-timestamp': '2026-01-15T12:00:00Z',
      },
      body: brotliCompressSync(zeros(4_000_000)),
    }),
    statuses: [401],
  },
  {
    name: 'bodies of a megabyte with an unknown key',
    count: 20,
    make: () => ({ body: JSON.stringify({ api_key: 'phc_unknown', event: 'e', a: 'x'.repeat(1_000_000) }) }),
    statuses: [401, 503],
  },
  {
    name: 'long lists of numbers',
    count: 20,
    make: () => ({ body: Buffer.from(`[${'1,'.repeat(9_000_000)}1]`) }),
    statuses: [413, 503],
  },
  {
    name: 'halves of characters',
    count: 20,
    make: () => ({ body: Buffer.alloc(15_000_000, Buffer.from([0xed, 0xa0, 0x80])) }),
    statuses: [400, 503],
  },
  {
    name: 'hundreds of thousands of events in a batch',
    count: 5,
    make: () => ({ body: events(900_000, '{}') }),
    statuses: [413],
  },
  {
    name: 'forms of very many fields',
    path: '/api/projects/',
    count: 10,
    make: () => ({ headers: FORM, body: 'a=1&'.repeat(500_000) }),
    statuses: [400, 413, 503],
  },
  {
    name: 'brackets, to the private API',
    path: '/api/projects/',
    count: 20,
    make: () => ({ headers: JSON_TYPE, body: `[${'[],'.repeat(600_000)}0]` }),
    statuses: [400, 503],
  },
  {
    name: 'keys, to sign in',
    path: '/api/login/',
    count: 20,
    make: () => ({ headers: JSON_TYPE, body: `{${distinctKeys(100_000)}}` }),
    statuses: [413],
  },
  {
    name: 'brackets in requests for flags',
    path: '/flags/?v=2',
    count: 50,
    make: () => ({ headers: JSON_TYPE, body: `[${'[],'.repeat(80_000)}0]` }),
    statuses: [400],
  },
];

describe('others do not notice', () => {
  it.each(ATTACKS)('$name', RETRIED, async ({ path = '/e/', count, make, statuses }) => {
    const sent = make();
    let answers: number[] = [];
    const impact = await measureImpact(server, async () => {
      answers = await flood(count, sent, path);
    });
    for (const status of new Set(answers)) expect(statuses).toContain(status);
    expect(Object.keys(impact.statuses)).toEqual(['200']);
    expect(addedWaitMs(impact)).toBeLessThanOrEqual(100);
    expect(impact.rssGrowthMb).toBeLessThanOrEqual(MAX_GROWTH_MB);
  });

  it('thirty uploads that are held back', RETRIED, async () => {
    const sockets: Socket[] = [];
    const impact = await measureImpact(server, async () => {
      for (let i = 0; i < 30; i++) sockets.push(await holdUpload('/e/', 19_000_000));
      await new Promise((resolve) => setTimeout(resolve, 1000));
    });
    for (const socket of sockets) socket.destroy();
    expect(addedWaitMs(impact)).toBeLessThanOrEqual(100);
    expect(impact.rssGrowthMb).toBeLessThanOrEqual(MAX_GROWTH_MB);
  });
});

/** Sends all of a body but its last byte. */
async function holdUpload(path: string, bytes: number): Promise<Socket> {
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  socket.write(`POST ${path} HTTP/1.1\r\nhost: a\r\ncontent-length: ${bytes + 1}\r\n\r\n`);
  await new Promise<void>((resolve) => socket.write(Buffer.alloc(bytes, ' '), () => resolve()));
  return socket;
}
