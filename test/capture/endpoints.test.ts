/** The capture endpoints: paths, encodings, keys, and what browsers may read. */
import { gzipSync } from 'node:zlib';
import lzString from 'lz-string';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clientFor } from '../support/client.ts';
import { send, sendJson } from '../support/send.ts';
import { startServer, type TestProject, type TestServer } from '../support/server.ts';

const PATHS = ['/capture', '/batch', '/e', '/track', '/engage', '/i/v0/e'];
const ORIGIN = { origin: 'https://shop.example' };

let server: TestServer;
let stranger: TestProject;
let secretKey: string;
let count = 0;

beforeAll(async () => {
  server = await startServer();
  stranger = await server.createProject({ foreign: true });
  const rotated = await clientFor(server).patch(`/api/projects/${server.projectId}/rotate_secret_token/`, { body: {} });
  secretKey = rotated.body.secret_api_token;
});
afterAll(() => server.close());

const anEvent = (more: object = {}): object => ({
  api_key: server.projectKey,
  event: 'opened',
  distinct_id: `visitor-${++count}`,
  ...more,
});

/** The distinct ids stored of this event name, in order. */
async function storedIds(event: string, projectId = server.projectId): Promise<unknown[]> {
  await server.drain();
  const sql = 'select distinct_id from event_rows where event = $1 and project_id = $2 order by rowid';
  return (await server.query(sql, [event, projectId])).map((row) => row['distinct_id']);
}

describe.each(PATHS.flatMap((path) => [path, `${path}/`]))('%s', (path) => {
  it('takes a POST', async () => {
    const event = `post ${path}`;
    const answer = await sendJson(server.url, path, anEvent({ event, distinct_id: 'ada' }));
    expect([answer.status, answer.text]).toEqual([200, '{"status":1}']);
    expect(answer.headers['content-type']).toContain('application/json');
    expect(await storedIds(event)).toEqual(['ada']);
  });

  it('takes a GET with the event in the query', async () => {
    const event = `get ${path}`;
    const data = Buffer.from(JSON.stringify(anEvent({ event, distinct_id: 'ada' }))).toString('base64');
    const answer = await send(server.url, path, { method: 'GET', query: { data } });
    expect([answer.status, answer.text]).toEqual([200, '{"status":1}']);
    expect(await storedIds(event)).toEqual(['ada']);
  });

  it('answers a preflight', async () => {
    const headers = { ...ORIGIN, 'access-control-request-method': 'POST', 'access-control-request-headers': 'b3' };
    const answer = await send(server.url, path, { method: 'OPTIONS', headers });
    expect([answer.status, answer.json]).toEqual([200, { status: 1 }]);
    expect(answer.headers['access-control-allow-origin']).toBe('https://shop.example');
    expect(answer.headers['access-control-allow-headers']).toBe('X-Requested-With,Content-Type,b3');
  });

  it('refuses other methods', async () => {
    expect((await send(server.url, path, { method: 'DELETE' })).status).toBe(405);
  });
});

it('takes an unnamed object on /engage/ as an identify, and nowhere else', async () => {
  const body = { api_key: server.projectKey, $distinct_id: 'engaged', $set: { plan: 'pro' } };
  await sendJson(server.url, '/engage/', body);
  await sendJson(server.url, '/capture/', { ...body, $distinct_id: 'not engaged' });
  expect(await storedIds('$identify')).toEqual(['engaged']);
});

it('accepts recordings, counts them and stores none', async () => {
  const before = (await server.counters()).dropped['session_recording'] ?? 0;
  const snapshot = anEvent({ event: '$snapshot', properties: { $snapshot_data: ['x'], $session_id: 's' } });
  const answer = await sendJson(server.url, '/s/', { api_key: server.projectKey, batch: [snapshot, snapshot] });
  expect([answer.status, answer.json]).toEqual([200, { status: 1 }]);
  expect(await storedIds('$snapshot')).toEqual([]);
  expect((await server.counters()).dropped['session_recording']).toBe(before + 2);
});

