/** Streams that tell SDKs and relays when flags have changed. */
import { connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { everybody } from '../contract/flag-builders.ts';
import { makeTempDir } from '../contract/temp-dir.ts';
import { clientFor } from '../support/client.ts';
import { type EventSource, listen } from '../support/event-source.ts';
import { sendJson } from '../support/send.ts';
import { isEmbedded, isWithoutEvents, START, startServer, type TestServer } from '../support/server.ts';

const STREAM = '/flags/definitions/stream';

let server: TestServer;
let client: ReturnType<typeof clientFor>;
let flagId: number;
const open: EventSource[] = [];

beforeEach(async () => {
  server = await startServer({ config: { maxStreams: 12, maxStreamsPerNetwork: 8 } });
  client = clientFor(server);
  const { body } = await client.post('/api/projects/1/feature_flags/', {
    body: { key: 'first', filters: everybody(50) },
  });
  flagId = body.id;
});
afterEach(async () => {
  for (const one of open.splice(0)) one.close();
  await server.close();
});

async function hear(path = STREAM, headers: Record<string, string> = {}): Promise<EventSource> {
  const source = await listen(server.url, path, { authorization: `Bearer ${server.personalKey}`, ...headers });
  open.push(source);
  return source;
}

const change = (filters: object) => client.patch(`/api/projects/1/feature_flags/${flagId}/`, { body: { filters } });

async function secretKey(): Promise<string> {
  const { body } = await client.patch('/api/projects/1/rotate_secret_token/');
  return body.secret_api_token;
}

async function definitionsEtag(): Promise<string | null> {
  const { headers } = await client.get('/flags/definitions');
  return headers.get('etag');
}

describe('the stream of versions', () => {
  it('begins with the version, tells every change with the tag of the definitions, and says when to come back', async () => {
    const source = await hear();
    expect(source.headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
    });
    const first = await source.next();
    expect(first).toEqual({ id: '1', event: 'version', data: { version: 1, etag: await definitionsEtag() } });
    expect(source.text()).toMatch(/^retry: [1-5]\d{3}\n\n/);
    await change(everybody(60));
    expect(await source.next()).toEqual({
      id: '2',
      event: 'version',
      data: { version: 2, etag: await definitionsEtag() },
    });
    await client.post('/api/projects/1/feature_flags/', { body: { key: 'second' } });
    expect(await source.next()).toMatchObject({ id: '3' });
  });

  it('tells several changes at once as one, and no change as none', async () => {
    const source = await hear();
    await source.next();
    await server.addFlag({ key: 'a' });
    await server.addFlag({ key: 'b' });
    await server.addFlag({ key: 'c' });
    expect((await source.next()).data.version).toBe(2);
    const { body: cohort } = await client.post('/api/projects/1/cohorts/', { body: { name: 'unused', groups: [] } });
    expect(cohort.id).toBeGreaterThan(0);
    await change(everybody(70));
    expect((await source.next()).data.version).toBe(3);
    expect(source.waiting()).toBe(0);
  });

  it.skipIf(!isEmbedded)('goes on counting after a restart', async () => {
    await server.close();
    const folder = makeTempDir();
    server = await startServer({ dataDir: folder.path('data') });
    client = clientFor(server);
    const { body } = await client.post('/api/projects/1/feature_flags/', { body: { key: 'first' } });
    flagId = body.id;
    const source = await hear();
    await source.next();
    await change(everybody(60));
    expect((await source.next()).data.version).toBe(2);
    await server.close();
    await source.ended;
    server = await startServer({ dataDir: folder.path('data') });
    client = clientFor(server);
    expect((await (await hear()).next()).data.version).toBe(2);
    await change(everybody(61));
    expect((await (await hear()).next()).data.version).toBe(3);
    folder.remove();
  });

  // Deleting a project deletes its events.
  it.skipIf(isWithoutEvents)('ends with `gone` when the project is deleted', async () => {
    const { projectId, projectKey } = await server.createProject();
    const source = await hear(`${STREAM}?token=${projectKey}`);
    await source.next();
    expect((await client.delete(`/api/projects/${projectId}/`)).status).toBe(204);
    expect(await source.next()).toEqual({ id: null, event: 'gone', data: {} });
    await source.ended;
    const again = await hear(`${STREAM}?token=${projectKey}`);
    expect(again.status).toBe(401);
  });

  it('tells nothing of other projects', async () => {
    const other = await server.createProject({ foreign: true });
    const source = await listen(server.url, STREAM, { authorization: `Bearer ${other.personalKey}` });
    open.push(source);
    expect((await source.next()).data.version).toBe(1);
    await change(everybody(60));
    await (await hear()).next();
    expect(source.waiting()).toBe(0);
  });
});

