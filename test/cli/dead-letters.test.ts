import { afterAll, beforeAll, expect, it } from 'vitest';
import { cairn, cairnJson, makeScratch } from '../support/cairn.ts';
import { processPoisoned } from '../support/poison.ts';
import { startServer, type TestServer } from '../support/server.ts';

const scratch = makeScratch();
const dataDir = scratch.path('data');
const at = ['--data-dir', dataDir];
let server: TestServer;

beforeAll(async () => {
  server = await startServer({ dataDir });
  await server.close();
  const batch = Array.from({ length: 3 }, (_, n) => ({ event: 'poison', distinct_id: `d${n}` }));
  await processPoisoned(dataDir, server.projectId, { batch }, Date.parse('2026-01-15T09:00:00Z'), 3);
  server = await startServer({ dataDir });
});
afterAll(async () => {
  await server.close();
  scratch.remove();
});

it('dead letters are counted by project, and replayed', async () => {
  const counted = await cairn(['dead-letters', ...at]);
  expect([counted.code, counted.stdout]).toEqual([3, expect.stringContaining('3 dead letters.')]);
  const replayed = await cairnJson(['dead-letters', '--replay', '--project', '1', ...at]);
  expect(replayed).toEqual({ replayed: 3, failed: 0 });
  const [row] = await server.query(`select count(*) as n from event_rows where event = 'poison'`);
  expect(row).toEqual({ n: 3 });
  const none = await cairn(['dead-letters', ...at]);
  expect([none.code, none.stdout.trim()]).toEqual([0, 'There are no dead letters.']);
});
