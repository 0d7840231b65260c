import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { Registry } from 'prom-client';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Failure } from '../../core/errors.ts';
import { openLog } from '../../lib/log.ts';
import { Admission } from '../admission/admission.ts';
import { FastPath, type FastPathDeps } from './fast-path.ts';
import type { FastRoute } from './fast-route.ts';

const logged: string[] = [];
const observed: unknown[] = [];
const log = openLog('info', { write: (line) => void logged.push(line) });
const usual: RequestListener = (request, response) => {
  request.resume();
  response.end('"usual"');
};
const GREET: FastRoute = {
  path: '/greet/',
  document: {},
  answer: (_deps, { query, body }) => {
    const { name, fault } = JSON.parse(String(body));
    if (fault === 'late') return Promise.reject(new Error('a fault'));
    if (fault === 'busy') throw new Failure('unavailable', 'Come back later.', { retryAfter: 2 });
    return JSON.stringify(`${(query as { word?: string }).word ?? 'Hello'}, ${name}`);
  },
};

let fastPath: FastPath<FastPathDeps>;
let server: Server;
beforeEach(async () => {
  logged.length = 0;
  observed.length = 0;
  log.level = 'info';
  fastPath = new FastPath(
    {
      log,
      ids: { uuid: () => 'an-id' },
      config: { maxFlagsBodyBytes: 1000, trustProxy: false },
      admission: new Admission({ maxBodyBytes: 1000, bodyMemoryMb: 8 }, new Registry()),
      metrics: { requestTimes: { observe: (...args: unknown[]) => void observed.push(args.slice(0, 3)) } },
    } as unknown as FastPathDeps,
    [GREET],
  );
  server = createServer(fastPath.wrap(usual));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(() => server.close());

async function ask(path: string, init: RequestInit = {}, body: object = { name: 'Ada' }): Promise<Response> {
  const { port } = server.address() as AddressInfo;
  const headers = { 'content-type': 'application/json', ...init.headers };
  return fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST', body: JSON.stringify(body), ...init, headers });
}

const said = async (...asked: Parameters<typeof ask>): Promise<unknown> => (await ask(...asked)).json();

it('answers short JSON itself, whatever its characters', async () => {
  expect(await said('/greet/')).toBe('Hello, Ada');
  expect(await said('/greet?word=Gr%C3%BC%C3%9F')).toBe('Grüß, Ada');
  expect(await said('/greet/', { headers: { 'content-type': 'text/plain;charset=UTF-8' } }, { name: '𝒳' })).toBe(
    'Hello, 𝒳',
  );
  expect(observed).toEqual(Array.from({ length: 3 }, () => ['POST', '/greet/', 200]));
});

it.each<[string, string, RequestInit?, object?]>([
  ['another path', '/greet/you'],
  ['another method', '/greet/', { method: 'PUT' }],
  ['another type', '/greet/', { headers: { 'content-type': 'application/x-www-form-urlencoded' } }],
  ['a type with more to it', '/greet/', { headers: { 'content-type': 'application/json; charset=utf-16' } }],
  ['a packed body', '/greet/', { headers: { 'content-encoding': 'gzip' } }],
  ['an empty body', '/greet/', { body: '' }],
  ['a body that is longer than bodies may be', '/greet/', {}, { name: 'x'.repeat(1000) }],
])('leaves %s to the usual way', async (_name, path, init, body) => {
  expect(await said(path, init, body)).toBe('usual');
  expect(observed).toEqual([]);
});

it('leaves all to the usual way where each request is to be logged, and when the server stops', async () => {
  log.level = 'debug';
  expect(await said('/greet/')).toBe('usual');
  log.level = 'info';
  expect(await said('/greet/')).toBe('Hello, Ada');
  fastPath.close();
  expect(await said('/greet/')).toBe('usual');
});

it('answers when the whole body has been received, as those who look for the rest of it can see', async () => {
  const complete: boolean[] = [];
  server.on('request', (request, response) => response.on('finish', () => complete.push(request.complete)));
  expect(await said('/greet/')).toBe('Hello, Ada');
  // In two parts.
  const { port } = server.address() as AddressInfo;
  const sent = request({
    port,
    path: '/greet/',
    method: 'POST',
    headers: { 'content-type': 'text/plain', 'content-length': 14 },
  });
  sent.write('{"name":');
  await new Promise((resolve) => setTimeout(resolve, 20));
  sent.end('"Eva"}');
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  expect(await json(answer)).toBe('Hello, Eva');
  expect(complete).toEqual([true, true]);
});

it('tells the operator what the caller need not know', async () => {
  const faulty = await ask('/greet/', {}, { fault: 'late' });
  expect([faulty.status, await faulty.json()]).toEqual([500, expect.objectContaining({ code: 'error' })]);
  expect(JSON.parse(logged[0] ?? '')).toMatchObject({
    level: 'error',
    request_id: 'an-id',
    err: { message: 'a fault' },
    msg: 'unexpected error',
  });
  const busy = await ask('/greet/', {}, { fault: 'busy' });
  expect([busy.status, busy.headers.get('retry-after')]).toEqual([503, '2']);
  expect(observed).toEqual([
    ['POST', '/greet/', 500],
    ['POST', '/greet/', 503],
  ]);
});
