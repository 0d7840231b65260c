import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { isPrivateUrl } from '../../lib/network.ts';
import { lookupPublicAddress, postToWebhook, readRetryAfter } from './post-to-webhook.ts';

const NOW = Date.UTC(2026, 0, 15, 12);
const options = { timeoutMs: 300, signal: new AbortController().signal, now: NOW, isPrivateAllowed: true };

let server: Server | null = null;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

async function answering(status: number | null, headers: Record<string, string> = {}, body = ''): Promise<string> {
  const opened = createServer((request, response) => {
    request.resume();
    if (status !== null) response.writeHead(status, headers).end(body);
  });
  server = opened;
  await new Promise<void>((resolve) => opened.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(opened.address() as AddressInfo).port}/`;
}

describe('an attempt', () => {
  it.each<[number, string]>([
    [200, 'delivered'],
    [204, 'delivered'],
    [301, 'refused'],
    [308, 'refused'],
    [400, 'refused'],
    [403, 'refused'],
    [404, 'refused'],
    [410, 'refused'],
    [408, 'failed'],
    [429, 'failed'],
    [500, 'failed'],
    [503, 'failed'],
  ])('answered by %i is %s', async (status, kind) => {
    const outcome = await postToWebhook(await answering(status, { location: '/elsewhere' }), 'hello', options);
    expect(outcome.kind).toBe(kind);
  });

  it('reads how long to wait', async () => {
    const outcome = await postToWebhook(await answering(429, { 'retry-after': '7' }), 'hello', options);
    expect(outcome).toEqual({ kind: 'failed', why: 'it answered 429', retryAfterMs: 7000, status: 429 });
  });

  it('times out where nobody answers', async () => {
    const outcome = await postToWebhook(await answering(null), 'hello', options);
    expect(outcome).toEqual({ kind: 'failed', why: 'TimeoutError', retryAfterMs: 0, status: null });
  });

  it('is aborted at once by its signal', async () => {
    const { signal } = (() => {
      const controller = new AbortController();
      setTimeout(() => controller.abort(), 50);
      return controller;
    })();
    const start = performance.now();
    const outcome = await postToWebhook(await answering(null), 'hello', { ...options, timeoutMs: 60_000, signal });
    expect([outcome.kind, performance.now() - start < 5000]).toEqual(['failed', true]);
  });

  it('fails where nobody listens, and keeps the URL out of the log', async () => {
    const url = await answering(200);
    server?.close();
    const outcome = await postToWebhook(`${url}T0/B0/secret`, 'hello', options);
    expect(outcome).toEqual({ kind: 'failed', why: 'ECONNREFUSED', retryAfterMs: 0, status: null });
  });
});

describe('private addresses', () => {
  it.each([
    'http://127.0.0.1:9/',
    'http://127.1/',
    'http://2130706433/',
    'http://0x7f000001/',
    'http://[::1]:9/',
    'http://[::ffff:10.0.0.1]/',
    'http://169.254.169.254/latest/meta-data/',
    'http://LOCALHOST:9/',
    'https://db.localhost/',
  ])('are known by sight: %s', async (url) => {
    expect(isPrivateUrl(url)).toBe(true);
    const outcome = await postToWebhook(url, 'hello', { ...options, isPrivateAllowed: false });
    expect(outcome).toMatchObject({ kind: 'refused', why: expect.stringContaining('WEBHOOK_ALLOW_PRIVATE') });
  });

  it('are known by what a name leads to, when it is looked up to be connected to', async () => {
    for (const all of [true, false]) {
      const answer = await new Promise((resolve) =>
        lookupPublicAddress('localhost', { all }, (...given) => resolve(given)),
      );
      expect(answer).toEqual([expect.any(Error), []]);
    }
  });

  it('are no other addresses', () => {
    expect(isPrivateUrl('https://hooks.example.org/services/T0/B0/x')).toBe(false);
    expect(isPrivateUrl('http://8.8.8.8/')).toBe(false);
  });
});

describe('Retry-After', () => {
  it.each<[string | null, number]>([
    [null, 0],
    ['', 0],
    ['soon', 0],
    ['-5', 0],
    ['0', 0],
    ['30', 30_000],
    ['999999999', 3_600_000],
    ['Thu, 15 Jan 2026 12:01:00 GMT', 60_000],
    ['Thu, 15 Jan 2026 11:00:00 GMT', 0],
    ['Fri, 16 Jan 2026 12:00:00 GMT', 3_600_000],
  ])('%j is %i ms', (text, ms) => {
    expect(readRetryAfter(text, NOW)).toBe(ms);
  });
});
