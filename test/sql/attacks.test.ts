/** Statements that try to read or do what they must not, on a project beside another one. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { capture } from '../support/capture.ts';
import { clientFor } from '../support/client.ts';
import { isEmbedded, startServer, type TestServer } from '../support/server.ts';
import {
  FUNCTIONS,
  MARKER,
  type RecordedAttacks,
  SCALAR_PLACES,
  SCALARS,
  STATEMENTS,
  TABLE_PLACES,
  TABLES,
} from '../support/sql-attacks.ts';
import { describeVectors } from '../support/vectors.ts';

let server: TestServer;
let client: ReturnType<typeof clientFor>;

beforeAll(async () => {
  // Statements have low priority: on a busy machine even one that is refused at once may take a while.
  server = await startServer({ config: { sqlTimeoutSeconds: 10, sqlMemoryMb: 256 }, now: '2026-01-15T12:00:00Z' });
  client = clientFor(server);
  const other = await server.createProject({ foreign: true });
  const events = (key: string, count: number, text: string) =>
    capture(
      server,
      key,
      Array.from({ length: count }, (_, i) => ({
        event: i % 2 ? 'a' : 'load',
        distinct_id: `${text}-${i % 100}`,
        properties: { note: text, ms: i, $session_id: `s${i % 50}` },
      })),
    );
  for (let i = 0; i < 20; i++) await events(server.projectKey, 1000, 'own');
  await events(other.projectKey, 100, MARKER);
});
afterAll(() => server.close());

const run = (sql: string, values: Record<string, unknown> = {}) =>
  client.post('/api/projects/1/query/', { body: { query: { kind: 'HogQLQuery', query: sql, values } } });

describe.skipIf(!isEmbedded)('an attack', () => {
  it.each(TABLE_PLACES)('by a table in: %s', async (place) => {
    for (const table of TABLES) {
      const { status, body } = await run(place.replace('@', table));
      expect([table, status, body.code]).toEqual([table, 400, 'table_not_allowed']);
    }
  });

  it.each(TABLE_PLACES)('by a table function in: %s', async (place) => {
    for (const name of FUNCTIONS) {
      const { status, body } = await run(place.replace('@', `${name}('x')`));
      expect([name, status, body.code]).toEqual([name, 400, 'function_not_allowed']);
    }
  });

  it.each(SCALAR_PLACES)('by a function in: %s', async (place) => {
    for (const name of SCALARS) {
      const { status, body } = await run(place.replace('@', name));
      expect([name, status, body.code]).toEqual([name, 400, 'function_not_allowed']);
    }
  });

  it.each(STATEMENTS)('by %s', async (sql) => {
    const { status, body } = await run(sql);
    expect(status).toBe(400);
    expect(['not_a_select', 'syntax']).toContain(body.code);
  });

  it('finds nothing of the other project in the copy', () => {
    const folder = join(server.dataDir, 'sql');
    const files = readdirSync(folder);
    expect(files.length).toBeGreaterThan(0);
    for (const file of files) expect(readFileSync(join(folder, file)).includes(MARKER)).toBe(false);
  });
});

if (isEmbedded) {
  describeVectors<RecordedAttacks>('recorded attacks', 'sql-attacks.json', (vectors) => {
    it.each(vectors.attacks)('$id: $sql', async ({ sql, refusal, values }) => {
      const start = performance.now();
      const { status, body } = await run(sql, values);
      expect(JSON.stringify(body)).not.toContain(MARKER);
      if (refusal.startsWith('none')) expect([status, body.results]).toEqual([200, [[0]]]);
      else {
        // Reading a very deep statement may take too long before its depth is known.
        const codes = refusal.split('|');
        expect(codes.includes('too_deep') ? [...codes, 'too_slow'] : codes).toContain(body.code);
        expect(status).toBe(body.code === 'too_slow' ? 504 : 400);
      }
      expect(performance.now() - start).toBeLessThan(60_000);
    });

    it.each(vectors.allowed)('is not $id: $sql', async ({ sql, values }) => {
      const { status, body } = await run(sql, values);
      expect([status, body.detail]).toEqual([200, undefined]);
      expect(JSON.stringify(body)).not.toContain(MARKER);
    });
  });
}
