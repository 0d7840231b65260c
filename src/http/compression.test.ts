import { Readable } from 'node:stream';
import { gunzipSync } from 'node:zlib';
import { fastify } from 'fastify';
import { describe, expect, it } from 'vitest';
import { compressAnswers } from './compression.ts';

const LONG = { text: 'a'.repeat(5_000) };

describe('compressed answers', () => {
  const app = fastify();
  compressAnswers(app);
  app.get('/long', async () => LONG);
  app.get('/definitions', { config: { isUncompressed: true } }, async () => LONG);
  app.get('/short', async () => ({ ok: true }));
  app.get('/stream', async (_request, reply) => reply.send(Readable.from([JSON.stringify(LONG)])));
  const get = (url: string, encoding?: string) =>
    app.inject({ url, headers: encoding === undefined ? {} : { 'accept-encoding': encoding } });

  it('are smaller, and say how', async () => {
    const { headers, rawPayload } = await get('/long', 'br, gzip;q=0.8');
    expect([headers['content-encoding'], headers['vary']]).toEqual(['gzip', 'Accept-Encoding']);
    expect(Number(headers['content-length'])).toBe(rawPayload.length);
    expect(rawPayload.length).toBeLessThan(200);
    expect(JSON.parse(gunzipSync(rawPayload).toString())).toEqual(LONG);
  });

  it.each([
    ['a client that does not ask', '/long', undefined],
    ['a client that refuses', '/long', 'gzip;q=0'],
    ['a short answer', '/short', 'gzip'],
    ['a stream', '/stream', 'gzip'],
    ['an SDK', '/definitions', 'gzip'],
  ])('are plain for %s', async (_case, path, encoding) => {
    const { headers, body } = await get(path, encoding);
    expect(headers['content-encoding']).toBeUndefined();
    expect(JSON.parse(body)).toEqual(path === '/short' ? { ok: true } : LONG);
  });
});
