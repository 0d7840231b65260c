import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { runInNewContext } from 'node:vm';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { send } from '../../support/send.ts';
import { startServer, type TestProject, type TestServer } from '../../support/server.ts';

const manifest = createRequire(import.meta.url).resolve('posthog-js/package.json');
const { version: VERSION } = JSON.parse(readFileSync(manifest, 'utf8'));
const fileOf = (name: string): string => readFileSync(manifest.replace(/package\.json$/, `dist/${name}`), 'utf8');

let server: TestServer;
let empty: TestProject;
beforeAll(async () => {
  server = await startServer();
  empty = await server.createProject({ name: 'Without flags' });
  await server.addFlag({ key: 'on' });
});
afterAll(() => server.close());

const get = (path: string, headers: Record<string, string> = {}) => send(server.url, path, { method: 'GET', headers });

describe('/array/:token/', () => {
  it('gives browsers the features that are on, as JSON', async () => {
    const { status, json, headers } = await get(`/array/${server.projectKey}/config`);
    expect([status, headers['cache-control']]).toEqual([200, 'public, max-age=30']);
    expect(json).toEqual({
      token: server.projectKey,
      hasFeatureFlags: true,
      supportedCompression: ['gzip', 'gzip-js', 'lz64'],
      autocapture_opt_out: false,
      analytics: { endpoint: '/i/v0/e/' },
      sessionRecording: false,
      heatmaps: false,
      capturePerformance: false,
      autocaptureExceptions: false,
      captureDeadClicks: false,
      defaultIdentifiedOnly: true,
      siteApps: [],
      isAuthenticated: false,
    });
  });

  it('says whether there are flags, from the next request on', async () => {
    const path = `/array/${empty.projectKey}/config`;
    expect((await get(path)).json.hasFeatureFlags).toBe(false);
    const other = await startServer();
    try {
      const ask = async () => (await send(other.url, `/array/${other.projectKey}/config/`, { method: 'GET' })).json;
      await other.addFlag({ key: 'asleep', active: false });
      expect((await ask()).hasFeatureFlags).toBe(false);
      await other.addFlag({ key: 'awake' });
      expect((await ask()).hasFeatureFlags).toBe(true);
    } finally {
      await other.close();
    }
  });

  it('gives the same as a script', async () => {
    const { status, text, headers } = await get(`/array/${server.projectKey}/config.js`);
    expect([status, headers['content-type']]).toEqual([200, 'application/javascript; charset=utf-8']);
    const page = { window: {} as Record<string, Record<string, object>> };
    runInNewContext(text, page);
    const { json } = await get(`/array/${server.projectKey}/config`);
    const loaded = { ...page.window['_POSTHOG_REMOTE_CONFIG'] };
    expect(JSON.parse(JSON.stringify(loaded))).toEqual({ [server.projectKey]: { config: json, siteApps: [] } });
    // Another project's configuration on the same page stays.
    runInNewContext((await get(`/array/${empty.projectKey}/config.js`)).text, page);
    expect(Object.keys(page.window['_POSTHOG_REMOTE_CONFIG'] ?? {})).toEqual([server.projectKey, empty.projectKey]);
  });

  it('puts it before the SDK in one script', async () => {
    const { text } = await get(`/array/${server.projectKey}/array.js`);
    const config = (await get(`/array/${server.projectKey}/config.js`)).text;
    expect(text).toBe(config + fileOf('array.js'));
  });

  it('cannot be ended early by a token', async () => {
    const token = 'phc_</script><script>\u2028alert(1)';
    const { projectKey } = await server.createProject({ token });
    const { status, text } = await get(`/array/${encodeURIComponent(projectKey)}/config.js`);
    expect(status).toBe(200);
    expect(text).not.toMatch(/<|\u2028/);
    const page = { window: {} as Record<string, Record<string, object>> };
    runInNewContext(text, page);
    expect(Object.keys(page.window['_POSTHOG_REMOTE_CONFIG'] ?? {})).toEqual([token]);
  });

  it.each(['config', 'config.js', 'array.js'])('answers 304 for a %s that the browser has cached', async (name) => {
    const path = `/array/${server.projectKey}/${name}`;
    const { headers } = await get(path);
    const etag = String(headers['etag']);
    expect(etag).toMatch(/^"[0-9a-f]{32}"$/);
    const again = await get(path, { 'if-none-match': `"other", W/${etag}` });
    expect([again.status, again.text, again.headers['etag']]).toEqual([304, '', etag]);
    expect((await get(path, { 'if-none-match': '"other"' })).status).toBe(200);
  });

  it.each(['phc_unknown', 'x'.repeat(400), '%00', '..%2f..%2fetc', '__proto__'])(
    'does not know a project by the key %s',
    async (token) => {
      for (const name of ['config', 'config.js', 'array.js']) {
        const { status, json } = await get(`/array/${token}/${name}`, { origin: 'https://shop.example' });
        expect([status, json.code]).toEqual([404, 'not_found']);
      }
    },
  );

  it('does not take a personal key for a project', async () => {
    expect((await get(`/array/${server.personalKey}/config`)).status).toBe(404);
  });
});

