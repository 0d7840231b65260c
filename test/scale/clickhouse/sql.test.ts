/**
 * SQL where events are in ClickHouse: the answers are those of DuckDB, attacks are refused, and nothing of another project
 * is told. What needs users of ClickHouse (grants, row policies, locked settings) is not tested by an engine without them.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { seeded } from '../../../src/features/demo/rules/seeded-random.ts';
import { SQL_FUNCTIONS } from '../../../src/features/sql/rules/functions.ts';
import { capture } from '../../support/capture.ts';
import { TIMEOUTS } from '../../support/clickhouse.ts';
import { clientFor } from '../../support/client.ts';
import { describeWithClickHouse } from '../../support/describe-clickhouse.ts';
import { RandomStatements } from '../../support/random-statements.ts';
import { startServer, type TestServer } from '../../support/server.ts';
import {
  FUNCTIONS,
  MARKER,
  type RecordedAttacks,
  SCALAR_PLACES,
  SCALARS,
  STATEMENTS,
  TABLE_PLACES,
  TABLES,
} from '../../support/sql-attacks.ts';
import { FUNCTION_CASES, ONLY_IN_DUCKDB } from '../../support/sql-function-cases.ts';
import { describeVectors } from '../../support/vectors.ts';

vi.setConfig(TIMEOUTS);
const RANDOM_STATEMENTS = Number(process.env['TWO_ENGINES_STATEMENTS'] ?? 40);
const NOW = '2026-01-15T12:00:00Z';

const id = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;

/** The same on both servers. */
const events = (note: string, count: number) =>
  Array.from({ length: count }, (_, i) => ({
    event: ['a', 'load', 'signed up', "O'Brien", '$pageview'][i % 5] ?? 'a',
    uuid: id(i + offsetOf(note)),
    distinct_id: `${note}-${i % 20}`,
    timestamp: new Date(Date.UTC(2026, 0, 8) + i * 3_700_000).toISOString(),
    properties: {
      note,
      ms: i % 7 === 0 ? 'slow' : i * 1.5,
      n: i,
      deep: { er: `x${i % 3}` },
      'a key': `v${i % 5}`,
      'quo"te': `é${i % 2}💥`,
      $browser: i % 3 ? 'Firefox' : null,
      $session_id: `${note}-s${i % 12}`,
      $current_url: `https://example.org/${i % 7}?q=1`,
      utm_source: i % 4 ? 'mail' : undefined,
      $set: { email: `${note}-${i % 20}@example.org`, plan: i % 2 ? 'pro' : 'free' },
      $groups: { company: `c${i % 3}` },
    },
  }));

const flagCalls = (note: string) =>
  [true, false, 'blue', null].map((response, i) => ({
    event: '$feature_flag_called',
    uuid: id(80_000 + i + offsetOf(note)),
    distinct_id: `${note}-${i}`,
    timestamp: `2026-01-13T00:00:0${i}Z`,
    properties: { $feature_flag: `${note}-flag`, $feature_flag_response: response },
  }));

/** Once the others are processed: otherwise it is open which person is kept. */
const merges = (note: string) =>
  [
    { event: '$identify', distinct_id: `${note}-user`, properties: { $anon_distinct_id: `${note}-1` } },
    { event: '$create_alias', distinct_id: `${note}-user`, properties: { alias: `${note}-2` } },
  ].map((event, i) => ({ ...event, uuid: id(90_000 + i + offsetOf(note)), timestamp: `2026-01-14T00:00:0${i}Z` }));

const offsetOf = (note: string): number => (note === MARKER ? 100_000 : 0);

