/** A project that is larger than its copy may be: statements read the newest months, and every answer says so. */
import { createHash } from 'node:crypto';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cairn, cairnJson } from '../support/cairn.ts';
import { capture } from '../support/capture.ts';
import { clientFor } from '../support/client.ts';
import { isEmbedded, startServer, type TestServer } from '../support/server.ts';
import { startHook } from '../support/webhook.ts';

const NOW = '2026-01-15T12:00:00Z';
const MAX_BYTES = 8_000_000;
const QUERY = '/api/projects/1/query/';
const MONTHS = ['2026-01', '2025-12', '2025-11', '2025-10', '2025-09', '2025-08', '2025-07', '2025-06'];
const EVENTS_PER_MONTH = 500;
let server: TestServer;
let client: ReturnType<typeof clientFor>;
let sent = 0;

beforeAll(async () => {
  server = await startServer({
    now: NOW,
    config: { sqlCopyMaxGb: MAX_BYTES / 1e9, sqlPort: 0, webhookAllowPrivate: true },
  });
  client = clientFor(server);
  for (const month of MONTHS) await send(month, EVENTS_PER_MONTH);
});
afterAll(() => server.close());

/** Text that cannot be compressed, the same in each run. */
function noise(seed: number): string {
  let text = '';
  for (let i = 0; i < 24; i++) text += createHash('sha512').update(`${seed} ${i}`).digest('base64');
  return text;
}

/** On the fifth day of the month. About 1.5 kB each, on disk. */
const send = (month: string, count: number, to = server) =>
  capture(
    to,
    to.projectKey,
    Array.from({ length: count }, (_, i) => ({
      event: 'seen',
      distinct_id: `user-${i % 5}`,
      timestamp: `${month}-05T09:00:00Z`,
      properties: { noise: noise(sent++), $session_id: `${month}-${i % 3}` },
    })),
  );

const ask = (query: string, more: object = {}, to = client) =>
  to.post(QUERY, { body: { query: { kind: 'HogQLQuery', query }, refresh: 'force_blocking', ...more } });

const BY_MONTH = `select strftime(timestamp, '%Y-%m') as month, count() as n from events group by 1 order by 1 desc`;

const bytesOfCopies = () =>
  readdirSync(join(server.dataDir, 'sql')).reduce(
    (sum, name) => sum + statSync(join(server.dataDir, 'sql', name)).size,
    0,
  );

const MONTH_NAME = new Intl.DateTimeFormat('en', { month: 'long', year: 'numeric', timeZone: 'UTC' });
/** For events from this month on. */
const warningFrom = (month: string) =>
  `Only events from ${MONTH_NAME.format(Date.parse(`${month}-01`))} on (UTC) are counted: the project is larger than the copy of it that SQL reads may be (SQL_COPY_MAX_GB).`;

