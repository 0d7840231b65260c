/** One test for each kind of error: status, headers where they matter, and the complete body. */
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clientFor } from '../support/client.ts';
import { addMember } from '../support/people.ts';
import { startServer, type TestProject, type TestServer } from '../support/server.ts';

let server: TestServer;
let stranger: TestProject;
let member: { personalKey: string };
let client: ReturnType<typeof clientFor>;
beforeAll(async () => {
  server = await startServer();
  client = clientFor(server);
  stranger = await server.createProject({ foreign: true });
  member = await addMember(server, 'member@example.org');
});
afterAll(() => server.close());

const NOT_FOUND = { type: 'invalid_request', code: 'not_found', detail: 'Not found.', attr: null };
const badKey = (place: string) => ({
  type: 'authentication_error',
  code: 'authentication_failed',
  detail: `Personal API key found in request ${place} is invalid.`,
  attr: null,
});
const invalid = (attr: string | null, code: string, detail: string) => ({
  type: 'validation_error',
  code,
  detail,
  attr,
});

describe('authentication', () => {
  it('401 without credentials', async () => {
    const { status, body, headers } = await client.get('/api/users/@me/', { key: null });
    expect(status).toBe(401);
    expect(headers.get('www-authenticate')).toBe('Bearer');
    expect(body).toEqual({
      type: 'authentication_error',
      code: 'not_authenticated',
      detail: 'Authentication credentials were not provided.',
      attr: null,
    });
  });

  it.each([['Bearer phx_wrong'], ['bearer   phx_wrong  ']])(
    '401 for a wrong key in the header: %j',
    async (authorization) => {
      const { status, body, headers } = await client.get('/api/users/@me/', { key: null, headers: { authorization } });
      expect([status, body]).toEqual([401, badKey('Authorization header')]);
      expect(headers.get('www-authenticate')).toBe('Bearer');
    },
  );

  it('401 for a wrong key in the body', async () => {
    const { status, body } = await client.post('/api/projects/', {
      key: null,
      body: { personal_api_key: 'phx_wrong' },
    });
    expect([status, body]).toEqual([401, badKey('body')]);
  });

  it('401 for a wrong key in the query', async () => {
    const { status, body } = await client.get('/api/users/@me/?personal_api_key=phx_wrong', { key: null });
    expect([status, body]).toEqual([401, badKey('query string')]);
  });

  it('401 for a project key where a personal key belongs', async () => {
    const { status, body } = await client.get('/api/users/@me/', { key: server.projectKey });
    expect([status, body]).toEqual([401, badKey('Authorization header')]);
  });

  it('reads the key from the first place that has one: header, body, query', async () => {
    const good = server.personalKey;
    const inBody = { personal_api_key: 'phx_wrong', first_name: 'Owner' };
    expect((await client.patch('/api/users/@me/', { body: inBody })).status).toBe(200);
    const query = `/api/users/@me/?personal_api_key=${good}`;
    expect((await client.patch(query, { key: null, body: inBody })).body).toEqual(badKey('body'));
    expect((await client.patch(query, { key: null, body: { first_name: 'Owner' } })).status).toBe(200);
    const right = { personal_api_key: good, first_name: 'Owner' };
    expect((await client.patch('/api/users/@me/', { key: null, body: right })).status).toBe(200);
  });

  it('reads the key from a form, too', async () => {
    const { status } = await client.patch('/api/users/@me/', {
      key: null,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: `personal_api_key=${server.personalKey}&first_name=Owner`,
    });
    expect(status).toBe(200);
  });
});

describe('permissions', () => {
  it('403 with the message of the rule', async () => {
    const { status, body } = await client.post('/api/organizations/@current/roles/', {
      key: member.personalKey,
      body: { name: 'Editors' },
    });
    expect(status).toBe(403);
    expect(body).toEqual({
      type: 'authentication_error',
      code: 'permission_denied',
      detail: 'You need to have admin level or higher.',
      attr: null,
    });
  });

  it("403 for another user's page", async () => {
    const { status, body } = await client.get('/api/users/018f0000-0000-7000-8000-000000000000/');
    expect(status).toBe(403);
    expect(body.detail).toBe('You do not have permission to perform this action.');
  });
});

