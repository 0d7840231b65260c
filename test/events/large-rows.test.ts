/** Lists of large events and persons, on a small heap. The server stays usable, and every page answers. */

import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { addedWaitMs, measureImpact, startAttackedServer } from '../support/under-attack.ts';

let server: Awaited<ReturnType<typeof startAttackedServer>>;
beforeAll(async () => {
  // Together, the events below have more bytes than the event store may use.
  server = await startAttackedServer({ env: { EVENTS_MEMORY_MB: '64' } });
});
afterAll(() => server.close());

async function sendBatch(batch: readonly object[]): Promise<void> {
  const { status } = await fetch(`${server.url}/batch/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
    body: gzipSync(JSON.stringify({ api_key: server.projectKey, batch })),
  });
  expect(status).toBe(200);
}

interface ListBody {
  next: string | null;
  count: number;
  results: { distinct_id?: string; distinct_ids?: string[]; properties: Record<string, unknown> }[];
}

async function get(path: string): Promise<{ status: number; body: ListBody }> {
  const response = await fetch(path.startsWith('http') ? path : `${server.url}${path}`, {
    headers: { authorization: `Bearer ${server.personalKey}` },
  });
  return { status: response.status, body: (await response.json()) as ListBody };
}

/** Every page of a list, by its links. */
async function pages(path: string): Promise<{ sizes: number[]; ids: string[] }> {
  const [sizes, ids]: [number[], string[]] = [[], []];
  for (let next: string | null = path; next !== null; ) {
    const { status, body }: Awaited<ReturnType<typeof get>> = await get(next);
    expect([next, status]).toEqual([next, 200]);
    sizes.push(body.results.length);
    ids.push(...body.results.map(({ distinct_id, distinct_ids }) => distinct_id ?? distinct_ids?.[0] ?? ''));
    next = body.next;
  }
  return { sizes, ids };
}

async function until(check: () => Promise<boolean>): Promise<void> {
  while (!(await check())) await sleep(200);
}

const COUNT = 120;

it('lists many large events in pages that fit', { timeout: 300_000 }, async () => {
  // One text, so that the request is small; the event store holds each of them all the same.
  const text = randomBytes(450_000).toString('hex');
  const numbers = Array.from({ length: COUNT }, (_, n) => n);
  for (let at = 0; at < COUNT; at += 10) {
    await sendBatch(
      numbers.slice(at, at + 10).map((n) => ({ event: 'large', distinct_id: `d${n}`, properties: { text, n } })),
    );
  }
  const path = '/api/projects/1/events/?event=large&limit=100';
  await until(
    async () =>
      (await get(`${path}&properties=${encodeURIComponent('[{"key":"n","value":"119"}]')}`)).body.results.length > 0,
  );
  const { sizes, ids } = await pages(`${path}&after=1h`);
  expect(Math.max(...sizes)).toBeLessThanOrEqual(5);
  expect(ids.toSorted()).toEqual(numbers.map((n) => `d${n}`).toSorted());
  const [event] = (await get(path)).body.results;
  expect(event?.properties['text'] === text).toBe(true);
});

it('lists them without others noticing', { retry: 2 }, async () => {
  const impact = await measureImpact(server, () => get('/api/projects/1/events/?event=large&limit=1000'));
  expect(addedWaitMs(impact)).toBeLessThanOrEqual(100);
  expect(impact.rssGrowthMb).toBeLessThanOrEqual(100);
});

it('refuses what would make a person too large, and lists large ones in pages that fit', {
  timeout: 300_000,
}, async () => {
  // Not one character over and over: a body that unpacks to a thousand times its size is refused.
  const text = randomBytes(50_000).toString('hex');
  const ids = Array.from({ length: 200 }, (_, n) => `p${n}`);
  await sendBatch(
    ids.map((id) => ({ event: '$identify', distinct_id: id, properties: { $set: { text, large: true } } })),
  );
  await sendBatch([{ event: '$identify', distinct_id: 'p0', properties: { $set: { more: text } } }]);
  const path = `/api/projects/1/persons/?limit=1000&properties=${encodeURIComponent('[{"key":"large","value":"true","type":"person"}]')}`;
  await until(
    async () => (await get('/api/projects/1/ingestion_warnings/?type=person_properties_size_violation')).body.count > 0,
  );
  const found = await pages(path);
  expect(Math.max(...found.sizes)).toBeLessThanOrEqual(42);
  expect(found.ids.toSorted()).toEqual(ids.toSorted());
  const [person] = (await get('/api/projects/1/persons/?distinct_id=p0')).body.results;
  expect(Object.keys(person?.properties ?? {})).toEqual(expect.arrayContaining(['text', 'large']));
  expect(person?.properties['more']).toBeUndefined();
});