describe.skipIf(!isEmbedded)('a project that is larger than its copy may be', () => {
  /** The first month that is there. */
  let first = '';

  it('is asked by its newest months, and the answer says from which on', async () => {
    const { status, body } = await ask(BY_MONTH);
    expect(status).toBe(200);
    const months: string[] = body.results.map(([month]: [string]) => month);
    // Some fit and some do not.
    expect(months.length).toBeGreaterThan(2);
    expect(months.length).toBeLessThan(MONTHS.length);
    expect(body.results).toEqual(MONTHS.slice(0, months.length).map((month) => [month, EVENTS_PER_MONTH]));
    first = months.at(-1) ?? '';
    expect(body.warnings).toEqual([{ code: 'events_left_out', message: warningFrom(first) }]);
    expect(bytesOfCopies()).toBeLessThanOrEqual(MAX_BYTES);
  });

  it('has all its persons, about which nothing is said', async () => {
    await capture(server, server.projectKey, [
      { event: '$set', distinct_id: 'old', timestamp: '2024-01-01T00:00:00Z', properties: { $set: { plan: 'pro' } } },
    ]);
    const { body } = await ask(`select properties.plan, count() from persons group by 1 order by 2`);
    expect(body.results).toEqual([
      ['pro', 1],
      [null, 5],
    ]);
    expect(body.warnings).toEqual([]);
  });

  it.each(['sessions', 'feature_flag_calls'])('warns of what is made of events: %s', async (table) => {
    expect((await ask(`select count() from ${table}`)).body.warnings).toHaveLength(1);
    expect((await ask(`with t as (select 1 from ${table}) select count() from t`)).body.warnings).toHaveLength(1);
  });

  it('warns of a kept answer, and of one that was asked for in the background', async () => {
    const kept = await ask(BY_MONTH, { refresh: 'blocking' });
    const again = await ask(BY_MONTH, { refresh: 'blocking' });
    expect([again.body.is_cached, again.body.warnings]).toEqual([true, kept.body.warnings]);
    await ask(BY_MONTH, { async: true, client_query_id: 'large' });
    const state = async () => (await client.get(`${QUERY}large/`)).body.query_status;
    await expect.poll(async () => (await state()).complete).toBe(true);
    expect((await state()).results.warnings).toEqual(kept.body.warnings);
  });

  it('warns in a header of a file', async () => {
    const body = { query: { kind: 'HogQLQuery', query: BY_MONTH } };
    for (const format of ['csv', 'parquet']) {
      const { status, headers } = await client.post(`/api/projects/1/query.${format}`, { body });
      expect([status, headers.get('x-cairn-warning')]).toEqual([200, warningFrom(first)]);
    }
    const plain = { query: { kind: 'HogQLQuery', query: 'select 1' } };
    expect((await client.post('/api/projects/1/query.csv', { body: plain })).headers.get('x-cairn-warning')).toBe(null);
  });

  it('warns of a saved statement, in its files, and on a shared page', async () => {
    const query = { kind: 'DataVisualizationNode', source: { kind: 'HogQLQuery', query: BY_MONTH } };
    const { body: saved } = await client.post('/api/projects/1/insights/', { body: { name: 'By month', query } });
    const warnings = [{ code: 'events_left_out', message: warningFrom(first) }];
    const path = `/api/projects/1/insights/${saved.id}/`;
    expect((await client.get(`${path}?refresh=true`)).body.warnings).toEqual(warnings);
    for (const format of ['csv', 'parquet']) {
      expect((await client.get(`${path}?format=${format}`)).headers.get('x-cairn-warning')).toBe(warningFrom(first));
    }
    const { body: shared } = await client.patch(`${path}sharing/`, { body: { enabled: true } });
    const { body: view } = await client.get(`/shared/${shared.access_token}.json`);
    expect(view.tiles[0].insight.warnings).toEqual(warnings);
  });

  it('warns in the message of an alert', async () => {
    const hook = await startHook();
    try {
      const source = { kind: 'HogQLQuery', query: 'select count() as n from events' };
      const query = { kind: 'DataVisualizationNode', source };
      const { body: insight } = await client.post('/api/projects/1/insights/', { body: { name: 'Events', query } });
      const made = await client.post('/api/projects/1/alerts/', {
        body: {
          name: 'Few events',
          insight: insight.id,
          config: { type: 'SqlAlertConfig' },
          condition: { type: 'absolute_value' },
          threshold: { configuration: { type: 'absolute', bounds: { lower: 1_000_000 } } },
          calculation_interval: 'hourly',
          targets: [{ type: 'webhook', url: hook.url }],
        },
      });
      expect(made.status).toBe(201);
      server.setNow('2026-01-15T13:10:00Z');
      await expect.poll(() => hook.requests.length).toBe(1);
      const { type, data } = JSON.parse(String(hook.requests[0]?.body));
      expect([type, data.warnings]).toEqual(['alert.firing', [warningFrom(first)]]);
    } finally {
      await hook.close();
    }
  });

  it('warns clients of PostgreSQL with a notice', async () => {
    const options = { host: '127.0.0.1', port: server.sqlPort, user: 'anybody', database: '1' };
    const connected = new pg.Client({ ...options, password: server.personalKey });
    await connected.connect();
    const notices: string[] = [];
    connected.on('notice', ({ message }) => notices.push(String(message)));
    try {
      await connected.query('select count(*) from persons');
      await connected.query(`select relname from pg_catalog.pg_class`);
      expect(notices).toEqual([]);
      await connected.query('select count(*) from events where event = $1', ['seen']);
      expect(notices).toEqual([warningFrom(first)]);
    } finally {
      await connected.end();
    }
  });

  it('warns on the command line, beside the rows', async () => {
    const args = ['sql', BY_MONTH, '--data-dir', server.dataDir];
    const { code, stdout, stderr } = await cairn([...args, '--csv']);
    expect([code, stdout.split('\r\n')[1]]).toEqual([0, `2026-01,${EVENTS_PER_MONTH}`]);
    expect(stderr).toBe(`${warningFrom(first)}\n`);
    expect((await cairnJson(args))['warnings']).toEqual([{ code: 'events_left_out', message: warningFrom(first) }]);
  });

  it('gets later events, but not those of months that are left out', async () => {
    const older = MONTHS[MONTHS.indexOf(first) + 1] ?? '';
    await send('2026-01', 10);
    await send(first, 5);
    await send(older, 7);
    const { body } = await ask(BY_MONTH);
    expect(body.results[0]).toEqual(['2026-01', EVENTS_PER_MONTH + 10]);
    expect(body.results.at(-1)).toEqual([first, EVENTS_PER_MONTH + 5]);
    expect(body.warnings).toEqual([{ code: 'events_left_out', message: warningFrom(first) }]);
  });

  it('has fewer months once later events take their space', async () => {
    for (let i = 0; i < 4; i++) {
      await send('2026-01', EVENTS_PER_MONTH);
      const { body } = await ask(BY_MONTH);
      expect(body.results[0]).toEqual(['2026-01', EVENTS_PER_MONTH * (2 + i) + 10]);
      const oldest = body.results.at(-1)[0];
      expect(body.warnings).toEqual([{ code: 'events_left_out', message: warningFrom(oldest) }]);
    }
    const { body } = await ask(`select strftime(min(timestamp), '%Y-%m') from events`);
    expect(body.results[0][0] > first).toBe(true);
  });

  it('is not asked at all if not even the newest month fits', async () => {
    const full = await startServer({ now: NOW, config: { sqlCopyMaxGb: 0.000_1 } });
    try {
      await send('2026-01', 1, full);
      for (let i = 0; i < 2; i++) {
        const { status, body } = await ask('select 1', {}, clientFor(full));
        expect([status, body.code]).toEqual([503, 'copy_too_large']);
        expect(body.detail).toMatch(
          /^SQL reads a copy of the project\. With the newest month of events alone, it would take about 0\.00\d+ GB; SQL_COPY_MAX_GB allows 0\.0001\./,
        );
      }
      expect(readdirSync(join(full.dataDir, 'sql'))).toEqual([]);
    } finally {
      await full.close();
    }
  });
});

