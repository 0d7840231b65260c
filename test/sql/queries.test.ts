/** Statements of users over HTTP, on a small project beside another one. */
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cairn, cairnJson } from '../support/cairn.ts';
import { capture } from '../support/capture.ts';
import { clientFor } from '../support/client.ts';
import { isEmbedded, startServer, type TestServer } from '../support/server.ts';

const START = '2026-01-15T12:00:00Z';
const QUERY = '/api/projects/1/query/';
interface Detail {
  name: string;
  trigger: Record<string, unknown>;
}

let server: TestServer;
let client: ReturnType<typeof clientFor>;

const event = (name: string, distinctId: string, at: string, properties: Record<string, unknown> = {}) => ({
  event: name,
  distinct_id: distinctId,
  timestamp: `2026-01-15T${at}Z`,
  properties,
});

beforeAll(async () => {
  server = await startServer({ now: START });
  client = clientFor(server);
  await capture(server, server.projectKey, [
    event('$pageview', 'ann', '09:00:00', {
      $browser: 'Firefox',
      plan: 'pro',
      ms: 120,
      $session_id: 's1',
      $current_url: 'https://example.org/a',
    }),
    event('$pageview', 'ann', '09:00:30', {
      $browser: 'Firefox',
      plan: 'pro',
      ms: 80,
      $session_id: 's1',
      $current_url: 'https://example.org/b',
    }),
    event('$pageview', 'bob', '10:00:00', {
      $browser: 'Chrome',
      ms: 300,
      'a key': 'x',
      $session_id: 's2',
      $current_url: 'https://example.org/a',
    }),
    event('signed_up', 'bob', '10:05:00', { plan: 'free', $set: { email: 'bob@example.org' } }),
  ]);
});
afterAll(() => server.close());

const run = (sql: string, more: Record<string, unknown> = {}, body: Record<string, unknown> = {}) =>
  client.post(QUERY, {
    body: { query: { kind: 'HogQLQuery', query: sql, ...more }, refresh: 'force_blocking', ...body },
  });
const rows = async (sql: string, more?: Record<string, unknown>) => {
  const { status, body } = await run(sql, more);
  if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
  return body.results;
};

