/**
 * Random statements: none ends the process that runs it, none reads what belongs to another project, and answers do not
 * depend on what other projects have. `SQL_FUZZ_STATEMENTS` sets how many.
 */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { seeded } from '../../src/features/demo/rules/seeded-random.ts';
import { NO_PLACEHOLDERS } from '../../src/features/sql/rules/prepare-text.ts';
import { SqlRefusal } from '../../src/features/sql/rules/refusal.ts';
import { SqlRunner } from '../../src/features/sql/sql-runner.ts';
import { builtFile } from '../../src/runtime/built-file.ts';
import { capture } from '../support/capture.ts';
import { clientFor } from '../support/client.ts';
import { RandomStatements } from '../support/random-statements.ts';
import { isEmbedded, startServer, type TestServer } from '../support/server.ts';

const STATEMENTS = Number(process.env['SQL_FUZZ_STATEMENTS'] ?? 1000);
const SEED = Number(process.env['SQL_FUZZ_SEED'] ?? 1);
const COMPARED = 200;
const MARKER = 'marker-of-the-other-project';
const CODES = [
  ...['syntax', 'not_a_select', 'many_statements', 'table_not_allowed', 'function_not_allowed', 'column_unknown'],
  ...['bad_parameter', 'too_long', 'too_deep', 'too_large', 'too_slow'],
];
let server: TestServer;
let client: ReturnType<typeof clientFor>;
let other: Awaited<ReturnType<TestServer['createProject']>>;

beforeAll(async () => {
  server = await startServer({ now: '2026-01-15T12:00:00Z', config: { apiRequestsPerMinute: null } });
  client = clientFor(server);
  other = await server.createProject({ foreign: true });
  await send(server.projectKey, 'own', 400);
});
afterAll(() => server.close());

const send = (key: string, note: string, count: number) =>
  capture(
    server,
    key,
    Array.from({ length: count }, (_, i) => ({
      event: ['a', 'load', 'signed up', "O'Brien"][i % 4] ?? 'a',
      distinct_id: `${note}-${i % 40}`,
      timestamp: new Date(Date.UTC(2026, 0, 10) + i * 60_000).toISOString(),
      properties: {
        note,
        ms: i * 1.5,
        n: i,
        $browser: i % 3 ? 'Firefox' : null,
        'a key': `v${i % 5}`,
        $session_id: `${note}-s${i % 20}`,
        $current_url: `https://example.org/${i % 7}`,
        $set: { email: `${note}-${i % 40}@example.org`, plan: i % 2 ? 'pro' : 'free' },
      },
    })),
  );

const ask = async (sql: string, refresh = 'blocking') => {
  const body = { query: { kind: 'HogQLQuery', query: sql }, refresh };
  const { status, body: answer } = await client.post('/api/projects/1/query/', { body });
  return JSON.stringify(status === 200 ? [answer.columns, answer.types, answer.results] : [status, answer.code]);
};

describe.skipIf(!isEmbedded)('random statements', () => {
  it('get the same answers with and without another project beside theirs', async () => {
    const statements = new RandomStatements(seeded(SEED));
    const all = Array.from({ length: COMPARED }, () => statements.right());
    const alone: string[] = [];
    for (const sql of all) alone.push(await ask(sql));
    const answered = alone.filter((answer) => answer.startsWith('[['));
    expect(answered.length).toBeGreaterThan(COMPARED * 0.95);
    await send(other.projectKey, MARKER, 300);
    await ask('select 1', 'force_blocking');
    for (const [at, sql] of all.entries()) {
      const answer = await ask(sql);
      expect([sql, answer]).toEqual([sql, alone[at]]);
      expect(answer).not.toContain(MARKER);
    }
  }, 600_000);

  it(`end no process and tell nothing, ${STATEMENTS} of them`, async () => {
    const folder = join(server.dataDir, 'sql');
    expect(existsSync(folder)).toBe(true);
    const file = readdirSync(folder).find((name) => name.startsWith('1-')) ?? '';
    const path = join(folder, file);
    const runner = new SqlRunner({ programs: builtFile('./'), timeoutSeconds: 20, memoryMb: 256 });
    const statements = new RandomStatements(seeded(SEED + 1));
    const codes = new Map<string, number>();
    try {
      for (let i = 0; i < STATEMENTS; i++) {
        const sql = statements.any();
        const rows = { byDefault: 100, max: 1000 };
        const request = { path, sql, placeholders: NO_PLACEHOLDERS, rows, checkOnly: false, isPostgres: i % 4 === 0 };
        const told = await runner
          .run({ ...request, maxBytes: 1_000_000 }, AbortSignal.timeout(60_000))
          .then((answer) => ({ code: 'answered', text: `${answer.columns} ${answer.rows}` }))
          .catch((error: unknown) => {
            // Anything else is a fault of the process.
            if (!(error instanceof SqlRefusal)) throw new Error(`${sql}: ${String(error)}`, { cause: error });
            return { code: error.code, text: error.message };
          });
        codes.set(told.code, (codes.get(told.code) ?? 0) + 1);
        expect([sql, told.code]).toEqual([sql, expect.toBeOneOf(['answered', ...CODES])]);
        expect([sql, told.text]).not.toEqual([sql, expect.stringMatching(/process that ran|marker-of|\.duckdb/)]);
        expect(told.text).not.toContain(server.dataDir);
      }
    } finally {
      runner.close();
    }
    if (STATEMENTS > 10_000) console.log(Object.fromEntries(codes));
    expect(codes.get('answered')).toBeGreaterThan(STATEMENTS * 0.2);
  }, 7_200_000);
});