describe('not found', () => {
  it.each([
    ['a project nobody has', '/api/projects/999999/'],
    ['a project that is no number', '/api/projects/first/'],
    ['a project with a number beyond reason', `/api/projects/${'9'.repeat(400)}/`],
    ['a key', '/api/personal_api_keys/018f0000-0000-7000-8000-000000000000/'],
    ['a role', '/api/organizations/@current/roles/nonsense/'],
  ])('404 for %s', async (_name, path) => {
    const { status, body } = await client.get(path);
    expect([status, body]).toEqual([404, NOT_FOUND]);
  });

  it('404 for the project of another organization, as if it did not exist', async () => {
    const { status, body } = await client.get(`/api/projects/${stranger.projectId}/`);
    expect([status, body]).toEqual([404, NOT_FOUND]);
  });

  it.each([['018f0000-0000-7000-8000-000000000000'], ['nonsense'], ["strangers'"]])(
    '404 for the organization %s',
    async (id) => {
      const path = `/api/organizations/${id === "strangers'" ? stranger.organizationId : id}/`;
      const { status, body } = await client.get(path);
      expect([status, body]).toEqual([404, { ...NOT_FOUND, detail: 'Organization not found.' }]);
    },
  );

  it.each([
    ['GET', '/api/nothing/'],
    ['POST', '/api/nothing/'],
    ['DELETE', '/api/projects/1/nothing/here/'],
    ['GET', '/nothing'],
    ['PUT', '/nowhere'],
  ])('404 for an unknown route: %s %s', async (method, path) => {
    for (const key of [server.personalKey, null]) {
      const response = await fetch(server.url + path, {
        method,
        headers: key ? { authorization: `Bearer ${key}` } : {},
      });
      const body = await response.json();
      expect([response.status, body]).toEqual([404, { ...NOT_FOUND, detail: 'Endpoint not found.' }]);
    }
  });

  it('404 for an unknown route, whatever the body', async () => {
    for (const [type, body] of [
      ['application/json', '{broken'],
      ['application/json', '{"__proto__": 1}'],
      ['x/y', 'z'],
    ]) {
      const answer = await client.post('/api/nothing/', { body, headers: { 'content-type': type ?? '' } });
      expect([answer.status, answer.body.detail]).toEqual([404, 'Endpoint not found.']);
    }
  });

  it('404 for an id that is too long', async () => {
    const { status, body } = await client.get(`/api/projects/${'9'.repeat(2000)}/`);
    expect([status, body]).toEqual([404, NOT_FOUND]);
  });
});

describe('method', () => {
  const NOT_ALLOWED = { type: 'invalid_request', code: 'method_not_allowed', attr: null };

  it.each([
    ['PUT', '/api/projects/'],
    ['DELETE', '/api/projects/'],
    ['PUT', '/api/personal_api_keys/1'],
    ['POST', '/api/users/@me/'],
    ['GET', '/api/login/'],
  ])('405 for %s %s', async (method, path) => {
    const response = await fetch(server.url + path, {
      method,
      headers: { authorization: `Bearer ${server.personalKey}` },
    });
    expect(response.status).toBe(405);
    expect(await response.json()).toEqual({ ...NOT_ALLOWED, detail: `Method "${method}" not allowed.` });
  });

  it('405 whatever the body', async () => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    expect((await client.put('/api/projects/', { body: 'a=b', headers })).status).toBe(405);
    expect((await client.put('/api/projects/', { body: '{broken' })).status).toBe(405);
  });

  it('401 before 405 without credentials', async () => {
    expect((await client.put('/api/projects/', { key: null })).status).toBe(401);
  });
});

describe('bodies', () => {
  it.each(['{"name": ', '{name: 1}', 'nonsense', "{'name': 'x'}"])('400 for malformed JSON: %s', async (sent) => {
    const { status, body } = await client.post('/api/projects/', { body: sent });
    expect(status).toBe(400);
    expect(body).toEqual({
      type: 'invalid_request',
      code: 'parse_error',
      detail: expect.stringMatching(/^JSON parse error - ./),
      attr: null,
    });
  });

  it('400 for JSON that is nested too deeply', async () => {
    const { status, body } = await client.post('/api/projects/', {
      body: `{"name": ${'['.repeat(15_000)}${']'.repeat(15_000)}}`,
    });
    expect([status, body.code, body.detail]).toEqual([
      400,
      'parse_error',
      'JSON parse error - nested more than 100 levels deep',
    ]);
  });

  it('400 for a broken multipart form', async () => {
    const headers = { 'content-type': 'multipart/form-data; boundary=x' };
    const { status, body } = await client.post('/api/projects/', { body: 'nonsense', headers });
    expect([status, body.code]).toEqual([400, 'parse_error']);
    expect(body.detail).toMatch(/^Multipart form parse error - ./);
  });

  it.each(['text/plain', 'application/xml', 'x/y'])('415 for %s', async (type) => {
    const { status, body } = await client.post('/api/projects/', { body: 'x', headers: { 'content-type': type } });
    expect(status).toBe(415);
    expect(body).toEqual({
      type: 'invalid_request',
      code: 'unsupported_media_type',
      detail: `Unsupported media type "${type}" in request.`,
      attr: null,
    });
  });

  it.each([
    ['lists', '[],'.repeat(20_001)],
    ['numbers', '0,'.repeat(50_001)],
  ])('400 for JSON of nothing but %s', async (_name, items) => {
    const { status, body } = await client.post('/api/projects/', { body: `{"name": [${items}0]}` });
    expect([status, body.code, body.detail]).toEqual([
      400,
      'parse_error',
      'JSON parse error - more lists, objects or values than this server takes',
    ]);
  });

  it('400 for a form of very many fields', async () => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const { status, body } = await client.post('/api/projects/', { body: 'a=1&'.repeat(200), headers });
    expect([status, body.code]).toEqual([400, 'parse_error']);
  });

  it.each([
    ['/api/projects/', 2 * 1024 * 1024],
    ['/api/login/', 16 * 1024],
    ['/api/setup/', 16 * 1024],
  ])('413 for more than %s takes', async (path, bytes) => {
    const { status, body } = await client.post(path, { body: { name: 'x'.repeat(bytes) } });
    expect(status).toBe(413);
    expect(body).toEqual({
      type: 'invalid_request',
      code: 'payload_too_large',
      detail: `The request body is larger than ${bytes} bytes. Send less at once.`,
      attr: null,
    });
  });

  it('accepts just under 2 MB', async () => {
    const { status, body } = await client.post('/api/projects/', {
      body: { name: 'x'.repeat(2 * 1024 * 1024 - 100) },
    });
    expect([status, body.code]).toEqual([400, 'max_length']);
  });

  it('accepts JSON, forms and multipart', async () => {
    const multipart = new FormData();
    multipart.set('name', 'from multipart');
    const bodies: [string, string | FormData, string | undefined][] = [
      ['from json', JSON.stringify({ name: 'from json' }), 'application/json; charset=utf-8'],
      ['from a form', new URLSearchParams({ name: 'from a form' }).toString(), 'application/x-www-form-urlencoded'],
      ['from multipart', multipart, undefined],
    ];
    for (const [name, body, type] of bodies) {
      const response = await fetch(`${server.url}/api/projects/`, {
        method: 'POST',
        headers: { authorization: `Bearer ${server.personalKey}`, ...(type ? { 'content-type': type } : {}) },
        body,
      });
      expect([response.status, ((await response.json()) as { name: string }).name]).toEqual([201, name]);
    }
  });
});