const SAME = [
  `select event, count() as n from events group by event order by n desc, event`,
  `select EVENT as Name, COUNT(*) from EVENTS group by Event order by name`,
  `select count(*), count(distinct person_id), uniq(distinct_id), min(timestamp), max(timestamp) from events`,
  `select uuid, timestamp, created_at from events order by uuid limit 5`,
  `select toStartOfDay(timestamp) as day, count() from events group by day order by day`,
  `select toStartOfWeek(timestamp) as w, toStartOfMonth(timestamp) as m, toStartOfHour(timestamp) as h, count() from events group by 1, 2, 3 order by 1, 2, 3`,
  `select date_trunc('quarter', timestamp), date_trunc('year', timestamp), date_trunc('minute', timestamp) from events order by 3 limit 3`,
  `select year(timestamp), month(timestamp), day(timestamp), hour(timestamp), isodow(timestamp), dayofweek(timestamp), week(timestamp), quarter(timestamp), dayofyear(timestamp), epoch(timestamp) from events order by timestamp limit 10`,
  `select extract(year from timestamp), date_part('dow', timestamp) from events order by timestamp limit 3`,
  `select date_diff('day', min(timestamp), max(timestamp)), dateDiff('hour', min(timestamp), max(timestamp)), dateDiff('week', min(timestamp), max(timestamp)), dateDiff('month', min(timestamp), max(timestamp)) from events`,
  `select count() from events where timestamp >= '2026-01-10' and timestamp < '2026-01-12 06:30:00'`,
  `select count() from events where timestamp >= date '2026-01-10' and timestamp < timestamp '2026-01-12 06:30:00'`,
  `select count() from events where timestamp > timestamp '2026-01-12' - interval 1 day and timestamp < timestamp '2026-01-12' + interval '36 hours'`,
  `select timestamp + interval 1 month, timestamp - interval 2 hour from events order by 1 limit 2`,
  `select toDate(timestamp) as d, count() from events group by d order by d`,
  `select toString(toDate(timestamp)), toString(timestamp) from events order by timestamp limit 3`,
  `select properties.n, properties.ms, properties.deep, properties.deep.er, properties['a key'], properties."quo""te", properties.missing, properties.$browser from events order by timestamp limit 12`,
  `select toFloat(properties.ms) as ms, toInt(properties.n), cast(properties.n as bigint) * 2, try_cast(properties.ms as double) from events order by timestamp limit 12`,
  `select sum(toFloat(properties.ms)), avg(toFloat(properties.ms)), min(toFloat(properties.ms)), max(toInt(properties.n)), sum(toInt(properties.n)) from events`,
  `select round(avg(toFloat(properties.ms)), 2), round(2.5), round(-2.5), round(3.14159, 3), floor(2.7), ceil(2.1), abs(-3), 7 // 2, 7 % 3, -7 % 3, 1 / 4, 1 // 0, 5 % 0, 2 ** 3 from events`,
  `select quantile(0.9)(toFloat(properties.ms)), quantile(0.5)(toInt(properties.n)), median(toFloat(properties.ms)), quantile_cont(toFloat(properties.ms), 0.25) from events`,
  `select round(stddev(toFloat(properties.ms)), 6), round(stddev_pop(toFloat(properties.ms)), 6), round(variance(toInt(properties.n)), 6) from events`,
  `select countIf(event = 'a'), sumIf(toInt(properties.n), event = 'load'), uniqIf(person_id, event = 'a'), count() filter (where event = 'a'), avgIf(toFloat(properties.ms), event = 'load') from events`,
  `select argMax(event, timestamp), argMin(event, timestamp), any_value(properties.note) from events`,
  `select lower('ÉA'), upper('é'), length('💥é'), substring('héllo', 2, 3), left('héllo', 2), right('héllo', 2), trim('  x '), replace('aba', 'a', 'c'), reverse('abé'), concat('a', null, 'b'), 'a' || 'b', position('l' in 'héllo'), starts_with('abc', 'ab'), ends_with('abc', 'bc'), contains('abc', 'b')`,
  `select split_part('a-b-c', '-', 2), split_part('a', '-', 3), regexp_matches('abc', 'b.'), regexp_extract('abc123', '[0-9]+'), regexp_extract('k=v', '(\\w)=(\\w)', 2), regexp_replace('aaa', 'a', 'b'), regexp_replace('aaa', 'a', 'b', 'g'), md5('a'), sha256('a'), string_split('a,b', ',')`,
  `select 'a_c' like 'a\\_c', 'abc' like 'a%', 'ABC' ilike 'a%', 'abc' not like 'b%', 'a' in ('a', 'b'), 'a' not in ('b'), null in (1), 1 between 0 and 2, null is null, 1 is distinct from null, coalesce(null, 'x'), nullif('a', 'a'), ifNull(null, 3)`,
  `select case when event = 'a' then 1 when event = 'load' then 2 else 0 end as k, multiIf(event = 'a', 'x', event = 'load', 'y', 'z') as m, if(event = 'a', 1, 0), count() from events group by all order by 1, 2, 3`,
  `select distinct event from events order by event`,
  `select event from events where event in (select event from events group by event having count() > 15) group by event order by 1`,
  `select count() from events where not exists (select 1 from persons where is_identified) or event = 'a'`,
  `select (select count() from events) as a, (select max(event) from events) as b`,
  `with big as (select event, count() as n from events group by event), top as (select * from big where n > 3) select * from top order by n desc, event`,
  `select * from (select event as e, count() as n from events group by 1) x where x.n > 2 order by x.e`,
  `select event, row_number() over (partition by event order by timestamp) as r, rank() over (order by event), lag(event) over (order by timestamp), sum(1) over (order by timestamp rows between 2 preceding and current row), count() over (partition by event) from events order by timestamp, r limit 20`,
  `select event from events qualify row_number() over (partition by event order by timestamp) = 1 order by event`,
  `(select event from events where event = 'a') union all (select event from events where event = 'load') order by 1`,
  `select event from events union select 'zzz' order by 1`,
  `select event from events except select 'a' order by 1`,
  `select event from events intersect select 'a' order by 1`,
  `select e.event, p.properties.plan, count() as n from events e join persons p on p.id = e.person_id group by 1, 2 order by 1, 2`,
  `select e.event, person.properties.email as email, count() from events e group by 1, 2 order by 1, 2`,
  `select count() from events e left join persons p on p.id = e.person_id and p.is_identified where p.id is null`,
  `select p.id, d.distinct_id from persons p join person_distinct_ids d on d.person_id = p.id order by 2`,
  `select is_identified, count(), min(created_at) from persons group by 1 order by 1`,
  `select * from persons order by id limit 3`,
  `select * from person_distinct_ids order by distinct_id`,
  `select * from sessions order by session_id`,
  `select "$entry_current_url", "$is_bounce", count(), avg("$session_duration") from sessions group by 1, 2 order by 1, 2`,
  `select index, type, key, created_at, properties from groups order by 1, 3`,
  `select id, name, is_static, count, last_calculation from cohorts order by id`,
  `select flag, response, count(), uniq(person_id) from feature_flag_calls group by 1, 2 order by 1, 2`,
  `select uuid, timestamp, created_at, distinct_id, person_id, c.properties.$feature_flag from feature_flag_calls c order by uuid`,
  `select c.name, count() from cohort_people m join cohorts c on c.id = m.cohort_id group by 1 order by 1`,
  `select $group_0, utm_source, $current_url, count() from events group by 1, 2, 3 order by 1, 2, 3`,
  `select * from events order by uuid limit 3`,
  `select * exclude (properties, created_at) from events order by uuid limit 3`,
  `select lower(event) as event, count() from events where event = 'O''Brien' group by event order by event`,
  `select event as a, event as a, event from events order by 1, timestamp limit 2`,
  `select event, count() as n from events group by event order by n desc nulls first, event desc limit 2 offset 1`,
  `select list_contains(['a', 'b'], 'a'), len([1, 2]), [1, 2][1], list_transform([1, 2], x -> x + 1), list_filter([1, 2, 3], x -> x > 1), list_sort([3, 1])`,
  `select unnest([1, 2]) as x order by x`,
  `select string_agg(event, ',') from (select distinct event from events where event = 'a') x`,
  `select 9007199254740993, 1.5, -3, true, false, null, 'back\\slash', 'quo''te', '{p1:String}', '$1'`,
  `select count() from events where {filters}`,
  `select event from events where event = {name} or event in {names} group by 1 order by 1`,
  `select {number} + 1, {flag}, {nothing}, {fraction}`,
  `select greatest(length(event), 3), least(toInt(properties.n), 5) from events order by timestamp limit 3`,
  `select JSONExtractString(properties, 'note'), JSONExtractInt(properties, 'n'), JSONExtractFloat(properties, 'ms'), JSONExtractRaw(properties, 'deep'), JSONExtractString(properties, 'deep', 'er') from events order by timestamp limit 8`,
  `select empty(properties.missing), notEmpty(event), event <> '' from events limit 1`,
  `select bool_and(event <> ''), bool_or(event = 'nothing') from events`,
  `select corr(toFloat(properties.n), toFloat(properties.n)) > 0.99 from events`,
  `select e.event from events e semi join persons p on p.id = e.person_id order by 1 limit 3`,
  `select timestamp at time zone 'Europe/Paris', timestamp at time zone 'UTC' at time zone 'America/New_York' from events order by uuid limit 3`,
  `select a.event, b.event from (select distinct event from events) a cross join (select distinct event from events) b order by 1, 2`,
];
const VALUES = {
  name: "O'Brien",
  names: ['a', 'load', "x'; drop table"],
  number: 41,
  flag: true,
  nothing: null,
  fraction: 1.25,
};
const FILTERS = {
  dateRange: { date_from: '2026-01-09', date_to: '2026-01-13' },
  properties: [
    { key: '$browser', type: 'event', value: 'Firefox' },
    { key: 'plan', type: 'person', value: ['pro', 'free'] },
    { key: 'n', type: 'event', operator: 'gt', value: 3 },
  ],
};