describe.skipIf(!isEmbedded)('a SQL statement', () => {
  it('is answered in the shape of PostHog', async () => {
    const { status, body } = await run('select event, count() as n from events group by event order by n desc');
    expect(status).toBe(200);
    expect(body).toMatchObject({
      results: [
        ['$pageview', 3],
        ['signed_up', 1],
      ],
      columns: ['event', 'n'],
      types: [
        ['event', 'String'],
        ['n', 'UInt64'],
      ],
      error: null,
      hasMore: false,
      limit: 100,
      offset: 0,
      is_cached: false,
      timezone: 'UTC',
      clickhouse: null,
    });
  });

  it.each([
    [
      'select properties.$browser as b, count() as n from events group by b order by n desc, b',
      [
        ['Firefox', 2],
        ['Chrome', 1],
        [null, 1],
      ],
    ],
    [`select properties['a key'] as k from events where k is not null`, [['x']]],
    ['select e.properties.plan from events e order by e.timestamp', [['pro'], ['pro'], [null], ['free']]],
    ['select toFloat(properties.ms) as ms from events where ms > 100 order by ms', [[120], [300]]],
    ['select quantile(0.5)(toFloat(properties.ms)) as p from events', [[120]]],
    ['select Quantile(0.75)(toFloat(properties.ms)) as p from events', [[210]]],
    [
      `select toStartOfWeek(timestamp) as s, toStartOfWeek(timestamp, 1) as m from events limit 1`,
      [['2026-01-11T00:00:00.000Z', '2026-01-12T00:00:00.000Z']],
    ],
    ["select uniq(distinct_id) as n, countIf(event = 'signed_up') as s from events", [[2, 1]]],
    ['select toStartOfDay(timestamp) as d, count() as n from events group by d', [['2026-01-15T00:00:00.000Z', 4]]],
    ["select multiIf(event = 'signed_up', 1, 0) as s from events order by timestamp", [[0], [0], [0], [1]]],
    [
      'select person.properties.email as email, count() as n from events group by email order by n, email nulls first',
      [
        [null, 2],
        ['bob@example.org', 2],
      ],
    ],
    [
      'select p.properties.email as email from persons p where p.is_identified = false order by email nulls last',
      [['bob@example.org'], [null]],
    ],
    ['select distinct_id from person_distinct_ids order by 1', [['ann'], ['bob']]],
    [
      'select session_id, "$session_duration", "$pageview_count", "$entry_current_url", "$end_current_url" from sessions order by 1',
      [
        ['s1', 30, 2, 'https://example.org/a', 'https://example.org/b'],
        ['s2', 0, 1, 'https://example.org/a', 'https://example.org/a'],
      ],
    ],
    ['with a as (select event from events) select count() as n from a', [[4]]],
    [
      'select event, row_number() over (partition by person_id order by timestamp) as nth from events order by timestamp limit 2',
      [
        ['$pageview', 1],
        ['$pageview', 2],
      ],
    ],
    [
      'select 9007199254740993 as n, 1.5 as d, true as b, null as x, [1, 2] as l',
      [['9007199254740993', 1.5, true, null, [1, 2]]],
    ],
    ['select 1 union all select 2 order by 1', [[1], [2]]],
    ['select any(event) is null as none, any ( 1 ) as one from events', [[false, 1]]],
    [`select 'a' = any(['a', 'b']) as is_one, isNull(null) as no, isNotNull(null) as yes`, [[true, true, false]]],
    ['select list_sort(groupUniqArray(distinct_id)) as ids from events', [[['ann', 'bob']]]],
  ])('answers %s', async (sql, expected) => {
    expect(await rows(sql)).toEqual(expected);
  });

  it('binds values, also lists and those that look like SQL', async () => {
    const count = 'select count() as n from events where';
    expect(await rows(`${count} event = {name}`, { values: { name: 'signed_up' } })).toEqual([[1]]);
    expect(await rows(`${count} event = {name}`, { values: { name: "' or 1=1 --" } })).toEqual([[0]]);
    expect(await rows(`${count} event in {names}`, { values: { names: ['signed_up', '$pageview'] } })).toEqual([[4]]);
    expect(await rows(`${count} event in ({names})`, { values: { names: ['signed_up'] } })).toEqual([[1]]);
    expect(await rows(`${count} toFloat(properties.ms) > {ms}`, { values: { ms: 100 } })).toEqual([[2]]);
    expect(await rows(`${count} {filters}`, { filters: { dateRange: { date_from: '-7d' } } })).toEqual([[4]]);
    expect(await rows(`${count} {filters}`, { filters: { dateRange: { date_to: '2026-01-14' } } })).toEqual([[0]]);
    expect(
      await rows(`${count} event = {variables.which}`, {
        variables: { a: { code_name: 'which', value: 'signed_up' } },
      }),
    ).toEqual([[1]]);
  });

  it('has at most as many rows as asked for, and tells whether there are more', async () => {
    const sql = 'select unnest([1, 2, 3]) as i';
    expect((await run(`${sql} limit 2`)).body).toMatchObject({ results: [[1], [2]], hasMore: true, limit: 2 });
    expect((await run(`${sql} limit 2 offset 1`)).body).toMatchObject({
      results: [[2], [3]],
      hasMore: false,
      offset: 1,
    });
    expect((await run(`${sql} limit 3`)).body).toMatchObject({ hasMore: false });
  });

  it('has large answers whole, in any script', async () => {
    const texts = ['a', '"quoted" \\ \n', 'größer', '日本語', '😀', '\u0001'];
    const values = Object.fromEntries(texts.map((text, i) => [`t${i}`, text]));
    const digits = Array.from({ length: 10 }, (_, digit) => `select ${digit} as n`).join(' union all ');
    const sql = `with d as (${digits}), texts as (${texts.map((_, i) => `select {t${i}} as t`).join(' union all ')})
      select a.n * 1000 + b.n * 100 + c.n * 10 + d.n as number, concat(t, t), t
      from d a, d b, d c, d, texts order by number, t limit 50000`;
    const found = await rows(sql, { values });
    const sorted = [...texts].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
    const expected = Array.from({ length: 10_000 }, (_, n) => sorted.map((t) => [n, t + t, t])).flat();
    expect(found.length).toBe(50_000);
    expect(found).toEqual(expected.slice(0, 50_000));
  });

  it('sees events that were stored since, and merged persons', async () => {
    const before = await rows('select count() as n from events');
    await capture(server, server.projectKey, [event('later', 'cat', '11:00:00')]);
    expect(await rows('select count() as n from events')).toEqual([[Number(before[0][0]) + 1]]);
    await capture(server, server.projectKey, [
      event('$identify', 'cat-at-home', '11:01:00', { $anon_distinct_id: 'cat' }),
    ]);
    expect(await rows(`select uniq(person_id) as n from events where distinct_id in ('cat', 'cat-at-home')`)).toEqual([
      [1],
    ]);
  });

  const OF_CAT = `distinct_id in ('cat', 'cat-at-home')`;
  it.each([
    `select count(distinct e.Person_ID) as n from events e where ${OF_CAT}`,
    `with mine as (select * from events where ${OF_CAT}) select count(distinct person_id) as n from mine`,
    `select count(distinct id) as n from (select e.* from events e) q join persons on persons.id = q.person_id where ${OF_CAT}`,
    `select count(distinct i.distinct_id) - 1 as n from events e join person_distinct_ids i using (person_id) where e.event = 'later'`,
    `select count(distinct e) - 1 as n from events e where ${OF_CAT}`,
  ])('has merged persons in: %s', async (sql) => {
    expect(await rows(sql)).toEqual([[1]]);
  });

  it('looks up merged persons only where they are read', async () => {
    const tableOf = async (sql: string) => /from \(?(events\w*)/i.exec((await run(sql)).body.hogql)?.[1];
    expect(await tableOf('select event, count() as n from events group by event')).toBe('events_without_persons');
    expect(await tableOf('select events.event from events where properties.plan is null')).toBe(
      'events_without_persons',
    );
    expect(await tableOf('select * from events')).toBe('events');
    expect(await tableOf('select person.properties.email as e from events')).toBe('events_with_persons');
  });

  it('is answered again from what is kept', async () => {
    const sql = 'select count() as n from events -- kept';
    await run(sql);
    const first = await run(sql, {}, { refresh: 'blocking' });
    const second = await run(sql, {}, { refresh: 'blocking' });
    expect(second.body.results).toEqual(first.body.results);
    expect(second.body.is_cached).toBe(true);
  });

  it.each([
    [{ kind: 'TrendsQuery' }, 'query_kind_unsupported', 'query.kind'],
    [{ kind: 'HogQLQuery' }, 'invalid_input', 'query.query'],
    [{ kind: 'HogQLQuery', query: 'selec 1' }, 'syntax', 'query.query'],
    [{ kind: 'HogQLQuery', query: 'select 1e999' }, 'syntax', 'query.query'],
    [{ kind: 'HogQLQuery', query: 'select nope from events' }, 'column_unknown', 'query.query'],
    [{ kind: 'HogQLQuery', query: 'select coutn(1)' }, 'function_not_allowed', 'query.query'],
    [{ kind: 'HogQLQuery', query: 'select {x}', values: { x: { a: 1 } } }, 'bad_parameter', 'query.query'],
    [{ kind: 'HogQLQuery', query: 'select 1', values: 3 }, 'bad_parameter', 'query.values'],
  ])('refuses %j', async (query, code, attr) => {
    const { status, body } = await client.post(QUERY, { body: { query } });
    expect([status, body.code, body.attr]).toEqual([400, code, attr]);
  });

  it('says where the mistake is and what was meant', async () => {
    const { body } = await run('select 1,\n  coutn(event) from events');
    expect(body.detail).toBe('There is no function coutn. Did you mean count? (line 2, column 3)');
    expect(body.extra).toEqual({ line: 2, column: 3 });
  });

  it('selects values that are bound, and knows their types', async () => {
    const sql = 'select {text} as text, {whole} as whole, {part} as part, 1 as one';
    const query = { kind: 'HogQLQuery', query: sql, values: { text: 'a', whole: 7, part: 1.5 } };
    const types = [
      ['text', 'String'],
      ['whole', 'Int64'],
      ['part', 'Float64'],
      ['one', 'Int32'],
    ];
    const { body } = await client.post(QUERY, { body: { query } });
    expect([body.results, body.types]).toEqual([[['a', 7, 1.5, 1]], types]);
    expect((await client.post(`${QUERY}check/`, { body: { query } })).body.types).toEqual(types);
  });

  it('is checked without being run', async () => {
    const { body } = await client.post(`${QUERY}check/`, {
      body: { query: { kind: 'HogQLQuery', query: 'select event, timestamp from events' } },
    });
    expect(body).toMatchObject({ isValid: true, columns: ['event', 'timestamp'] });
    const schema = (await client.get(`${QUERY}schema/`)).body;
    expect(schema.tables.map(({ name }: { name: string }) => name)).toContain('sessions');
  });

  it('is explained: how it would be run, without a name of a file', async () => {
    const query = {
      kind: 'HogQLQuery',
      query: 'select event, count() as n from events where event = {name} group by event',
      values: { name: 'signed_up' },
    };
    const { status, body } = await client.post(`${QUERY}check/`, { body: { query, explain: true } });
    expect(status).toBe(200);
    interface Step {
      name: string;
      details: Record<string, string>;
      children: Step[];
    }
    const steps = (plan: Step[]): Step[] => plan.flatMap((step) => [step, ...steps(step.children)]);
    const all = steps(body.plan);
    expect(all.map(({ name }) => name)).toContain('HASH_GROUP_BY');
    expect(all.find(({ name }) => name === 'SEQ_SCAN')?.details['Table']).toBe('event_rows');
    expect(JSON.stringify(body)).not.toMatch(/duckdb|1-[0-9a-f]{8}-/);
    // Not asked for.
    expect((await client.post(`${QUERY}check/`, { body: { query } })).body.plan).toBeNull();
    const refused = await client.post(`${QUERY}check/`, {
      body: { query: { kind: 'HogQLQuery', query: 'select * from secrets' }, explain: true },
    });
    expect([refused.status, refused.body.code]).toEqual([400, 'table_not_allowed']);
  });

  it('reads which values feature flags had', async () => {
    const called = (distinctId: string, at: string, response: unknown) =>
      event('$feature_flag_called', distinctId, at, { $feature_flag: 'beta', $feature_flag_response: response });
    await capture(server, server.projectKey, [
      called('dan', '08:00:00', true),
      called('eve', '08:01:00', 'blue'),
      called('fay', '08:02:00', false),
    ]);
    expect(
      await rows(
        `select c.flag, c.response, c.distinct_id, c.properties.$feature_flag = c.flag as same
        from feature_flag_calls c join persons p on p.id = c.person_id order by c.timestamp`,
      ),
    ).toEqual([
      ['beta', 'true', 'dan', true],
      ['beta', 'blue', 'eve', true],
      ['beta', 'false', 'fay', true],
    ]);
  });

  it('tells its limits, and by what its answer is known', async () => {
    const { limits } = (await client.get(`${QUERY}schema/`)).body;
    expect(limits).toEqual({
      ...{
        rows: 50_000,
        default_rows: 100,
        file_rows: 1_000_000,
        seconds: 30,
        memory_mb: 512,
        answer_bytes: 50_000_000,
      },
      ...{ statements_per_minute: 120, text_bytes: 65_536, tables: 20, depth: 250 },
    });
    const keyOf = async (sql: string) => (await run(sql, {}, { refresh: 'blocking' })).body.cache_key;
    expect(await keyOf('select 1 as known')).toMatch(/^sql_[0-9a-f]{32}$/);
    expect(await keyOf('select 1 as known')).toBe(await keyOf('select 1 as known'));
    expect(await keyOf('select 1 as known')).not.toBe(await keyOf('select 2 as known'));
  });

  it('is answered as CSV', async () => {
    const response = await fetch(`${server.url}/api/projects/1/query.csv`, {
      method: 'POST',
      headers: { authorization: `Bearer ${server.personalKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        query: { kind: 'HogQLQuery', query: `select event, '=1' as f from events where event = 'signed_up'` },
      }),
    });
    expect(await response.text()).toBe("event,f\r\nsigned_up,'=1\r\n");
  });

  const parquetOf = (query: string) =>
    fetch(`${server.url}/api/projects/1/query.parquet`, {
      method: 'POST',
      headers: { authorization: `Bearer ${server.personalKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ query: { kind: 'HogQLQuery', query } }),
    });
  const filesLeft = () => readdirSync(join(server.dataDir, 'sql')).filter((name) => !name.endsWith('.duckdb'));

  it('is answered as Parquet, with types and without leaving a file', async () => {
    const response = await parquetOf(
      `select event, properties.plan as Event, timestamp, [1, 2] as list from events where distinct_id = 'bob' order by timestamp`,
    );
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/vnd.apache.parquet']);
    const bytes = Buffer.from(await response.arrayBuffer());
    expect(response.headers.get('content-length')).toBe(String(bytes.length));
    expect(filesLeft()).toEqual([]);
    const path = join(server.dataDir, 'answer.parquet');
    writeFileSync(path, bytes);
    const instance = await DuckDBInstance.create(':memory:');
    const connection = await instance.connect();
    const read = await connection.run(`select * from read_parquet('${path}')`);
    expect(read.columnNames()).toEqual(['event', 'Event_2', 'timestamp', 'list']);
    expect(await read.getRowsJson()).toEqual([
      ['$pageview', null, '2026-01-15 10:00:00', [1, 2]],
      ['signed_up', 'free', '2026-01-15 10:05:00', [1, 2]],
    ]);
    connection.closeSync();
    instance.closeSync();
    rmSync(path);
  });

  it('is refused as Parquet as it is elsewhere, and has the rows that its limit allows', async () => {
    const refused = await parquetOf('select * from secrets');
    expect([refused.status, ((await refused.json()) as { code: string }).code]).toEqual([400, 'table_not_allowed']);
    const failed = await parquetOf(`select cast(event as double) as n from events`);
    expect([failed.status, ((await failed.json()) as { code: string }).code]).toEqual([400, 'syntax']);
    const path = join(server.dataDir, 'answer.parquet');
    writeFileSync(path, Buffer.from(await (await parquetOf('select uuid from events limit 3')).arrayBuffer()));
    const instance = await DuckDBInstance.create(':memory:');
    const connection = await instance.connect();
    const read = await connection.run(`select count(*)::int from read_parquet('${path}')`);
    expect(await read.getRowsJS()).toEqual([[3]]);
    connection.closeSync();
    instance.closeSync();
    rmSync(path);
    expect(filesLeft()).toEqual([]);
  });

  it('is in the activity of the project: who, what, how many rows and how it ended, without values', async () => {
    const marker = 'value-that-is-bound';
    const { email } = (await client.get('/api/users/@me/')).body;
    await run('select event, {name} as name from events limit 2', { values: { name: marker } });
    await run(`select 'of the activity' as x from secrets`);
    await expect
      .poll(async () => {
        const { body } = await client.get('/api/projects/1/activity_log/?scope=Query&limit=100');
        expect(JSON.stringify(body)).not.toContain(marker);
        return body.results
          .map(({ activity, user, detail }: { activity: string; user: { email: string }; detail: Detail }) => [
            activity,
            user.email === email,
            detail.name,
            { ...detail.trigger, ms: typeof detail.trigger['ms'] },
          ])
          .slice(0, 2);
      })
      .toEqual([
        [
          'query',
          true,
          `select 'of the activity' as x from secrets`,
          { outcome: 'table_not_allowed', rows: 0, ms: 'number' },
        ],
        [
          'query',
          true,
          'select event, {name} as name from events limit 2',
          { outcome: 'completed', rows: 2, ms: 'number' },
        ],
      ]);
  });

  it('is run on the command line', async () => {
    const sql = `select event, count() as n from events where event = 'signed_up' group by event`;
    const at = ['--data-dir', server.dataDir];
    expect((await cairn(['sql', sql, ...at])).stdout).toBe('event      n\nsigned_up  1\n');
    expect((await cairn(['sql', sql, '--csv', ...at])).stdout).toBe('event,n\r\nsigned_up,1\r\n');
    expect(await cairnJson(['sql', sql, ...at])).toEqual({
      columns: ['event', 'n'],
      rows: [['signed_up', 1]],
      has_more: false,
      warnings: [],
    });
    const { code, stderr } = await cairn(['sql', 'drop table events', ...at]);
    expect([code, stderr]).toEqual([1, expect.stringContaining('Only SELECT statements are run.')]);
  });

  it('reads nothing of a deleted person, of whom no copy is left', async () => {
    const marker = 'text-of-a-person-who-leaves';
    await capture(server, server.projectKey, [event('left', 'gone', '11:30:00', { note: marker })]);
    const count = `select count() as n from events where properties.note = '${marker}'`;
    expect(await rows(count)).toEqual([[1]]);
    const folder = join(server.dataDir, 'sql');
    const holds = () =>
      existsSync(folder) && readdirSync(folder).some((file) => readFileSync(join(folder, file)).includes(marker));
    expect(holds()).toBe(true);
    const person = (await client.get('/api/projects/1/persons/?distinct_id=gone')).body.results[0];
    expect((await client.delete(`/api/projects/1/persons/${person.uuid}/?delete_events=true`)).status).toBe(204);
    await expect.poll(() => rows(count)).toEqual([[0]]);
    server.setNow('2026-01-15T12:01:00Z');
    await expect.poll(holds).toBe(false);
  });

  it('runs in the background, and can be ended', async () => {
    const id = 'in-the-background';
    const started = await run('select 1 as n', {}, { async: true, client_query_id: id });
    expect(started.status).toBe(202);
    const state = async () => (await client.get(`${QUERY}${id}/`)).body.query_status;
    await expect.poll(async () => (await state()).complete).toBe(true);
    expect((await state()).results.results).toEqual([[1]]);
    expect((await client.delete(`${QUERY}${id}/`)).status).toBe(204);
    expect((await client.get(`${QUERY}${id}/`)).status).toBe(404);
  });
});
