/** Requests for flags take the fast path or go through Fastify: the response must be the same. */
import { once } from 'node:events';
import { type IncomingHttpHeaders, request } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { those } from '../../contract/flag-builders.ts';
import { startServer, type TestServer } from '../../support/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
  await server.addFlag({ key: 'on' });
  await server.addFlag({ key: 'named', filters: { ...those('word', 'ü𝒳'), payloads: { true: 'grüß' } } });
});
afterAll(() => server.close());

interface Asked {
  path?: string;
  body?: string | Buffer;
  headers?: Record<string, string>;
}

interface Answer {
  status: number | undefined;
  headers: IncomingHttpHeaders;
  body: Record<string, unknown>;
}

/** The fast path is for bodies with a content length; chunked ones go through Fastify. */
async function ask({ path = '/flags/?v=2', body = '', headers = {} }: Asked, way: 'short' | 'usual'): Promise<Answer> {
  const length = way === 'short' ? { 'content-length': String(Buffer.byteLength(body)) } : {};
  const options = { method: 'POST', headers: { 'content-type': 'application/json', ...headers, ...length } };
  const asking = request(server.url + path, options);
  asking.write(body);
  asking.end();
  const [answer] = await once(asking, 'response');
  const text = Buffer.concat(await answer.toArray()).toString();
  const { date: _date, ...rest } = answer.headers as IncomingHttpHeaders;
  const { requestId, ...members } = JSON.parse(text);
  expect(requestId === undefined || /^[0-9a-f-]{36}$/.test(requestId)).toBe(true);
  return { status: answer.statusCode, headers: rest, body: members };
}

const about = (more: object = {}): string =>
  JSON.stringify({ token: server.projectKey, distinct_id: 'ada', person_properties: { word: 'ü𝒳' }, ...more });

const WELL: Record<string, () => Asked> = {
  'version 1': () => ({ path: '/decide/', body: about() }),
  'version 2, without the last slash': () => ({ path: '/decide?v=2', body: about() }),
  'version 3': () => ({ path: '/decide/?v=3', body: about() }),
  'version 4, escaped': () => ({ path: '/decide/?%76=%34', body: about() }),
  'two versions': () => ({ path: '/decide/?v=2&v=3', body: about() }),
  'flags with everything': () => ({ path: '/flags/', body: about() }),
  'flags without the last slash': () => ({ path: '/flags?v=2&config=true', body: about() }),
  'some flags': () => ({ body: about({ flag_keys: ['on'] }) }),
  'no flags': () => ({ body: about({ disable_flags: true }) }),
  text: () => ({ body: about(), headers: { 'content-type': 'text/plain;charset=UTF-8' } }),
  'a type that says more': () => ({ body: about(), headers: { 'content-type': 'application/json; profile=x' } }),
  'a list': () => ({ body: `[${about()}]` }),
  NaN: () => ({ body: about().replace('"word"', '"n":NaN,"word"') }),
  'base64 that the query names': () => ({
    path: '/decide/?v=3&compression=base64',
    body: Buffer.from(about()).toString('base64'),
    headers: { 'content-type': 'text/plain' },
  }),
  'a personal key': () => ({ body: about({ token: server.personalKey, project_id: server.projectId }) }),
  'a page': () => ({ body: about(), headers: { origin: 'https://shop.example' } }),
  'a page that asks for headers': () => ({
    body: about(),
    headers: { origin: 'null', 'access-control-request-headers': 'X-Trace' },
  }),
  'somebody with a long name': () => ({ body: about({ distinct_id: 'x'.repeat(60_000) }) }),
};

const BADLY: Record<string, [status: number, asked: () => Asked]> = {
  'broken JSON': [400, () => ({ body: '{"token":' })],
  'no JSON': [400, () => ({ body: 'hello' })],
  'bytes that are no text': [400, () => ({ body: Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]) })],
  nothing: [401, () => ({ body: '{}' })],
  'a strange key': [401, () => ({ body: about({ token: 'phc_strange' }) })],
  'a strange key from a page': [401, () => ({ body: about({ token: 'x' }), headers: { origin: 'http://a.example' } })],
  nobody: [400, () => ({ path: '/decide/?v=3', body: about({ distinct_id: null }) })],
  'groups that are none': [400, () => ({ body: about({ groups: [1] }) })],
  'deep nesting': [
    400,
    () => ({ body: about({ x: 0 }).replace('"x":0', `"x":${'['.repeat(2000)}${']'.repeat(2000)}`) }),
  ],
};

describe('the fast path and Fastify give the same response', () => {
  it.each(Object.keys(WELL))('to %s', async (name) => {
    const asked = WELL[name]?.() ?? {};
    const short = await ask(asked, 'short');
    expect(short.status).toBe(200);
    expect(short).toEqual(await ask(asked, 'usual'));
  });

  it.each(Object.keys(BADLY))('to %s', async (name) => {
    const [status, asked] = BADLY[name] ?? [0, () => ({})];
    const short = await ask(asked(), 'short');
    expect(short.status).toBe(status);
    expect(short).toEqual(await ask(asked(), 'usual'));
  });
});

it('counts the requests of both', async () => {
  const count = async (): Promise<number> => {
    const text = await (await fetch(`${server.url}/metrics`)).text();
    const line = /request_seconds_count\{method="POST",route="\/decide\/",status="200"\} (\d+)/.exec(text);
    return Number(line?.[1] ?? 0);
  };
  const before = await count();
  await ask({ path: '/decide/?v=3', body: about() }, 'short');
  await ask({ path: '/decide/?v=3', body: about() }, 'usual');
  expect((await count()) - before).toBe(2);
});

const headFor = (length: number): string =>
  `POST /decide/?v=3 HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`;

/** Reads until the wanted number of responses has arrived. */
async function answersOn(socket: ReturnType<typeof connect>, wanted: number): Promise<string> {
  let text = '';
  for await (const chunk of socket) {
    text += chunk;
    if (text.split('"requestId"').length > wanted) break;
  }
  return text;
}

const toServer = () => connect(Number(new URL(server.url).port), '127.0.0.1');

it('reads a body that comes byte by byte, and the next request on the same connection', async () => {
  const socket = toServer();
  const body = about({ distinct_id: 'ü' });
  const bytes = Buffer.from(headFor(Buffer.byteLength(body)) + body);
  for (let at = 0; at < bytes.length; at += 40) {
    socket.write(bytes.subarray(at, at + 40));
    await sleep(1);
  }
  socket.write(Buffer.concat([bytes, bytes]));
  const text = await answersOn(socket, 3);
  expect(text.match(/HTTP\/1\.1 200 OK/g)).toHaveLength(3);
  expect(text.match(/"featureFlags":\{"named":true,"on":true\}/g)).toHaveLength(3);
});

it('survives a client that disconnects in the middle of a request', async () => {
  const socket = toServer();
  await once(socket, 'connect');
  socket.write(`${headFor(100)}{"token":`);
  await sleep(20);
  socket.destroy();
  expect((await ask({ body: about() }, 'short')).status).toBe(200);
});
