/** What one project sends in masses, valid as it is, costs the others nothing: very many names, and very many events. */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { randomIds } from '../../src/lib/ids.ts';
import { DATA_FILES } from '../../src/stores/data-files.ts';
import { NO_CHANGES } from '../../src/stores/ingest/no-changes.ts';
import { clientFor } from '../support/client.ts';
import { openMigratedStore } from '../support/migrated-store.ts';
import { sendJson } from '../support/send.ts';
import { addedWaitMs, measureImpact, startAttackedServer } from '../support/under-attack.ts';

let server: Awaited<ReturnType<typeof startAttackedServer>>;
beforeAll(async () => {
  server = await startAttackedServer();
});
afterAll(() => server.close());

const RETRIED = { retry: 2, timeout: 120_000 };
const numbers = (count: number): number[] => Array.from({ length: count }, (_, n) => n);

const get = (path: string) => clientFor(server).get(path);

const NAMES = 120_000;
const EVENT_NAMES = 20_000;
const AT_ONCE = 5000;

/** Beyond the limits, as a folder of an earlier version may have them. */
async function defineNames(): Promise<void> {
  const { metadata, ingest } = await openMigratedStore(join(server.dataDir, DATA_FILES.metadata));
  const own = { projectId: 1, at: 1 };
  for (let first = 0; first < NAMES; first += AT_ONCE) {
    const names = numbers(AT_ONCE).map((n) => String(first + n).padStart(6, '0'));
    const property = { ...own, kind: 'event', groupTypeIndex: -1, propertyType: 'String' } as const;
    await ingest.transaction((store) =>
      store.apply({
        ...NO_CHANGES,
        events:
          first < EVENT_NAMES ? names.map((n) => ({ ...own, id: randomIds.uuid(), name: `e${n}`, createdAt: 1 })) : [],
        properties: names.map((n) => ({ ...property, id: randomIds.uuid(), name: `p${n}` })),
        eventProperties: names.map((n) => ({ projectId: 1, event: 'e000000', property: `p${n}` })),
      }),
    );
  }
  await metadata.close();
}

const LISTS = [
  { list: 'property_definitions', query: '', count: NAMES, first: 'p000000' },
  { list: 'property_definitions', query: 'offset=119990', count: NAMES, first: 'p119990' },
  { list: 'property_definitions', query: 'search=99999', count: 1, first: 'p099999' },
  { list: 'property_definitions', query: 'event_names=["e000000"]&offset=119999', count: NAMES, first: 'p119999' },
  { list: 'event_definitions', query: '', count: EVENT_NAMES, first: 'e000000' },
  { list: 'event_definitions', query: 'ordering=-name', count: EVENT_NAMES, first: 'e019999' },
];

it('lists very many names without others noticing', RETRIED, async () => {
  if ((await get('/api/projects/1/property_definitions/?limit=1')).body.count < NAMES) await defineNames();
  const lists = LISTS.map(({ list, query }) => `/api/projects/1/${list}/?limit=100&${query}`);
  const found: object[] = [];
  const impact = await measureImpact(server, async () => {
    for (const path of lists) {
      const { status, body } = await get(path);
      found.push({ status, count: body.count, first: body.results[0]?.name });
    }
  });
  expect(found).toEqual(LISTS.map(({ count, first }) => ({ status: 200, count, first })));
  expect(addedWaitMs(impact)).toBeLessThanOrEqual(100);
  expect(impact.rssGrowthMb).toBeLessThanOrEqual(100);
});

const REQUESTS = 40;
const EVENTS = 2000;

it('stores the event of one project while the flood of another waits', RETRIED, async () => {
  const { status, body: other } = await clientFor(server).post('/api/projects/', { body: { name: 'Other' } });
  expect(status).toBe(201);
  const batch = numbers(EVENTS).map((n) => ({ event: 'flood', distinct_id: `d${n}`, properties: { n } }));
  const flood = await Promise.all(
    numbers(REQUESTS).map(() => sendJson(server.url, '/batch/', { api_key: server.projectKey, batch })),
  );
  expect(flood.map((sent) => sent.status)).toEqual(numbers(REQUESTS).map(() => 200));
  const event = { api_key: other.api_token, event: 'small', distinct_id: 'a' };
  expect((await sendJson(server.url, '/e/', event)).status).toBe(200);
  const path = `/api/projects/${other.id}/events/?event=small`;
  while ((await get(path)).body.results.length === 0) await sleep(50);
  expect((await get('/_status')).body.ingest.pending).toBeGreaterThan(EVENTS);
});
