/** Statements that try to read or do what they must not, on a project beside another one. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { capture } from '../support/capture.ts';
import { clientFor } from '../support/client.ts';
import { isEmbedded, startServer, type TestServer } from '../support/server.ts';
import { describeVectors } from '../support/vectors.ts';

interface Vectors {
  attacks: Attack[];
  allowed: Omit<Attack, 'refusal'>[];
}

interface Attack {
  id: string;
  sql: string;
  refusal: string;
  values?: Record<string, unknown>;
}

const MARKER = 'marker-of-the-other-project';
let server: TestServer;
let client: ReturnType<typeof clientFor>;

beforeAll(async () => {
  server = await startServer({ config: { sqlTimeoutSeconds: 2, sqlMemoryMb: 256 }, now: '2026-01-15T12:00:00Z' });
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

/** What must be refused, in every place where a table or a function can stand. */
const TABLES = [
  'event_rows',
  'person_overrides',
  'distinct_id_rows',
  'person_rows',
  'main.events',
  'temp.events',
  'project_copy.event_rows',
  'sqlite_master',
  'pg_catalog.pg_class',
  'information_schema.columns',
  `'/etc/passwd'`,
  `"x.parquet"`,
];
const FUNCTIONS = [
  'read_csv',
  'read_text',
  'read_blob',
  'read_json_auto',
  'read_parquet',
  'glob',
  'sniff_csv',
  'query',
  'query_table',
  'duckdb_settings',
  'duckdb_databases',
  'pragma_database_list',
  'json_execute_serialized_sql',
  'checkpoint',
  'repeat_row',
  'generate_series',
  'range',
  'sql_auto_complete',
  'test_all_types',
  'duckdb_memory',
  'which_secret',
  'summary',
  'seq_scan',
  'arrow_scan',
  'iceberg_scan',
];
const SCALARS = [
  'getenv',
  'current_setting',
  'nextval',
  'currval',
  'version',
  'pg_typeof',
  'current_database',
  'current_user',
  'error',
  'repeat',
  'lpad',
  'rpad',
  'range',
  'generate_series',
  'txid_current',
  'getvariable',
  'parse_path',
  'set_config',
  'from_json',
  'json_serialize_sql',
  'read_text',
  'random',
  'setseed',
  'uuid',
  'gen_random_uuid',
  'in_search_path',
  'create_sort_key',
  'vector_type',
  'stats',
  'write_log',
  'array_resize',
  'list_resize',
  'bitstring',
  'format',
  'printf',
  'decode',
  'encode',
  'to_base64',
  'unhex',
  'cast_to_type',
  'alias',
  'typeof',
  'combine',
  'finalize',
  'add_parquet_key',
  'reduce',
  'list_reduce',
  'list_aggregate',
  'array_cross_product',
  'rowid',
  'apply',
  'sleep',
  'url',
  'file',
  'remote',
  's3',
  'executable',
  'dictget',
  'hostname',
  'getmacro',
];
const TABLE_PLACES = [
  'select * from @',
  'select 1 where exists (select 1 from @)',
  'select (select count(*) from @)',
  'with a as (select * from @) select * from a',
  'select 1 union all select count(*) from @',
  'select count(*) from events join @ x on true',
  'select event from events order by (select 1 from @)',
  'select * from (select * from @) q',
];
const SCALAR_PLACES = [
  `select @('x')`,
  `select count(*) from events where @('x') = 1`,
  `select event from events group by event having @('x') = 1`,
  `select sum(@('x')) over () from events`,
];
const STATEMENTS = [
  'create table t (a int)',
  'create view v as select 1',
  'alter table events add column x int',
  'update events set event = 1',
  'truncate events',
  'vacuum',
  'analyze',
  'call pragma_version()',
  'install httpfs',
  'detach main',
  'begin',
  'commit',
  'reset threads',
  'execute p',
  'deallocate p',
  "export database 'x'",
  "copy (select 1) to 'x'",
  "comment on table events is 'x'",
  'create secret s (type s3)',
  "create type t as enum ('a')",
  'create sequence s',
  'grant select on events to x',
  'describe events',
  'show tables',
  'pivot events on event',
  'select 1 into t',
];

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
    expect(files).toHaveLength(1);
    expect(readFileSync(join(folder, files[0] ?? '')).includes(MARKER)).toBe(false);
  });
});

if (isEmbedded) {
  describeVectors<Vectors>('recorded attacks', 'sql-attacks.json', (vectors) => {
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
      expect(performance.now() - start).toBeLessThan(20_000);
    });

    it.each(vectors.allowed)('is not $id: $sql', async ({ sql, values }) => {
      const { status, body } = await run(sql, values);
      expect([status, body.detail]).toEqual([200, undefined]);
      expect(JSON.stringify(body)).not.toContain(MARKER);
    });
  });
}
