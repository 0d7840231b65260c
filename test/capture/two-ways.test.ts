/** Small captures take the fast path, others go through Fastify: the response and what is stored must be the same. */
import { once } from 'node:events';
import { type IncomingHttpHeaders, request } from 'node:http';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startServer, type TestServer } from '../support/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.close());

interface Sent {
  path?: string;
  body?: string | Buffer;
  headers?: Record<string, string>;
}

/** The fast path is for bodies with a content length; chunked ones go through Fastify. */
async function send({ path = '/capture/', body = '', headers = {} }: Sent, way: 'short' | 'usual') {
  const length = way === 'short' ? { 'content-length': String(Buffer.byteLength(body)) } : {};
  const options = { method: 'POST', headers: { 'content-type': 'application/json', ...headers, ...length } };
  const sending = request(server.url + path, options);
  sending.write(body);
  sending.end();
  const [answer] = await once(sending, 'response');
  const { date: _date, ...rest } = answer.headers as IncomingHttpHeaders;
  return { status: answer.statusCode, headers: rest, body: Buffer.concat(await answer.toArray()).toString() };
}

const anEvent = (more: object = {}): object => ({
  event: 'sent',
  distinct_id: 'ada',
  timestamp: '2026-01-15T10:00:00Z',
  properties: { word: 'ü𝒳' },
  ...more,
});

const one = (more: object = {}): string => JSON.stringify({ api_key: server.projectKey, ...anEvent(more) });
const batch = (...events: object[]): string => JSON.stringify({ api_key: server.projectKey, batch: events });

const WELL: Record<string, [stored: number, sent: () => Sent]> = {
  'one event': [1, () => ({ body: one() })],
  'one event, without the last slash': [1, () => ({ path: '/capture', body: one() })],
  'a batch': [2, () => ({ path: '/batch/', body: batch(anEvent(), anEvent({ event: 'other' })) })],
  'a list': [1, () => ({ path: '/e/', body: JSON.stringify([{ ...anEvent(), api_key: server.projectKey }]) })],
  'an event without a name': [0, () => ({ body: one({ event: '' }) })],
  'properties of a person, without a name': [
    1,
    () => ({ path: '/engage/', body: one({ event: undefined, $set: { plan: 'team' } }) }),
  ],
  text: [1, () => ({ path: '/i/v0/e/', body: one(), headers: { 'content-type': 'text/plain;charset=UTF-8' } })],
  'gzip that the query names': [
    1,
    () => ({ path: '/e/?compression=gzip-js', body: gzipSync(one()), headers: { 'content-type': 'text/plain' } }),
  ],
  'base64 that the query names': [
    1,
    () => ({
      path: '/track/?compression=base64',
      body: Buffer.from(one()).toString('base64'),
      headers: { 'content-type': 'text/plain' },
    }),
  ],
  'a form': [
    1,
    () => ({
      path: '/e/',
      body: `data=${encodeURIComponent(one())}`,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    }),
  ],
  'a time of sending': [1, () => ({ path: '/e/?_=1768471200000', body: one() })],
  'a personal key': [
    1,
    () => ({ body: JSON.stringify({ api_key: server.personalKey, project_id: server.projectId, ...anEvent() }) }),
  ],
  'a page': [1, () => ({ body: one(), headers: { origin: 'https://shop.example', 'user-agent': 'Mozilla/5.0' } })],
  'a body of more than sixteen kilobytes': [1, () => ({ body: one({ properties: { word: 'x'.repeat(20_000) } }) })],
};

const BADLY: Record<string, [status: number, sent: () => Sent]> = {
  'broken JSON': [400, () => ({ body: '{"api_key":' })],
  'no JSON': [400, () => ({ body: 'hello' })],
  'bytes that are no text': [400, () => ({ body: Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]) })],
  'a batch of nothing': [400, () => ({ path: '/batch/', body: batch() })],
  'no key': [401, () => ({ body: '{"event":"sent"}' })],
  'a strange key': [401, () => ({ body: one({ api_key: 'phc_strange' }) })],
  'a strange key from a page': [401, () => ({ body: one({ api_key: 'x' }), headers: { origin: 'http://a.example' } })],
};

/** How often the requests of a path were answered past the framework or through it. */
async function countOf(path: string): Promise<number> {
  const text = await (await fetch(`${server.url}/metrics`)).text();
  const pattern = new RegExp(`request_seconds_count\\{method="POST",route="${path}",status="\\d+"\\} (\\d+)`, 'g');
  return [...text.matchAll(pattern)].reduce((sum, [, count]) => sum + Number(count), 0);
}

const stored = async (): Promise<number> => {
  await server.drain();
  const [row] = await server.query('select count(*) as n from events');
  return Number(row?.['n']);
};

describe('the fast path and Fastify give the same response', () => {
  it.each(Object.keys(WELL))('to %s', async (name) => {
    const [events, sent] = WELL[name] ?? [0, (): Sent => ({})];
    const path = `${/^\/[\w/]*\w/.exec(sent().path ?? '/capture/')?.[0]}/`;
    const [before, requests] = [await stored(), await countOf(path)];
    const short = await send(sent(), 'short');
    expect([short.status, short.body]).toEqual([200, '{"status":1}']);
    expect((await stored()) - before).toBe(events);
    expect(short).toEqual(await send(sent(), 'usual'));
    expect((await stored()) - before).toBe(2 * events);
    expect((await countOf(path)) - requests).toBe(2);
  });

  it.each(Object.keys(BADLY))('to %s', async (name) => {
    const [status, sent] = BADLY[name] ?? [0, (): Sent => ({})];
    const before = await stored();
    const short = await send(sent(), 'short');
    expect(short.status).toBe(status);
    expect(short).toEqual(await send(sent(), 'usual'));
    expect(await stored()).toBe(before);
  });

  it('to a beacon, which wants no content', async () => {
    const before = await stored();
    const short = await send({ path: '/e/?beacon=1', body: one() }, 'short');
    expect([short.status, short.body]).toEqual([204, '']);
    expect(short).toEqual(await send({ path: '/e/?beacon=1', body: one() }, 'usual'));
    expect((await stored()) - before).toBe(2);
  });
});

it('stores the same properties either way', async () => {
  const sent = (id: string): Sent => ({
    path: '/e/',
    body: one({ event: 'compared', distinct_id: id }),
    headers: { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:127.0) Gecko/20100101 Firefox/127.0' },
  });
  await send(sent('short'), 'short');
  await send(sent('usual'), 'usual');
  await stored();
  const rows = await server.query(`select distinct_id, properties from events where event = 'compared'`);
  const of = (id: string) => JSON.parse(String(rows.find((row) => row['distinct_id'] === id)?.['properties']));
  expect(of('short')).toMatchObject({ word: 'ü𝒳', $ip: '127.0.0.1' });
  expect(of('short')).toEqual(of('usual'));
});
