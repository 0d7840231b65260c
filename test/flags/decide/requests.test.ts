import { gzipSync } from 'node:zlib';
import lzString from 'lz-string';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { those } from '../../contract/flag-builders.ts';
import { type RawAnswer, type Sent, send, sendJson } from '../../support/send.ts';
import { startServer, type TestProject, type TestServer } from '../../support/server.ts';

let server: TestServer;
let foreign: TestProject;
beforeAll(async () => {
  server = await startServer();
  foreign = await server.createProject({ foreign: true });
  await server.addFlag({ key: 'on' });
  await server.addFlag({ key: 'named', filters: those('word', 'a+b/c?ü𝒳') });
});
afterAll(() => server.close());

const PATHS = ['/decide/?v=3', '/flags/?v=1'];
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const TEXT = { 'content-type': 'text/plain' };
const JSON_TYPE = { 'content-type': 'application/json' };

/** Holds what base64 turns into `+` and `/`. */
const body = (key = server.projectKey): string =>
  JSON.stringify({ token: key, distinct_id: 'ada', person_properties: { word: 'a+b/c?ü𝒳', fill: '>>>???~~~' } });
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const base64OfGzip = (text: string): string => gzipSync(text).toString('base64');
const form = (fields: Record<string, string>): string => new URLSearchParams(fields).toString();

const ENCODINGS: Record<string, () => Sent> = {
  'plain JSON': () => ({ headers: JSON_TYPE, body: body() }),
  'JSON without a type': () => ({ body: body() }),
  'JSON as text': () => ({ headers: TEXT, body: body() }),
  'JSON in a list': () => ({ headers: JSON_TYPE, body: `[${body()}, {"token": "other"}]` }),
  'a form with base64': () => ({ headers: FORM, body: form({ data: base64(body()) }) }),
  'a form whose + became spaces': () => ({ headers: FORM, body: `data=${base64(body()).replaceAll('+', ' ')}` }),
  'a form with a raw +': () => ({ headers: FORM, body: `data=${base64(body())}` }),
  'a form without padding': () => ({ headers: FORM, body: form({ data: base64(body()).replace(/=+$/, '') }) }),
  'a form that is nothing but base64': () => ({ headers: FORM, body: base64(body()) }),
  'base64 as text': () => ({ headers: TEXT, query: { compression: 'base64' }, body: base64(body()) }),
  'gzip that says so in its header': () => ({
    headers: { ...JSON_TYPE, 'content-encoding': 'gzip' },
    body: gzipSync(body()),
  }),
  'gzip-js that says so in the query': () => ({
    headers: TEXT,
    query: { compression: 'gzip-js' },
    body: gzipSync(body()),
  }),
  'gzip that says nothing': () => ({ headers: TEXT, body: gzipSync(body()) }),
  'gzip in base64': () => ({ headers: TEXT, body: base64OfGzip(body()) }),
  'lz64 in a form': () => ({
    headers: FORM,
    body: form({ data: lzString.compressToBase64(body()), compression: 'lz64' }),
  }),
  'lz64 by the query': () => ({
    headers: TEXT,
    query: { compression: 'lz64' },
    body: lzString.compressToBase64(body()).replaceAll('+', ' '),
  }),
  multipart: () => ({
    headers: { 'content-type': 'multipart/form-data; boundary=x' },
    body: `--x\r\nContent-Disposition: form-data; name="data"\r\n\r\n${base64(body())}\r\n--x--\r\n`,
  }),
  'Python’s NaN': () => ({ headers: JSON_TYPE, body: body().replace('{"word"', '{"n":NaN,"i":-Infinity,"word"') }),
};