describe.skipIf(!isEmbedded)('more rows than there may be', () => {
  it('are refused where the request asks for them', async () => {
    const { status, body } = await ask('select 1', { limit: 50_001 });
    expect([status, body.code, body.attr]).toEqual([400, 'too_many_rows', 'limit']);
  });

  /** There are six. */
  const persons = (times: number) => Array.from({ length: times }, (_, i) => `persons p${i}`).join(', ');
  const MANY = `select 1 as n from ${persons(7)}`;

  it.each([
    ['as many as there may be', 'limit 50000', []],
    ['more', 'limit 50001', ['rows_left_out']],
    ['more than there are', 'limit 200000 offset 279000', []],
    ['fewer', 'limit 7', []],
    ['any number', '', []],
  ])('are told of where a statement asks for %s', async (_, limit, codes) => {
    const { body } = await ask(`${MANY} ${limit}`);
    expect(body.warnings.map(({ code }: { code: string }) => code)).toEqual(codes);
  });

  it('are told of with what there is', async () => {
    const { body } = await ask(`${MANY} limit 55000`);
    expect([body.results.length, body.limit, body.hasMore]).toEqual([50_000, 50_000, true]);
    expect(body.warnings[0].message).toBe(
      'Only the first 50,000 rows are here, as many as there may be. OFFSET gives the next ones.',
    );
    const chosen = await ask(`${MANY} limit 55000`, { limit: 10 });
    expect([chosen.body.hasMore, chosen.body.warnings]).toEqual([true, []]);
  });

  it('are told of in a header of a file', async () => {
    const body = { query: { kind: 'HogQLQuery', query: `select 1 as n from ${persons(8)}` } };
    for (const format of ['csv', 'parquet']) {
      const { status, headers } = await client.post(`/api/projects/1/query.${format}`, { body });
      expect([status, headers.get('x-cairn-warning')]).toEqual([
        200,
        'Only the first 1,000,000 rows are here, as many as there may be. OFFSET gives the next ones.',
      ]);
    }
  });
});