describe('bodies', () => {
  const json = (event: string): string => JSON.stringify(anEvent({ event, distinct_id: 'ada' }));
  const form = (data: string, more: Record<string, string> = {}): string =>
    new URLSearchParams({ data, ...more }).toString();
  const base64 = (text: string): string => Buffer.from(text).toString('base64');
  const FORM = 'application/x-www-form-urlencoded';

  it.each<[string, string | undefined, Record<string, string>, (event: string) => Buffer | string]>([
    ['JSON', 'application/json', {}, json],
    ['JSON with a charset', 'application/json; charset=utf-8', {}, json],
    ['plain text', 'text/plain', {}, json],
    ['no content type', undefined, {}, json],
    ['a content type of its own', 'application/vnd.custom', {}, json],
    ['base64 text', 'text/plain', {}, (event) => base64(json(event))],
    ['base64 without padding', 'text/plain', {}, (event) => base64(json(event)).replace(/=+$/, '')],
    ['gzip with a header', 'application/json', { 'content-encoding': 'gzip' }, (event) => gzipSync(json(event))],
    ['gzip without a hint', 'text/plain', {}, (event) => gzipSync(json(event))],
    ['a form', FORM, {}, (event) => form(json(event))],
    ['a form with base64', FORM, {}, (event) => form(base64(json(event)))],
    ['a form with lz64', FORM, {}, (event) => form(lzString.compressToBase64(json(event)), { compression: 'lz64' })],
    [
      'multipart',
      'multipart/form-data; boundary=X',
      {},
      (event) => `--X\r\nContent-Disposition: form-data; name="data"\r\n\r\n${json(event)}\r\n--X--\r\n`,
    ],
  ])('reads %s', async (name, type, headers, body) => {
    const event = `body: ${name}`;
    const typed = type === undefined ? headers : { 'content-type': type, ...headers };
    const answer = await send(server.url, '/e/', { headers: typed, body: body(event) });
    expect([answer.status, answer.text]).toEqual([200, '{"status":1}']);
    expect(await storedIds(event)).toEqual(['ada']);
  });

  it.each<[string, string, string, Record<string, string>?]>([
    ['an empty batch', '/batch/', '{"api_key":"phc_wrong","batch":[]}'],
    ['a batch of nothing', '/batch/', '{"api_key":"phc_wrong","batch":[null]}'],
    [
      'an empty list in a form',
      '/e/',
      'api_key=phc_wrong&data=[]',
      { 'content-type': 'application/x-www-form-urlencoded' },
    ],
    ['an empty batch of Segment', '/v1/batch', '{"writeKey":"phc_wrong","batch":[]}'],
    [
      'a body that is none',
      '/v1/batch',
      '{',
      { authorization: `Basic ${Buffer.from('phc_wrong:').toString('base64')}` },
    ],
  ])('tells of a wrong key before %s', async (_name, path, body, headers = {}) => {
    const answer = await send(server.url, path, { headers: { 'content-type': 'application/json', ...headers }, body });
    expect([answer.status, answer.json.code]).toEqual([401, 'invalid_api_key']);
  });

  it.each<[string, string, string]>([
    ['nothing', '', 'no_data'],
    ['an empty object', '{}', 'no_data'],
    ['an empty list', '[]', 'no_data'],
    ['half a JSON', '{"event":', 'invalid_payload'],
    ['a text for a batch', '{"api_key":"phc_test_project_key","batch":"abc"}', 'invalid_payload'],
    ['null in a batch', '{"api_key":"phc_test_project_key","batch":[null]}', 'invalid_payload'],
    ['a number', '17', 'invalid_payload'],
    ['an empty batch', '{"api_key":"phc_test_project_key","batch":[]}', 'no_data'],
    ['an empty batch without a key', '{"batch":[]}', 'no_data'],
  ])('refuses %s', async (_name, body, code) => {
    const answer = await send(server.url, '/batch/', {
      headers: { 'content-type': 'application/json', ...ORIGIN },
      body,
    });
    expect(answer.status).toBe(400);
    expect(answer.json).toEqual({ type: 'validation_error', code, detail: expect.any(String), attr: null });
    // A page that may not read the error would not even learn the status.
    expect(answer.headers['access-control-allow-origin']).toBe('https://shop.example');
    expect(answer.headers['access-control-allow-credentials']).toBe('true');
  });
});

