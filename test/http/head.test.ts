import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openLog } from '../../src/lib/log.ts';
import { startServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let log = '';
beforeAll(async () => {
  const write = (line: string): void => {
    log += line;
  };
  server = await startServer({ log: openLog('debug', { write }) });
});
afterAll(() => server.close());

const ask = (method: string, path: string) =>
  fetch(server.url + path, { method, headers: { authorization: `Bearer ${server.personalKey}` } });

/** Without those of the moment and of the connection, which `fetch` closes after HEAD. */
const headersOf = (answer: Response): [string, string][] =>
  [...answer.headers].filter(([name]) => !['date', 'connection', 'keep-alive'].includes(name));

describe('HEAD', () => {
  it.each([
    ['a private route', '/api/projects/@current/'],
    ['a list with a query', '/api/projects/@current/feature_flags/?limit=1'],
    ['a route for SDKs', '/flags/?v=2'],
    ['definitions of flags', '/flags/definitions'],
    ['a page', '/'],
    ['a script', '/static/array.js'],
    ['the status', '/_livez'],
    ['no route', '/nowhere/at/all'],
  ])('of %s is answered as GET, without the body', async (_name, path) => {
    const got = await ask('GET', path);
    const body = Buffer.from(await got.arrayBuffer());
    const head = await ask('HEAD', path);
    expect(await head.text()).toBe('');
    expect([head.status, headersOf(head)]).toEqual([got.status, headersOf(got)]);
    expect(body.length).toBeGreaterThan(0);
  });

  it('is refused where the answer would go on', async () => {
    for (const path of ['/flags/definitions/stream', '/api/projects/@current/events/live/'])
      expect([path, (await ask('HEAD', path)).status]).toEqual([path, 405]);
  });

  it('is refused without a key, and where only other methods are', async () => {
    expect((await fetch(`${server.url}/api/projects/@current/`, { method: 'HEAD' })).status).toBe(401);
    expect((await ask('HEAD', '/batch/')).status).toBe((await ask('GET', '/batch/')).status);
  });

  it('is logged and measured as what it is', async () => {
    log = '';
    await ask('HEAD', '/api/projects/@current/');
    await expect.poll(() => log).toContain('"req":{"method":"HEAD","url":"/api/projects/@current/"');
    const metrics = await (await ask('GET', '/metrics')).text();
    expect(metrics).toMatch(/method="HEAD",route="\/api\/projects\/:project_id\/?",status="200"/);
  });
});