/** What ClickHouse has beside that. */
const CLICKHOUSE_TABLES = [
  'system.users',
  'system.tables',
  'system.one',
  'default.event_rows',
  'person_versions',
  'INFORMATION_SCHEMA.tables',
];
const CLICKHOUSE_TABLE_FUNCTIONS = [
  ...[
    'url',
    'file',
    'remote',
    'remoteSecure',
    's3',
    'mysql',
    'postgresql',
    'sqlite',
    'jdbc',
    'odbc',
    'hdfs',
    'executable',
    'cluster',
  ],
  ...[
    'clusterAllReplicas',
    'merge',
    'numbers',
    'zeros',
    'input',
    'view',
    'dictionary',
    'generateRandom',
    'viewExplain',
    'mongodb',
    'redis',
  ],
];
const CLICKHOUSE_SCALARS = [
  ...[
    'dictGet',
    'dictHas',
    'joinGet',
    'getSetting',
    'hostName',
    'fqdn',
    'getMacro',
    'currentUser',
    'currentDatabase',
    'sleepEachRow',
  ],
  ...[
    'file',
    'catboostEvaluate',
    'addressToLine',
    'demangle',
    'throwIf',
    'initializeAggregation',
    'evalMLMethod',
    'serverUUID',
    'uptime',
  ],
  ...[
    'tcpPort',
    'version',
    'queryID',
    'getServerSetting',
    'filesystemAvailable',
    'showCertificate',
    'encrypt',
    'connectionId',
    'ignore',
  ],
];
const CLICKHOUSE_STATEMENTS = [
  ...[
    'select 1 settings readonly = 0',
    'select 1 format JSON',
    "select 1 into outfile 'x'",
    'select * from events prewhere 1',
  ],
  ...[
    'system shutdown',
    'kill query where 1',
    'show grants',
    'exists events',
    'select 1 settings SQL_cairn_project = 2',
    'select * from events sample 0.1',
  ],
  ...[
    'select 1; select 2',
    'set SQL_cairn_project = 2',
    'use system',
    'optimize table events',
    'rename table events to x',
  ],
];
const CLICKHOUSE_TEXTS = [
  "\\'",
  "' union all select 1 --",
  '\\x27',
  '{project:Int32}',
  '/* */',
  '`',
  '"',
  '\\"',
  "$$'$$",
  '#!',
  "\\\\'",
  '? = ?',
  '\n\t',
];

