import { afterAll, beforeAll, expect, it } from 'vitest';
import { capture } from '../support/capture.ts';
import { clientFor } from '../support/client.ts';
import { startServer, type TestServer } from '../support/server.ts';

const PERSONS = 40;
/** Together more than a page may have, each within the limit of a person. */
const NOTE = 'x'.repeat(120_000);

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
  const ids = Array.from({ length: PERSONS }, (_, n) => `large-${n}`);
  const set = (id: string) => ({ event: 'seen', distinct_id: id, properties: { $set: { note: NOTE } } });
  await capture(server, server.projectKey, ids.map(set));
});
afterAll(() => server.close());

it('pages of large persons behind a number are shorter, and lead to all of them', async () => {
  const events = JSON.stringify([{ id: 'seen' }]);
  const query = new URLSearchParams({
    insight: 'TRENDS',
    events,
    entity_id: 'seen',
    entity_type: 'events',
    limit: '40',
  });
  let url: string | null = `/api/projects/${server.projectId}/persons/trends/?${query}`;
  const pages: string[][] = [];
  while (url !== null) {
    const { status, body } = await clientFor(server).get(url.replace(server.url, ''));
    expect(status).toBe(200);
    pages.push(body.results[0].people.map((person: { distinct_ids: string[] }) => person.distinct_ids[0]));
    url = body.next;
  }
  expect(pages[0]?.length).toBeLessThan(PERSONS);
  expect(new Set(pages.flat()).size).toBe(PERSONS);
  expect(pages.flat()).toHaveLength(PERSONS);
});
