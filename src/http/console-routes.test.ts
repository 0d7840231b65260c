import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { type FastifyInstance, fastify } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { consolePage, consoleRoutes } from './console-routes.ts';
import { sendError } from './errors.ts';

const PAGE = '<!doctype html><meta name="cairn-public-url" content="" /><title>Cairn</title>';

function serverOn(folder: string, publicUrl: string | null = null): FastifyInstance {
  const app = fastify();
  app.setErrorHandler(sendError);
  app.decorateRequest('caller', null);
  consoleRoutes(app, folder, consolePage({ folder, publicUrl }));
  return app;
}

describe('the built console', () => {
  let folder: string;
  let app: FastifyInstance;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'cairn-console-'));
    mkdirSync(join(folder, 'assets'));
    writeFileSync(join(folder, 'index.html'), PAGE);
    writeFileSync(join(folder, 'secret.js'), 'not an asset');
    for (const [name, text] of Object.entries({ 'a-1.js': 'plain', 'a-1.js.gz': 'packed', 'a-1.js.br': 'smaller' })) {
      writeFileSync(join(folder, 'assets', name), text);
    }
    app = serverOn(folder, 'https://cairn.example.org/?a="<&');
  });
  afterAll(() => rmSync(folder, { recursive: true }));
  const get = (url: string, headers: Record<string, string> = {}) => app.inject({ url, headers });

  it.each(['/', '/login', '/setup?token=x', '/status', '/project/1/live', '/project/1/person/a%2Fb', '/account'])(
    'is one page at %s, asked for anew each time, under a strict policy',
    async (path) => {
      const { statusCode, headers, body } = await get(path);
      expect([statusCode, body.includes('<title>Cairn</title>')]).toEqual([200, true]);
      expect(headers).toMatchObject({
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'no-cache',
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'content-security-policy':
          "default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; " +
          "require-trusted-types-for 'script'; trusted-types 'none'",
      });
    },
  );

  it('is not sent again where it is cached', async () => {
    const { headers } = await get('/');
    const again = await get('/project/2/live', { 'if-none-match': String(headers.etag) });
    expect([again.statusCode, again.body]).toEqual([304, '']);
  });

  it('is compressed where the browser accepts it, and contains the public URL', async () => {
    const { headers, rawPayload } = await get('/', { 'accept-encoding': 'gzip, br' });
    expect(headers['content-encoding']).toBe('gzip');
    expect(gunzipSync(rawPayload).toString()).toContain('content="https://cairn.example.org/?a=&quot;&lt;&amp;" />');
  });

  it.each([
    ['gzip, deflate, br', 'br', 'smaller'],
    ['gzip', 'gzip', 'packed'],
    ['', undefined, 'plain'],
  ])('sends its files for ever, for %j packed as %s', async (accepted, encoding, body) => {
    const answer = await get('/assets/a-1.js', { 'accept-encoding': accepted });
    expect([answer.headers['content-encoding'], answer.body]).toEqual([encoding, body]);
    expect(answer.headers).toMatchObject({
      'content-type': 'application/javascript; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
      vary: 'Accept-Encoding',
    });
  });

  it.each(['/assets/a-2.js', '/assets/..%2fsecret.js', '/assets/..%2findex.html', '/assets/a-1.js.gz', '/assets/'])(
    'has nothing at %s',
    async (path) => {
      expect((await get(path)).statusCode).toBe(404);
    },
  );
});

it('says so where the console is not built', async () => {
  const answer = await serverOn('/nowhere').inject('/project/1/live');
  expect([answer.statusCode, answer.json().detail]).toEqual([
    404,
    'The console is not built. Run `npm run build`, and start again.',
  ]);
});