describe('beacons', () => {
  it('get an empty 204', async () => {
    const body = JSON.stringify(anEvent({ event: 'beacon' }));
    const answer = await send(server.url, '/e/', { query: { beacon: '1' }, headers: ORIGIN, body });
    expect([answer.status, answer.text]).toEqual([204, '']);
    expect(answer.headers['access-control-allow-origin']).toBe('https://shop.example');
    expect(await storedIds('beacon')).toHaveLength(1);
  });

  it('are refused like everybody else', async () => {
    const answer = await send(server.url, '/e/', { query: { beacon: '1' }, body: '{"event":"e","distinct_id":"d"}' });
    expect(answer.status).toBe(401);
  });
});

describe('keys', () => {
  const refusal = (status: number, type: string, code: string, attr: string | null = null) => ({
    status,
    json: { type, code, detail: expect.any(String), attr },
  });
  const invalidProject = refusal(400, 'validation_error', 'invalid_project', 'project_id');
  const wrongPersonal = refusal(401, 'authentication_error', 'invalid_personal_api_key');

  const trial = async (fields: object, query: Record<string, string> = {}) => {
    const body = JSON.stringify({ event: 'keyed', distinct_id: 'd', ...fields });
    const { status, json } = await send(server.url, '/capture/', {
      headers: { 'content-type': 'application/json' },
      query,
      body,
    });
    return { status, json };
  };

  it.each(['api_key', 'token', '$token'])('are found in %s', async (field) => {
    expect((await trial({ [field]: server.projectKey })).status).toBe(200);
  });

  it('are found in properties, in the first event of a list, and in the query of a GET', async () => {
    expect((await trial({ properties: { token: server.projectKey } })).status).toBe(200);
    expect((await sendJson(server.url, '/e/', [anEvent(), { event: 'x', distinct_id: 'y' }])).status).toBe(200);
    const data = JSON.stringify({ event: 'e', distinct_id: 'd' });
    for (const name of ['token', 'api_key']) {
      const answer = await send(server.url, '/e/', { method: 'GET', query: { data, [name]: server.projectKey } });
      expect(answer.status).toBe(200);
    }
  });

  it('are found in form fields', async () => {
    const body = new URLSearchParams({
      data: '{"event":"e","distinct_id":"d"}',
      api_key: server.projectKey,
    }).toString();
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    expect((await send(server.url, '/e/', { headers, body })).status).toBe(200);
  });

  it('are required', async () => {
    expect(await trial({})).toEqual(refusal(401, 'authentication_error', 'missing_api_key'));
    expect(await trial({ api_key: '' })).toEqual(refusal(401, 'authentication_error', 'missing_api_key'));
  });

  it.each(['phc_unknown', 'phs_unknown', 'x'.repeat(65), 17, ['a'], 'ключ'])('%j is refused', async (key) => {
    expect(await trial({ api_key: key })).toEqual(refusal(401, 'authentication_error', 'invalid_api_key'));
  });

  it('of a project may be its secret one', async () => {
    expect(secretKey).toMatch(/^phs_/);
    expect((await trial({ api_key: secretKey, event: 'by secret key' })).status).toBe(200);
    expect(await storedIds('by secret key')).toEqual(['d']);
  });

  it('of a person need the project, in the body or in the query', async () => {
    const personal = { api_key: server.personalKey, event: 'by personal key' };
    expect((await trial({ ...personal, project_id: server.projectId })).status).toBe(200);
    expect((await trial({ ...personal, project_id: String(server.projectId) })).status).toBe(200);
    expect((await trial(personal, { project_id: String(server.projectId) })).status).toBe(200);
    expect(await storedIds('by personal key')).toEqual(['d', 'd', 'd']);
  });

  it.each([undefined, 'abc', 999_999, -1, 1.5, null, '', {}])('of a person with project_id %j are 400', async (id) => {
    expect(await trial({ api_key: server.personalKey, project_id: id })).toEqual(invalidProject);
  });

  it('of a person give no access to projects of others', async () => {
    expect(await trial({ api_key: server.personalKey, project_id: stranger.projectId })).toEqual(invalidProject);
    expect((await trial({ api_key: stranger.personalKey, project_id: stranger.projectId })).status).toBe(200);
  });

  it('that nobody has are wrong personal keys where they look like one', async () => {
    expect(await trial({ api_key: 'phx_nobody', project_id: server.projectId })).toEqual(wrongPersonal);
    expect(await trial({ api_key: 'phx_nobody' })).toEqual(wrongPersonal);
    expect(await trial({ api_key: 'whatever', project_id: server.projectId })).toEqual(wrongPersonal);
  });
});