describe('who may listen', () => {
  it.each<[string, Record<string, string>, number, string]>([
    ['without a key', { authorization: '' }, 401, ''],
    ['with a key that does not exist', { authorization: 'Bearer phx_unknown_key_of_nobody' }, 401, ''],
    ['with a secret key that does not exist', { authorization: 'Bearer phs_unknown_key_of_nobody' }, 401, ''],
    ['with the public key', { authorization: 'Bearer phc_test_project_key' }, 401, ''],
    ['with a project key of nobody', {}, 401, '?token=phc_nobody'],
  ])('not %s: an answer in JSON, before any event', async (_name, headers, status, query) => {
    const source = await hear(STREAM + query, headers);
    expect([source.status, source.headers['content-type']]).toEqual([status, 'application/json; charset=utf-8']);
  });

  it('not with a key of another project, or without the scope', async () => {
    const other = await server.createProject({ foreign: true });
    const secret = await secretKey();
    const foreign = await hear(`${STREAM}?token=${other.projectKey}`, { authorization: `Bearer ${secret}` });
    expect(foreign.status).toBe(403);
    expect((await hear(`${STREAM}?token=${other.projectKey}`)).status).toBe(404);
    const { body } = await client.post('/api/personal_api_keys/', { body: { label: 'x', scopes: ['insight:read'] } });
    expect((await hear(STREAM, { authorization: `Bearer ${body.value}` })).status).toBe(403);
  });

  it('not any longer when the key is revoked', async () => {
    const { body } = await client.post('/api/personal_api_keys/', {
      body: { label: 'x', scopes: ['feature_flag:read'] },
    });
    const [personal, other] = [await hear(STREAM, { authorization: `Bearer ${body.value}` }), await hear()];
    const secret = await secretKey();
    const bySecret = await hear(STREAM, { authorization: `Bearer ${secret}` });
    for (const one of [personal, other, bySecret]) await one.next();
    await client.delete(`/api/personal_api_keys/${body.id}/`);
    await personal.ended;
    await server.tamper('update projects set secret_hash = null');
    await bySecret.ended;
    await change(everybody(60));
    expect((await other.next()).data.version).toBe(2);
  });

  it('only so many at once, from one network and in all', async () => {
    const secret = await secretKey();
    const tooMany = async (headers: Record<string, string>) => {
      const source = await hear(STREAM, headers);
      return [source.status, Number(source.headers['retry-after']) >= 5];
    };
    for (let i = 0; i < 8; i++) expect((await hear()).status).toBe(200);
    expect(await tooMany({})).toEqual([429, true]);
    const bySecret = { authorization: `Bearer ${secret}` };
    for (let i = 0; i < 4; i++) expect((await hear(STREAM, bySecret)).status).toBe(200);
    expect(await tooMany(bySecret)).toEqual([503, true]);
    open.shift()?.close();
    await expect.poll(async () => (await hear()).status).toBe(200);
  });
});

