/** Segment's protocol over HTTP; the real library is tested in test/sdks/. */
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { send, sendJson } from '../support/send.ts';
import { startServer, type TestServer } from '../support/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.close());

const basic = (key: string): Record<string, string> => ({
  authorization: `Basic ${Buffer.from(`${key}:`).toString('base64')}`,
});

const stored = async (event: string): Promise<unknown[]> => {
  await server.drain();
  const rows = await server.query('select distinct_id, timestamp from event_rows where event = $1', [event]);
  return rows.map(({ distinct_id }) => distinct_id);
};

describe('a message', () => {
  it.each(['/v1/track', '/v1/track/'])(
    'comes alone to %s, with the key as the name of Basic authentication',
    async (path) => {
      const event = `alone at ${path}`;
      const answer = await sendJson(server.url, path, { userId: 'ada', event }, basic(server.projectKey));
      expect([answer.status, answer.json]).toEqual([200, { success: true }]);
      expect(await stored(event)).toEqual(['ada']);
    },
  );

  it('comes with others, packed, with the key in the body', async () => {
    const batch = [
      { type: 'track', userId: 'ada', event: 'packed', messageId: 'm1' },
      { type: 'track', anonymousId: 'anon', event: 'packed', messageId: 'm2' },
      { type: 'track', anonymousId: 'anon', event: 'packed', messageId: 'm2' },
      { type: 'unheard-of', userId: 'ada' },
    ];
    const before = await server.counters();
    const answer = await send(server.url, '/v1/batch', {
      headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
      body: gzipSync(JSON.stringify({ batch, writeKey: server.projectKey })),
    });
    expect(answer.status).toBe(200);
    expect(await stored('packed')).toEqual(['ada', 'anon']);
    const after = await server.counters();
    expect(after.duplicate - before.duplicate).toBe(1);
    expect(after.dropped['missing_event_name']).toBe(1);
  });

  it('is corrected by the clock of its sender', async () => {
    const message = { type: 'track', userId: 'ada', event: 'late clock', timestamp: '2026-01-15T11:00:00Z' };
    const body = { batch: [message], sentAt: '2026-01-15T11:00:05Z' };
    await sendJson(server.url, '/v1/batch', body, basic(server.projectKey));
    await server.drain();
    const [row] = await server.query(`select epoch_ms(timestamp) as ms from event_rows where event = 'late clock'`);
    expect(Number(row?.['ms'])).toBe(Date.parse('2026-01-15T11:59:55Z'));
  });
});

describe('what is refused', () => {
  const deep = (levels: number): unknown => (levels === 0 ? {} : { in: deep(levels - 1) });
  it.each<[string, number, string, object | string, Record<string, string>]>([
    ['no key', 401, 'missing_api_key', { batch: [{ type: 'track' }] }, {}],
    ['a wrong key', 401, 'invalid_api_key', { batch: [{ type: 'track' }] }, basic('phc_wrong')],
    ['no messages', 400, 'no_data', { batch: [] }, basic('phc_test_project_key')],
    ['messages that are none', 400, 'invalid_payload', { batch: ['x'] }, basic('phc_test_project_key')],
    ['no JSON', 400, 'invalid_payload', '{"batch"', basic('phc_test_project_key')],
    ['a send time that is none', 400, 'invalid_payload', { batch: [{}], sentAt: 'x' }, basic('phc_test_project_key')],
    [
      'endless nesting',
      400,
      'invalid_payload',
      { batch: [{ type: 'track', properties: deep(300) }] },
      basic('phc_test_project_key'),
    ],
    ['a header that is no Basic authentication', 401, 'missing_api_key', { batch: [{}] }, { authorization: 'Basic ' }],
  ])('%s', async (_what, status, code, body, headers) => {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const answer = await send(server.url, '/v1/batch', {
      headers: { 'content-type': 'application/json', ...headers },
      body: text,
    });
    expect([answer.status, answer.json?.code]).toEqual([status, code]);
  });
});
