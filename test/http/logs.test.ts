import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openLog } from '../../src/lib/log.ts';
import { clientFor } from '../support/client.ts';
import { startServer, type TestServer } from '../support/server.ts';

interface Line {
  level: string;
  msg: string;
  request_id?: string;
  req?: { method: string; url: string; from: string };
  res?: { status: number };
  ms?: number;
}

let server: TestServer;
let text: string;
const lines = (): Line[] =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
beforeEach(async () => {
  text = '';
  const log = openLog('debug', {
    write: (line: string) => {
      text += line;
    },
  });
  server = await startServer({ log });
  text = '';
});
afterEach(() => server.close());

/** The line of an answer is written just after the answer. */
const written = async (): Promise<Line[]> => {
  await new Promise((resolve) => setTimeout(resolve, 50));
  return lines();
};

describe('one log line for each response', () => {
  it('has the request, the status and the request id', async () => {
    await clientFor(server).get('/api/projects/?limit=1');
    const [line, ...rest] = await written();
    expect(rest).toEqual([]);
    expect(line).toMatchObject({
      level: 'info',
      msg: 'request',
      request_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      req: { method: 'GET', url: '/api/projects/?limit=1', from: '127.0.0.x' },
      res: { status: 200 },
      ms: expect.any(Number),
    });
  });

  it('has its own id', async () => {
    const { get } = clientFor(server);
    await get('/api/projects/');
    await get('/api/projects/');
    const ids = (await written()).map((line) => line.request_id);
    expect(new Set(ids).size).toBe(2);
  });
});

describe('secrets in the log', () => {
  it('are shortened or left out: keys, passwords, cookies, email addresses', async () => {
    const { get, post } = clientFor(server);
    const made = (await post('/api/personal_api_keys/', { body: { label: 'CI', scopes: ['*'] } })).body.value as string;
    await get(`/api/projects/?personal_api_key=${made}`, { key: null });
    await get(`/api/projects/?personal%5Fapi_key=${made}`, { key: null });
    await get('/api/projects/', { key: null, headers: { cookie: 'cairn_session=very-secret-cookie' } });
    await post('/api/login/', { key: null, body: { email: 'ada@example.org', password: 'very-secret-password' } });
    await post('/api/login/', { key: null, body: '{"password": "very-secret-password", ' });
    expect(await written()).toHaveLength(6);
    expect(text).toContain(`personal_api_key=${made.slice(0, 8)}…`);
    for (const secret of [made, made.slice(0, 12), server.personalKey, 'very-secret', 'ada@example.org']) {
      expect(text).not.toContain(secret);
    }
  });
});

describe('health, status and metrics', () => {
  it.each([
    ['/_livez', { status: 'ok' }],
    ['/_readyz', { status: 'ok' }],
    ['/_health', { status: 'ok' }],
  ])('%s answers, and leaves no line at info', async (path, body) => {
    const { status, body: answer } = await clientFor(server).get(path, { key: null });
    expect([status, answer]).toEqual([200, body]);
    expect(text).not.toContain('"level":"info"');
  });

  it('/_status tells the versions, how the stores do, and how much room there is', async () => {
    const { status, body } = await clientFor(server).get('/_status', { key: null });
    expect([status, body.version, body.versions.node]).toEqual([200, '0.1.0', process.version]);
    expect(body.versions.events).toMatch(/^v\d+\.\d+/);
    expect(body.stores).toEqual({ metadata: 'ok', events: 'ok' });
    expect(body.last_backup_at).toBeNull();
    const { data_bytes, by_store, free_bytes, total_bytes } = body.disk;
    const { events, metadata, log, other } = by_store;
    expect(events + metadata + log + other).toBe(data_bytes);
    expect(Math.min(events, metadata, log)).toBeGreaterThan(0);
    expect(data_bytes).toBeGreaterThan(10_000);
    expect(total_bytes).toBeGreaterThan(free_bytes);
  });

  it('/metrics counts the hottest routes too, and unknown paths', async () => {
    const server = await startServer();
    try {
      const ask = (path: string, token: string) =>
        fetch(new URL(path, server.url), { method: 'POST', body: JSON.stringify({ token, distinct_id: 'ada' }) });
      await ask('/decide/', server.projectKey);
      await ask('/decide/', 'phc_wrong');
      await ask('/flags/', server.projectKey);
      await ask('/nowhere/', server.projectKey);
      const text = await (await fetch(new URL('/metrics', server.url))).text();
      const countOf = (route: string, status: number): string | undefined =>
        new RegExp(`_count{method="POST",route="${route}",status="${status}"} (\\d+)`).exec(text)?.[1];
      expect([countOf('/decide/', 200), countOf('/decide/', 401), countOf('/flags/', 200)]).toEqual(['1', '1', '1']);
      expect(countOf('unknown', 404)).toBe('1');
      expect(text).not.toContain('NaN');
    } finally {
      await server.close();
    }
  });

  it('/metrics is in the format of Prometheus, and counts responses by route', async () => {
    const { get } = clientFor(server);
    await get('/api/projects/1/');
    await get('/api/nothing/at/all/');
    await new Promise((resolve) => setTimeout(resolve, 20));
    const { headers, body } = await get('/metrics', { key: null });
    expect(headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
    expect(body).toContain(
      'cairn_http_request_seconds_count{method="GET",route="/api/projects/:project_id/",status="200"} 1',
    );
    expect(body).not.toContain('/nothing/at/all');
  });
});