describe('the full stream', () => {
  const FULL = `${STREAM}?full=true`;

  it('begins with everything, and goes on with what changes', async () => {
    const cohort = await server.addCohort({ filters: { properties: { type: 'AND', values: [] } } });
    await server.addCohort({ name: 'needed by no flag' });
    const source = await hear(FULL);
    const reset = await source.next();
    expect(reset).toMatchObject({
      id: '1',
      event: 'reset',
      data: {
        version: 1,
        put: [{ id: flagId, key: 'first', active: true, version: 1, filters: everybody(50) }],
        drop: [],
        cohorts: {},
        group_type_mapping: {},
        project: { id: 1, api_token: server.projectKey, geoip: true },
      },
    });
    await change({
      groups: [{ properties: [{ key: 'id', type: 'cohort', value: cohort.id }], rollout_percentage: 100 }],
    });
    const { event, data } = await source.next();
    expect([event, data.put.map(({ key, version }: { key: string; version: number }) => [key, version])]).toEqual([
      'version',
      [['first', 2]],
    ]);
    expect(data.cohorts).toMatchObject({ [cohort.id]: { is_static: false, filters: cohort.filters } });
    expect(data.project).toBeUndefined();
    await client.patch(`/api/projects/1/feature_flags/${flagId}/`, { body: { deleted: true } });
    expect((await source.next()).data).toMatchObject({
      version: 3,
      put: [],
      drop: ['first'],
      cohorts: { [cohort.id]: null },
    });
  });

  it('gives a client that comes back what it missed', async () => {
    const first = await hear(FULL);
    await first.next();
    await server.addFlag({ key: 'a' });
    await first.next();
    await server.addFlag({ key: 'b' });
    await first.next();
    const since = async (id: string) => await (await hear(FULL, { 'last-event-id': id })).next();
    expect(await since('1')).toMatchObject({ id: '3', event: 'version', data: { put: [{ key: 'a' }, { key: 'b' }] } });
    expect(await since('2')).toMatchObject({ event: 'version', data: { put: [{ key: 'b' }] } });
    expect(await since('3')).toMatchObject({ event: 'version', data: { put: [], drop: [], cohorts: {} } });
    for (const unknown of ['0', '4', '-1', '1e3', 'x'.repeat(1000), '99999999999999999999']) {
      expect((await since(unknown)).event).toBe('reset');
      open.pop()?.close();
    }
  });

  it('hears of settings that change values', async () => {
    const source = await hear(FULL);
    await source.next();
    await client.patch('/api/projects/1/', { body: { web_analytics: { geoip: false } } });
    expect((await source.next()).data).toMatchObject({ version: 2, put: [], project: { geoip: false } });
  });
});

describe('hostile clients', () => {
  it('cannot send further requests on the connection, and disturb nobody', async () => {
    const { port } = new URL(server.url);
    const socket = connect(Number(port), '127.0.0.1');
    const head = `GET ${STREAM} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${server.personalKey}\r\n\r\n`;
    let got = '';
    socket.on('data', (chunk) => {
      got += chunk;
    });
    socket.write(head);
    await expect.poll(() => got).toContain('event: version');
    socket.write(head.repeat(50));
    await change(everybody(60));
    await expect.poll(() => got).toContain('id: 2');
    expect(got.match(/HTTP\/1\.1/g)).toHaveLength(1);
    socket.resetAndDestroy();
    await change(everybody(61));
    expect((await (await hear()).next()).data.version).toBe(3);
  });

  it('two requests sent at once get one stream', async () => {
    const { port } = new URL(server.url);
    const socket = connect(Number(port), '127.0.0.1');
    const head = `GET ${STREAM} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${server.personalKey}\r\n\r\n`;
    let got = '';
    socket.on('data', (chunk) => {
      got += chunk;
    });
    socket.write(head + head);
    await expect.poll(() => got).toContain('event: version');
    await change(everybody(60));
    await expect.poll(() => got).toContain('id: 2');
    expect(got.match(/HTTP\/1\.1 200/g)?.length).toBe(1);
    socket.destroy();
    expect((await client.get('/_livez', { key: null })).status).toBe(200);
  });

  it.each(['HEAD', 'POST', 'DELETE'])('get no stream with %s', async (method) => {
    const headers = { authorization: `Bearer ${server.personalKey}` };
    const answer = await fetch(new URL(STREAM, server.url), { method, headers });
    expect([404, 405]).toContain(answer.status);
  });
});