describe.each(PATHS)('%s reads', (path) => {
  it.each(Object.keys(ENCODINGS))('%s', async (name) => {
    const answer = await send(server.url, path, ENCODINGS[name]?.());
    expect([answer.status, answer.json.featureFlags]).toEqual([200, { on: true, named: true }]);
  });

  it.each<[string, () => object]>([
    ['token', () => ({ token: server.projectKey })],
    ['$token', () => ({ $token: server.projectKey })],
    ['api_key', () => ({ api_key: server.projectKey })],
    ['properties.token', () => ({ properties: { token: server.projectKey } })],
    ['a personal key', () => ({ token: server.personalKey, project_id: server.projectId })],
    ['a personal key and a project id in words', () => ({ api_key: server.personalKey, project_id: '1' })],
  ])('the key as %s', async (_name, key) => {
    const { status, json } = await sendJson(server.url, path, { distinct_id: 'ada', ...key() });
    expect([status, json.featureFlags['on']]).toEqual([200, true]);
  });

  it('the key from the form before the body', async () => {
    const sent = { headers: FORM, body: form({ api_key: server.projectKey, data: base64(body('phc_other')) }) };
    expect((await send(server.url, path, sent)).status).toBe(200);
  });

  it.each<[string, unknown]>([
    ['a number', 42],
    ['a fraction', 1.5],
    ['an empty text', ''],
    ['a long text', 'x'.repeat(100_000)],
    ['NUL', 'a\u0000b'],
    ['half a pair', 'a\ud800b'],
    ['__proto__', '__proto__'],
  ])('a distinct id that is %s', async (_name, id) => {
    const { status, json } = await sendJson(server.url, path, { token: server.projectKey, distinct_id: id });
    expect([status, json.featureFlags['on'], json.errorsWhileComputingFlags]).toEqual([200, true, false]);
  });
});

it('reads a number as text, and cuts long ids, as for events', async () => {
  await server.addFlag({ key: 'answer', filters: those('distinct_id', '42') });
  await server.addFlag({ key: 'long', filters: those('distinct_id', 'x'.repeat(200)) });
  const flagsOf = async (id: unknown) =>
    (await sendJson(server.url, '/decide/?v=2', { token: server.projectKey, distinct_id: id })).json.featureFlags;
  expect(await flagsOf(42)).toMatchObject({ answer: true });
  expect(await flagsOf('x'.repeat(300))).toMatchObject({ long: true });
});

interface Problem {
  status: number;
  code: string;
  type?: string;
  attr?: string | null;
  decide?: string | RegExp;
  flags?: string | RegExp;
}

const UNREADABLE: Problem = {
  status: 400,
  code: 'malformed_data',
  decide: /^Malformed request data: ./,
  flags: /^Failed to decode request: ./,
};
const WRONG_KEY: Problem = {
  status: 401,
  type: 'authentication_error',
  code: 'invalid_api_key',
  decide: 'Project API key invalid. You can find your project API key in PostHog project settings.',
  flags: 'The provided API key is invalid or has expired. Please check your API key and try again.',
};
const NO_KEY: Problem = {
  status: 401,
  type: 'authentication_error',
  code: 'missing_api_key',
  flags: 'No API token provided. Please include a valid API token in your request.',
};
const WRONG_PERSON: Problem = {
  status: 401,
  type: 'authentication_error',
  code: 'invalid_personal_api_key',
  decide: 'Invalid Personal API key.',
};
const NOBODY: Problem = {
  status: 400,
  code: 'missing_distinct_id',
  decide: 'Decide requires a distinct_id.',
  flags: 'The distinct_id field is missing from the request. Please include a valid identifier.',
};
const wrong = (attr: string): Problem => ({ status: 400, code: 'invalid_input', attr });

const raw = (text: string | Buffer, headers: Record<string, string> = JSON_TYPE, query = {}) => ({
  headers,
  query,
  body: text,
});
const json = (value: object) => raw(JSON.stringify(value));
const asked = (more: object) => json({ token: server.projectKey, distinct_id: 'ada', ...more });