describe('browsers', () => {
  it('get their origin without its path; none without an Origin header', async () => {
    const asked = async (headers: Record<string, string>) =>
      (await sendJson(server.url, '/e/', anEvent(), headers)).headers['access-control-allow-origin'];
    expect(await asked({ origin: 'https://a.example:8443/some/path' })).toBe('https://a.example:8443');
    expect(await asked({ origin: 'null' })).toBe('*');
    expect(await asked({})).toBeUndefined();
  });

  it.each([
    ['a wrong key', '/e/', '{"event":"e","distinct_id":"d","api_key":"no"}', 401],
    ['a V1 request without a key', '/i/v1/analytics/events', '{}', 401],
    ['a broken report', '/report/?token=no', 'x', 400],
  ])('can read the answer to %s', async (_name, path, body, status) => {
    const answer = await send(server.url, path, { headers: { ...ORIGIN, 'content-type': 'application/json' }, body });
    expect([answer.status, answer.headers['access-control-allow-origin']]).toEqual([status, 'https://shop.example']);
  });
});

describe('CSP reports', () => {
  const report = (type: string, body: unknown, query: Record<string, string> = { token: server.projectKey }) =>
    send(server.url, '/report', { query, headers: { 'content-type': type }, body: JSON.stringify(body) });

  it('come in two shapes and create no persons', async () => {
    const old = { 'csp-report': { 'document-uri': 'https://a.example/', 'blocked-uri': 'inline' } };
    expect(
      (await report('application/csp-report', old, { token: server.projectKey, distinct_id: 'csp-1' })).status,
    ).toBe(204);
    const violation = { type: 'csp-violation', user_agent: 'UA', body: { documentURL: 'https://b.example/' } };
    const list = [violation, { type: 'deprecation', body: {} }];
    const answer = await report('application/reports+json', list, { token: server.projectKey, distinct_id: 'csp-2' });
    expect([answer.status, answer.text]).toEqual([204, '']);
    expect(await storedIds('$csp_violation')).toEqual(['csp-1', 'csp-2']);
    expect(await server.rows(`select 1 from person_distinct_ids where distinct_id like 'csp-%'`)).toEqual([]);
  });

  it.each([[[]], [{}], [null], ['x'], [[{ type: 'csp-violation' }]]])('are refused when they hold %j', async (body) => {
    const answer = await report('application/reports+json', body);
    expect([answer.status, answer.json.code]).toEqual([400, 'invalid_csp_payload']);
  });

  it('need a key', async () => {
    const body = { 'csp-report': { 'document-uri': 'https://a.example/' } };
    expect((await report('application/csp-report', body, {})).json.code).toBe('missing_api_key');
    expect((await report('application/csp-report', body, { token: 'no' })).json.code).toBe('invalid_api_key');
  });
});