await describeWithClickHouse('SQL on ClickHouse', () => {
  let large: TestServer;
  let small: TestServer;
  /** All ids of the project that is asked. */
  const own = new Set<string>();

  beforeAll(async () => {
    large = await startServer({ stores: 'large', now: NOW, config: { sqlTimeoutSeconds: 60 } });
    small = await startServer({ stores: 'embedded', now: NOW });
    for (const server of [small, large]) {
      await capture(server, server.projectKey, [...events('own', 80), ...flagCalls('own')]);
      await capture(server, server.projectKey, merges('own'));
      await server.addCohort({ name: 'some', isStatic: true });
    }
    const other = await large.createProject({ foreign: true });
    await capture(large, other.projectKey, [...events(MARKER, 80), ...flagCalls(MARKER)]);
    await capture(large, other.projectKey, merges(MARKER));
    for (const sql of ['select uuid from events limit 1000', 'select id from persons limit 1000']) {
      for (const [text] of (await run(small, sql)).body.results) own.add(String(text));
    }
  });
  afterAll(async () => {
    await large?.close();
    await small?.close();
  });

  const run = (server: TestServer, sql: string, values: Record<string, unknown> = VALUES) =>
    clientFor(server).post('/api/projects/1/query/', {
      body: { query: { kind: 'HogQLQuery', query: sql, values, filters: FILTERS }, refresh: 'force_blocking' },
    });
  const answer = async (server: TestServer, sql: string) => {
    const { status, body } = await run(server, sql);
    return status === 200 ? { columns: body.columns, types: body.types, results: body.results } : [status, body];
  };

  /** The order of rows, and within lists, is open. */
  const sorted = (rows: unknown[][]) =>
    rows.map((row) => JSON.stringify(row.map((value) => (Array.isArray(value) ? [...value].sort() : value)))).sort();
  const shapeOf = ({ columns, types, results, hasMore }: { [name: string]: unknown[] }) => ({
    columns,
    types,
    rows: results?.length,
    hasMore,
  });

  it.each(SAME)('has the answer of DuckDB to: %s', async (sql) => {
    const expected = await answer(small, sql);
    expect(expected).toMatchObject({ results: expect.any(Array) });
    const found = await answer(large, sql);
    expect(found).toEqual(expected);
    expect(JSON.stringify(found)).not.toContain(MARKER);
  });

  it('has the value of DuckDB for each function', async () => {
    for (const [name, sql] of FUNCTION_CASES) {
      const expected = await answer(small, sql);
      expect([name, expected]).toEqual([name, expect.objectContaining({ results: expect.any(Array) })]);
      expect([name, await answer(large, sql)]).toEqual([name, expected]);
    }
    const tried = [...FUNCTION_CASES.map(([name]) => name), ...ONLY_IN_DUCKDB];
    expect(SQL_FUNCTIONS.filter((name) => !tried.includes(name))).toEqual([]);
  });

  it('has the answers of DuckDB to random statements', async () => {
    const statements = new RandomStatements(seeded(7));
    for (let i = 0; i < RANDOM_STATEMENTS; i++) {
      const sql = statements.right();
      const [expected, found] = [await answer(small, sql), await answer(large, sql)];
      expect([sql, found]).toEqual([sql, expected]);
    }
  });

  describe('refuses an attack', () => {
    const refused = async (sql: string, codes: readonly string[], values?: Record<string, unknown>) => {
      const { status, body } = await run(large, sql, values);
      expect([sql, status, body.code]).toEqual([sql, 400, expect.toBeOneOf([...codes])]);
      expect(JSON.stringify(body)).not.toContain(MARKER);
    };

    it.each(TABLE_PLACES)('by a table in: %s', async (place) => {
      for (const table of TABLES) await refused(place.replace('@', table), ['table_not_allowed']);
      for (const table of CLICKHOUSE_TABLES) await refused(place.replace('@', table), ['table_not_allowed', 'syntax']);
    });

    it.each(TABLE_PLACES)('by a table function in: %s', async (place) => {
      const names = [...FUNCTIONS, ...CLICKHOUSE_TABLE_FUNCTIONS];
      for (const name of names) await refused(place.replace('@', `${name}('x')`), ['function_not_allowed']);
    });

    it.each(SCALAR_PLACES)('by a function in: %s', async (place) => {
      const names = [...SCALARS, ...CLICKHOUSE_SCALARS];
      for (const name of names) await refused(place.replace('@', name), ['function_not_allowed']);
    });

    it.each([...STATEMENTS, ...CLICKHOUSE_STATEMENTS])('by %s', (sql) =>
      refused(sql, ['not_a_select', 'syntax', 'many_statements']),
    );

    it.each(CLICKHOUSE_TEXTS)('by text that would mean something to ClickHouse: %s', async (text) => {
      const { status, body } = await run(
        large,
        `select {text} as a, '${text.replaceAll("'", "''")}' as b, "x" from (select 1 as "${text.replaceAll('"', '""')}", 2 as x) q`,
        { text },
      );
      expect([status, body.results]).toEqual([200, [[text, text, 2]]]);
    });
  });

  describeVectors<RecordedAttacks>('recorded attacks', 'sql-attacks.json', (vectors) => {
    it.each(vectors.attacks)('$id: $sql', async ({ sql, refusal, values }) => {
      const { status, body } = await run(large, sql, values);
      expect(JSON.stringify(body)).not.toContain(MARKER);
      if (refusal.startsWith('none')) expect([status, body.results]).toEqual([200, [[0]]]);
      else if (status === 200) {
        // Only what would take too much with more events; these have the events of their project and nothing else.
        expect(refusal).toMatch(/too_/);
        const expected = (await run(small, sql, values)).body;
        expect(shapeOf(body)).toEqual(shapeOf(expected));
        if (!expected.hasMore) expect(sorted(body.results)).toEqual(sorted(expected.results));
        const texts = JSON.stringify(body.results).match(/[0-9a-f]{8}-[0-9a-f-]{27}/g) ?? [];
        expect(texts.filter((text) => !own.has(text))).toEqual([]);
        expect(JSON.stringify(body)).not.toMatch(
          /event_rows|person_versions|SQL_cairn|readonly|\/(?:etc|var|tmp|proc)\b/,
        );
      } else
        expect([status, refusal.split('|')]).toEqual([
          body.code === 'too_slow' ? 504 : 400,
          expect.arrayContaining([body.code]),
        ]);
    });

    it.each(vectors.allowed)('answers $id as DuckDB does: $sql', async ({ sql, values }) => {
      const [expected, found] = [await run(small, sql, values), await run(large, sql, values)];
      expect([found.status, found.body.detail]).toEqual([200, undefined]);
      // One of them casts a text that is no number.
      if (expected.status !== 200) return;
      expect(shapeOf(found.body)).toEqual(shapeOf(expected.body));
      // Which of equal rows are within a limit is open.
      if (!expected.body.hasMore) expect(sorted(found.body.results)).toEqual(sorted(expected.body.results));
    });
  });

  describe('limits', () => {
    let limited: TestServer;
    const EVENTS = 10_000;
    const endless = `select count(*) from events a, events b, events c where md5(concat(a.uuid, b.uuid, c.uuid)) = ''`;

    beforeAll(async () => {
      limited = await startServer({ stores: 'large', now: NOW, config: { sqlTimeoutSeconds: 3, sqlMemoryMb: 256 } });
      for (let sent = 0; sent < EVENTS; sent += 1000) {
        const batch = Array.from({ length: 1000 }, (_, i) => ({
          event: 'a',
          distinct_id: `d${i % 50}`,
          timestamp: NOW,
          properties: { number: sent + i },
        }));
        await capture(limited, limited.projectKey, batch);
      }
    });
    afterAll(() => limited?.close());

    it.each([
      ['time', endless],
      ['memory', 'select list(concat(a.properties, b.properties)) as l from events a, events b'],
      ['memory of groups', 'select a.uuid, b.uuid, count(*) as n from events a, events b group by 1, 2'],
    ])('of %s end a statement', async (_name, sql) => {
      const { status, body } = await run(limited, sql);
      expect([status, body.code]).toBeOneOf([
        [400, 'too_large'],
        [504, 'too_slow'],
      ]);
      expect(body.detail).toMatch(/needs more memory than it may use|took longer than 3 s/);
      // Where the engine cannot be stopped, it goes on to the end of its time.
      await expect.poll(async () => (await run(limited, 'select 1 as n')).body.results).toEqual([[1]]);
    });

    it('of rows are those of DuckDB, and files have all of them', async () => {
      const first = (await run(limited, 'select toInt(properties.number) as n from events order by n')).body;
      expect(first.results).toEqual(Array.from({ length: 100 }, (_, i) => [i]));
      expect([first.hasMore, first.limit]).toEqual([true, 100]);
      const response = await fetch(`${limited.url}/api/projects/1/query.csv`, {
        method: 'POST',
        headers: { authorization: `Bearer ${limited.personalKey}`, 'content-type': 'application/json' },
        body: JSON.stringify({
          query: { kind: 'HogQLQuery', query: 'select toInt(properties.number) as n from events order by n' },
        }),
      });
      const lines = (await response.text()).trim().split('\r\n');
      expect([lines[0], lines.length, lines.at(-1)]).toEqual(['n', EVENTS + 1, String(EVENTS - 1)]);
    });

    it('of rows are kept in Parquet files', async () => {
      const response = await fetch(`${limited.url}/api/projects/1/query.parquet`, {
        method: 'POST',
        headers: { authorization: `Bearer ${limited.personalKey}`, 'content-type': 'application/json' },
        body: JSON.stringify({
          query: { kind: 'HogQLQuery', query: 'select toInt(properties.number) as n from events order by n limit 3' },
        }),
      });
      const file = join(limited.dataDir, 'rows.parquet');
      writeFileSync(file, Buffer.from(await response.arrayBuffer()));
      const instance = await DuckDBInstance.create(':memory:');
      const connection = await instance.connect();
      expect(await (await connection.run(`select n::int from '${file}' order by 1`)).getRowsJS()).toEqual([
        [0],
        [1],
        [2],
      ]);
      connection.closeSync();
      instance.closeSync();
    });

    it('do not matter to a statement that is cancelled', async () => {
      const client = clientFor(limited);
      const path = '/api/projects/1/query/';
      const body = { query: { kind: 'HogQLQuery', query: endless }, client_query_id: 'to-be-cancelled' };
      const running = client.post(path, { body });
      await expect.poll(async () => (await client.delete(`${path}to-be-cancelled/`)).status).toBe(204);
      const ended = await running;
      expect([ended.status, ended.body.code]).toEqual([400, 'query_cancelled']);
      await expect.poll(async () => (await run(limited, 'select 2 as n')).body.results).toEqual([[2]]);
    });
  });
});