describe('/static/', () => {
  it.each(['array.js', 'array.full.js', 'surveys.js', 'lazy-recorder.js', 'recorder.js', 'exception-autocapture.js'])(
    'has %s, as the package has it, under all its addresses',
    async (name) => {
      for (const path of [
        `/static/${name}`,
        `/static/${name}?v=1.68.5`,
        `/static/${VERSION}/${name}`,
        `/static/1.400.1/${name}`,
      ]) {
        const answer = await get(path, { origin: 'https://shop.example' });
        expect([path, answer.status, answer.text === fileOf(name)]).toEqual([path, 200, true]);
        expect(answer.headers['access-control-allow-origin']).toBe('https://shop.example');
        expect(answer.headers['x-content-type-options']).toBe('nosniff');
      }
    },
  );

  it('is cached forever if the URL has this version, and briefly otherwise', async () => {
    const cacheOf = async (path: string) => (await get(path)).headers['cache-control'];
    const [forever, briefly] = ['public, max-age=31536000, immutable', 'public, max-age=30'];
    expect(await cacheOf(`/static/${VERSION}/array.js`)).toBe(forever);
    expect(await cacheOf(`/static/array.js?v=${VERSION}`)).toBe(forever);
    expect(await cacheOf('/static/array.js')).toBe(briefly);
    expect(await cacheOf('/static/1.2.3/array.js')).toBe(briefly);
  });

  it('is compressed for clients that accept it', async () => {
    const response = await fetch(new URL('/static/array.js', server.url), { headers: { 'accept-encoding': 'gzip' } });
    expect(response.headers.get('content-encoding')).toBe('gzip');
    expect(await response.text()).toBe(fileOf('array.js'));
    const plain = await get('/static/array.js');
    expect([plain.headers['content-encoding'], plain.headers['vary']]).toEqual([undefined, 'Accept-Encoding']);
    expect(Number(response.headers.get('content-length'))).toBeLessThan(Number(plain.headers['content-length']) / 2);
  });

  it.each([
    '/static/unheard-of.js',
    '/static/array.js.map',
    '/static/module.js',
    '/static/main.js',
    '/static/package.json',
    '/static/..%2fpackage.json',
    '/static/%2e%2e%2f%2e%2e%2fpackage.json',
    '/static/1.0.0/..%2f..%2fpackage.json',
    '/static/__proto__',
    '/static/constructor/toString',
    '/static/array.js%00',
  ])('has nothing at %s', async (path) => {
    expect((await get(path)).status).toBe(404);
  });
});

describe('features that this server does not have', () => {
  const ANSWERS: Record<string, object> = {
    '/api/surveys/': { surveys: [] },
    '/api/early_access_features/': { earlyAccessFeatures: [] },
    '/api/web_experiments/': { experiments: [] },
    '/api/product_tours/': { product_tours: [] },
  };

  it.each(Object.keys(ANSWERS))('%s says that there is nothing', async (path) => {
    const { status, json, headers } = await get(`${path}?token=${server.projectKey}&_=1`, {
      origin: 'https://a.example',
    });
    expect([status, json]).toEqual([200, ANSWERS[path]]);
    expect(headers['access-control-allow-origin']).toBe('https://a.example');
  });

  it.each(Object.keys(ANSWERS))('%s requires a valid key', async (path) => {
    const wrong = await get(`${path}?token=phc_unknown`, { origin: 'https://a.example' });
    expect([wrong.status, wrong.json.code]).toEqual([401, 'invalid_api_key']);
    expect(wrong.headers['access-control-allow-origin']).toBe('https://a.example');
    const none = await get(path);
    expect([none.status, none.json.code]).toEqual([401, 'missing_api_key']);
  });

  it('/i/v1/logs accepts lines and discards them', async () => {
    const sent = { query: { token: server.projectKey }, headers: { 'content-type': 'application/json' }, body: '{}' };
    const { status, json } = await send(server.url, '/i/v1/logs', sent);
    expect([status, json]).toEqual([200, {}]);
    expect((await send(server.url, '/i/v1/logs', { body: '{}' })).status).toBe(401);
  });
});

it('decompresses to the declared content', async () => {
  const { request } = await import('node:http');
  const bytes = await new Promise<Buffer>((resolve, reject) => {
    const url = new URL(`/array/${server.projectKey}/array.js`, server.url);
    request(url, { headers: { 'accept-encoding': 'gzip, br' } }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk) => chunks.push(chunk));
      response.on('end', () => resolve(Buffer.concat(chunks)));
    })
      .on('error', reject)
      .end();
  });
  expect(gunzipSync(bytes).toString('utf8')).toContain('_POSTHOG_REMOTE_CONFIG');
});