describe('validation', () => {
  const keys = '/api/personal_api_keys/';
  it.each<[string, unknown, ReturnType<typeof invalid>]>([
    ['a missing field', {}, invalid('label', 'required', 'This field is required.')],
    ['a blank field', { label: ' ' }, invalid('label', 'blank', 'This field may not be blank.')],
    ['null', { label: null }, invalid('label', 'null', 'This field may not be null.')],
    [
      'too much text',
      { label: 'x'.repeat(41) },
      invalid('label', 'max_length', 'Ensure this field has no more than 40 characters.'),
    ],
    ['a wrong type', { label: ['x'] }, invalid('label', 'invalid_input', 'Not a valid string.')],
    ['NUL', { label: 'a\0b' }, invalid('label', 'null_characters_not_allowed', 'Null characters are not allowed.')],
    ['a list for a body', [], invalid(null, 'invalid_input', 'Invalid data. Expected a dictionary, but got list.')],
  ])('400 for %s', async (_name, sent, expected) => {
    const { status, body } = await client.post(keys, { body: sent });
    expect([status, body]).toEqual([400, expected]);
  });

  it('400 naming the first field when there is no body at all', async () => {
    const { status, body } = await client.post(keys);
    expect([status, body]).toEqual([400, invalid('label', 'required', 'This field is required.')]);
  });

  it('400 for an invalid choice', async () => {
    const { status, body } = await client.post('/api/organizations/@current/resource_access/', {
      body: { resource: 'feature flags', access_level: 22 },
    });
    expect([status, body]).toEqual([400, invalid('access_level', 'invalid_choice', '"22" is not a valid choice.')]);
  });

  it('400 for an invalid time zone', async () => {
    const { status, body } = await client.patch('/api/projects/@current/', { body: { timezone: 'Mars/Olympus' } });
    expect([status, body]).toEqual([
      400,
      invalid('timezone', 'invalid_choice', '"Mars/Olympus" is not a valid choice.'),
    ]);
  });

  it('saves nothing when it refuses', async () => {
    const before = (await client.get('/api/projects/@current/')).body;
    await client.patch('/api/projects/@current/', { body: { name: 'Changed', anonymize_ips: 'perhaps' } });
    expect((await client.get('/api/projects/@current/')).body).toEqual(before);
  });
});

/** Sends raw bytes, which no client library does. */
function raw(request: string): Promise<string> {
  const { hostname, port } = new URL(server.url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(request));
    let answer = '';
    socket.on('data', (chunk) => {
      answer += chunk;
    });
    socket.on('close', () => resolve(answer));
    socket.on('error', reject);
  });
}

describe('requests that no client library sends', () => {
  const get = (path: string, host: string) =>
    `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer phx_test_personal_key\r\nConnection: close\r\n\r\n`;

  it('400 for a broken escape in the path, with the usual body', async () => {
    const answer = await raw(get('/api/projects/%ZZ/', 'cairn.test'));
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(JSON.parse(answer.split('\r\n\r\n')[1] ?? '')).toMatchObject({ code: 'parse_error', attr: null });
  });

  it('answers an invalid Host', async () => {
    expect(await raw(get('/api/projects/?limit=1', 'a[b'))).toMatch(/^HTTP\/1\.1 (200|400) /);
  });

  it('answers a path with two slashes as unknown', async () => {
    expect(await raw(get('//evil.test/api/projects/', 'cairn.test'))).toMatch(/^HTTP\/1\.1 404 /);
  });
});