const PROBLEMS: Record<string, [() => Sent, Problem]> = {
  'broken JSON': [() => raw('{"token"'), UNREADABLE],
  'no JSON': [() => raw('{distinct_id-1}', TEXT), UNREADABLE],
  'a sum': [() => raw('1==1', TEXT), UNREADABLE],
  'base64 of a sum': [() => raw(form({ data: base64('1-1') }), FORM), UNREADABLE],
  'a cut gzip': [() => raw(gzipSync(body()).subarray(0, 40), TEXT, { compression: 'gzip' }), UNREADABLE],
  'the word undefined as gzip': [() => raw('undefined', TEXT, { compression: 'gzip' }), UNREADABLE],
  'a number': [() => raw('7'), UNREADABLE],
  'a text': [() => raw('"hello"'), UNREADABLE],
  'a list of numbers': [() => raw('[7]'), UNREADABLE],
  'bytes that are no UTF-8': [() => raw(Buffer.from([0x7b, 0xff, 0xfe, 0x7d])), UNREADABLE],
  'lz64 that is none': [() => raw('!!!!', TEXT, { compression: 'lz64' }), UNREADABLE],
  'nesting without end': [() => raw(`{"person_properties":{"a":${'['.repeat(5000)}${']'.repeat(5000)}}}`), UNREADABLE],
  'nothing at all': [() => ({ body: '' }), NO_KEY],
  'an empty form': [() => raw('', FORM), NO_KEY],
  'an empty object': [() => json({}), NO_KEY],
  null: [() => raw('null'), NO_KEY],
  'an empty list': [() => raw('[]'), NO_KEY],
  'a key that is null': [() => json({ api_key: null, distinct_id: 'ada' }), NO_KEY],
  'an empty key': [() => json({ token: '', distinct_id: 'ada' }), NO_KEY],
  'an unknown key': [() => json({ token: 'phc_unknown', distinct_id: 'ada' }), WRONG_KEY],
  'a key that is a number': [() => json({ token: 7, distinct_id: 'ada' }), WRONG_KEY],
  'a key that is an object': [() => json({ token: { a: 1 }, distinct_id: 'ada' }), WRONG_KEY],
  'a wrong personal key': [() => json({ token: 'phx_unknown', distinct_id: 'ada', project_id: 1 }), WRONG_PERSON],
  'an unknown key beside a project': [() => json({ token: 'unknown', distinct_id: 'a', project_id: 1 }), WRONG_PERSON],
  'a personal key alone': [
    () => json({ token: server.personalKey, distinct_id: 'ada' }),
    { status: 400, code: 'invalid_project', attr: 'project_id' },
  ],
  'a stranger’s personal key': [
    () => json({ token: foreign.personalKey, distinct_id: 'ada', project_id: server.projectId }),
    { status: 400, code: 'invalid_project', attr: 'project_id' },
  ],
  nobody: [() => json({ token: server.projectKey }), NOBODY],
  'nobody, said as null': [() => json({ token: server.projectKey, distinct_id: null }), NOBODY],
  'a distinct id that is an object': [() => asked({ distinct_id: { a: 1 } }), wrong('distinct_id')],
  'a distinct id that is a list': [() => asked({ distinct_id: ['ada'] }), wrong('distinct_id')],
  'a distinct id that is true': [() => asked({ distinct_id: true }), wrong('distinct_id')],
  'an anonymous id that is an object': [() => asked({ $anon_distinct_id: {} }), wrong('$anon_distinct_id')],
  'groups that are a list': [() => asked({ groups: ['acme'] }), wrong('groups')],
  'groups that are a text': [() => asked({ groups: 'acme' }), wrong('groups')],
  'a group key that is an object': [() => asked({ groups: { company: { id: 1 } } }), wrong('groups')],
  'a group key that is a list': [() => asked({ $groups: { company: [1] } }), wrong('groups')],
  'properties that are a list': [() => asked({ person_properties: [1] }), wrong('person_properties')],
  'group properties that are a text': [() => asked({ group_properties: 'x' }), wrong('group_properties')],
  'properties of a group that are a text': [
    () => asked({ group_properties: { company: 'x' } }),
    wrong('group_properties'),
  ],
  'flag keys that are a text': [() => asked({ flag_keys: 'on' }), wrong('flag_keys')],
  'flag keys that are numbers': [() => asked({ flag_keys_to_evaluate: [1] }), wrong('flag_keys_to_evaluate')],
};