describe("OpenFeature's event streams", () => {
  const bulk = (query = '', body: object = {}) =>
    fetch(new URL(`/ofrep/v1/evaluate/flags${query}`, server.url), {
      method: 'POST',
      headers: { authorization: `Bearer ${server.projectKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ context: { targetingKey: 'ada' }, ...body }),
    });
  const streamPath = async (): Promise<string> => {
    const { eventStreams } = (await (await bulk()).json()) as {
      eventStreams: [{ type: string; endpoint: { requestUri: string }; inactivityDelaySec: number }];
    };
    expect(eventStreams).toEqual([
      {
        type: 'sse',
        endpoint: { requestUri: expect.stringMatching(/^\/ofrep\/v1\/stream\?channel=/) },
        inactivityDelaySec: 120,
      },
    ]);
    return eventStreams[0].endpoint.requestUri;
  };
  const follow = async (path: string, headers: Record<string, string> = {}) => {
    const source = await listen(server.url, path, headers);
    open.push(source);
    return source;
  };

  it('tell a provider after the ADR when to ask again, and it never gets older values', async () => {
    const source = await follow(await streamPath(), { origin: 'https://example.org' });
    expect(source.headers['access-control-allow-origin']).toBe('https://example.org');
    for (const [rollout, version] of [
      [100, 2],
      [0, 3],
      [100, 4],
    ] as const) {
      await change(everybody(rollout));
      const { id, event, data } = await source.next();
      expect([id, event, data]).toEqual([
        String(version),
        'message',
        { type: 'refetchEvaluation', etag: `"${version}"`, lastModified: Date.parse(START) / 1000 },
      ]);
      const query = `?flagConfigEtag=${encodeURIComponent(data.etag)}&flagConfigLastModified=${data.lastModified}`;
      const { flags } = (await (await bulk(query)).json()) as { flags: [{ key: string; value: boolean }] };
      expect(flags).toMatchObject([{ key: 'first', value: rollout === 100 }]);
    }
    expect(source.waiting()).toBe(0);
  });

  it('tell what changed between the answer and the stream, and nothing otherwise', async () => {
    const path = await streamPath();
    const quiet = await follow(path);
    await change(everybody(100));
    await quiet.next();
    expect((await (await follow(path)).next()).data.type).toBe('refetchEvaluation');
    const upToDate = await follow(path, { 'last-event-id': '2' });
    await change(everybody(10));
    expect((await upToDate.next()).id).toBe('3');
  });

  it('have the whole address where the server knows its own', async () => {
    await server.close();
    server = await startServer({ config: { publicUrl: 'https://cairn.example.org' } });
    const { eventStreams } = (await (await bulk()).json()) as { eventStreams: object[] };
    expect(eventStreams).toEqual([
      {
        type: 'sse',
        url: expect.stringMatching(/^https:\/\/cairn\.example\.org\/ofrep\/v1\/stream\?channel=/),
        inactivityDelaySec: 120,
      },
    ]);
  });

  it('have an answer whose tag does not depend on the channel', async () => {
    const first = await bulk();
    server.setNow('2026-01-15T14:00:00Z');
    const later = await bulk();
    expect(later.headers.get('etag')).toBe(first.headers.get('etag'));
    expect(await later.text()).not.toBe(await first.text());
  });

  it.each(['', 'x', '1.1.9999999.abc', '1.1.1', 'a'.repeat(5000), '../../etc', '%00'])(
    'refuse the channel %j',
    async (channel) => {
      const source = await follow(`/ofrep/v1/stream?channel=${encodeURIComponent(channel)}`);
      expect([source.status, source.headers['content-type']]).toEqual([401, 'application/json; charset=utf-8']);
    },
  );

  it('refuse a channel whose project or time was changed, and one that is a day old', async () => {
    const path = await streamPath();
    expect((await follow(path.replace('channel=1.', 'channel=2.'))).status).toBe(401);
    expect((await follow(path.replace(/\.\d+\.([\w-]+)$/, '.999999.$1'))).status).toBe(401);
    const running = await follow(path);
    server.setNow('2026-01-16T13:00:01Z');
    expect((await follow(path)).status).toBe(401);
    await running.ended;
  });

  it('are no key: the channel opens nothing else', async () => {
    const channel = (await streamPath()).split('=')[1] ?? '';
    const answers = await Promise.all([
      client.get(STREAM, { key: channel }),
      client.get('/flags/definitions', { key: channel }),
      sendJson(server.url, '/decide/?v=3', { token: channel, distinct_id: 'ada' }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 401]);
  });

  it.each(['"999999"', '"-1"', 'x', '"1e9"', '', '"1'.repeat(100)])('answer at once for the tag %j', async (etag) => {
    const since = performance.now();
    const answer = await bulk(`?flagConfigEtag=${encodeURIComponent(etag)}`);
    expect([answer.status, performance.now() - since < 900]).toEqual([200, true]);
  });
});