const ORIGIN = { origin: 'https://shop.example:8443' };
const corsOf = ({ headers }: RawAnswer) => [
  headers['access-control-allow-origin'],
  headers['access-control-allow-credentials'],
];

describe.each(PATHS)('%s refuses', (path) => {
  it.each(Object.keys(PROBLEMS))('%s', async (name) => {
    const [sent, problem] = PROBLEMS[name] as [() => Sent, Problem];
    const { headers, ...rest } = sent();
    const answer = await send(server.url, path, { ...rest, headers: { ...headers, ...ORIGIN } });
    const { status, type = 'validation_error', code, attr = null } = problem;
    expect([answer.status, answer.json]).toEqual([status, { type, code, attr, detail: expect.any(String) }]);
    const words = path.startsWith('/decide') ? problem.decide : (problem.flags ?? problem.decide);
    if (words !== undefined) expect(answer.json.detail).toMatch(words);
    // Without it a page only sees a network error, and retries.
    expect(corsOf(answer)).toEqual(['https://shop.example:8443', 'true']);
  });

  it('a body that is too large', async () => {
    const small = await startServer({ config: { maxFlagsBodyBytes: 1000 } });
    try {
      const answer = await sendJson(small.url, path, { token: small.projectKey, distinct_id: 'x'.repeat(2000) });
      expect([answer.status, answer.json.code]).toEqual([413, 'payload_too_large']);
    } finally {
      await small.close();
    }
  });
});

describe('odd but harmless input', () => {
  it.each<[string, object]>([
    ['groups of unknown kinds', { groups: { unheard: 'of', company: 'acme' } }],
    ['groups without keys', { groups: { company: null, team: '' } }],
    ['group keys that are numbers', { groups: { company: 7 } }],
    ['groups that are null', { groups: null, group_properties: null, person_properties: null }],
    ['empty maps as PHP writes them', { groups: [], group_properties: { company: [] }, person_properties: [] }],
    ['properties called __proto__', { person_properties: { constructor: 1, nested: { deeper: [] } } }],
    ['properties of unknown groups', { group_properties: { unheard: { of: 1 } } }],
  ])('%s', async (_name, more) => {
    const { status, json: answer } = await sendJson(server.url, '/decide/?v=3', {
      token: server.projectKey,
      distinct_id: 'ada',
      ...more,
    });
    expect([status, answer.featureFlags.on, answer.errorsWhileComputingFlags]).toEqual([200, true, false]);
  });

  it('a prototype in the properties does not become one', async () => {
    await server.addFlag({ key: 'polluted', filters: those('polluted', 'yes') });
    const text = body().replace('{"word"', '{"__proto__":{"polluted":"yes"},"word"');
    const { json: answer } = await send(server.url, '/decide/?v=3', raw(text));
    expect(answer.featureFlags.polluted).toBe(false);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });
});

describe('browsers', () => {
  it.each([
    '/decide/?v=3',
    '/flags/?v=2',
    '/array/x/config',
    '/array/x/config.js',
    '/static/array.js',
    '/api/surveys/',
  ])('may ask %s from another site', async (path) => {
    const headers = { ...ORIGIN, 'access-control-request-headers': 'content-type,content-encoding,traceparent' };
    const answer = await send(server.url, path, { method: 'OPTIONS', headers });
    expect([200, 204]).toContain(answer.status);
    expect(corsOf(answer)).toEqual(['https://shop.example:8443', 'true']);
    expect(answer.headers['access-control-allow-headers']).toContain('content-encoding');
    expect(answer.headers['access-control-allow-methods']).toBe('GET, POST, OPTIONS');
    expect(answer.headers['vary']).toContain('Origin');
  });

  it('get no CORS headers without an origin', async () => {
    const answer = await sendJson(server.url, '/decide/', { token: server.projectKey, distinct_id: 'ada' });
    expect(corsOf(answer)).toEqual([undefined, undefined]);
  });
});
