/** The words of ClickHouse, many in one statement: each takes a second where the engine is emulated. */
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { anEvent, uuidOf } from '../../../test/contract/events.ts';
import { makeDatabase, type TestDatabase, TIMEOUTS } from '../../../test/support/clickhouse.ts';
import { describeWithClickHouse } from '../../../test/support/describe-clickhouse.ts';
import { HOT_PROPERTIES, propertyText } from '../../core/events/hot-properties.ts';
import { parseFilterDate } from '../../core/filters/filter-dates.ts';
import { NUMBER_PATTERN, parseNumber } from '../../core/filters/matches.ts';
import type { Json } from '../../core/json/json.ts';
import { addSpan, type SpanInterval, toSpan } from '../../core/time/span.ts';
import type { BucketInterval, SqlBuilder } from '../events/dialect.ts';
import type { EventStore, SqlRow, SqlValue } from '../events/event-store.ts';
import { clickhouseDialect } from './dialect.ts';
import { openClickHouseEventStore } from './event-store.ts';

vi.setConfig(TIMEOUTS);

const KEYS = [
  ...[
    'plan',
    'a.b',
    'a"b',
    "a'b",
    '$.a',
    '$',
    '*',
    '[0]',
    '0',
    '',
    ' ',
    'a/b',
    'a~b',
    '~1',
    '#',
    'é😀',
    'a\\b',
    'a\0b',
  ],
  ...[`') from events; drop table event_rows --`, '__proto__', 'constructor', '$1', '@text(event )', ...HOT_PROPERTIES],
];
const VALUES: Json[] = [
  ...[
    'yes',
    '',
    'null',
    '5',
    '\u0001',
    'é😀',
    'a\nb',
    '\\u2028',
    0,
    -0,
    1.5,
    1e21,
    1e-7,
    123456789012345680000,
    2 ** 63,
  ],
  ...[Number.MAX_VALUE, 5e-324, -1, true, false, null, [], [1, 'a/b', null], { a: { b: '\u001f' } }, ['\\', '"']],
];
const DATES = [
  ...['2024-02-29', '2023-02-29', '2024-13-01', '2024-00-10', '0001-01-01', '1899-12-31', '9999-12-31', '2000-02-29'],
  ...['2024-05-01T10:20', '2024-05-01 10:20:30.999', '2024-05-01T10:20:30Z', '2024-05-01T10:20:30+02:00'],
  ...['2024-05-01T10:20:30-0530', '2024-05-01T24:00:00', '31/12/2024', '31/02/2024', '1700000000', '1700000000123'],
  ...['170000000', '12345678', 'no date', '', '2024-05-01abc', '2024-05-01é', '2024-04-31', '1900-02-29'],
];
const NUMBERS = [
  '1',
  '-1.5',
  '+2',
  '.5',
  '1.',
  '1e3',
  '1E-2',
  'e3',
  '0x10',
  ' 1',
  '1 ',
  'inf',
  'nan',
  '',
  '1e400',
  '--1',
  '1_0',
];

await describeWithClickHouse('the ClickHouse dialect', (server) => {
  let database: TestDatabase;
  let store: EventStore;
  const events = KEYS.flatMap((key) => [{ key, value: 'yes' as Json }]).concat(
    VALUES.flatMap((value) => [
      { key: 'plan', value },
      { key: '$browser', value },
    ]),
  );

  beforeAll(async () => {
    database = await makeDatabase(server);
    store = await openClickHouseEventStore(database.options);
    const rows = events.map(({ key, value }, at) =>
      anEvent({
        timestamp: at,
        properties: JSON.parse(`{"other":"no",${JSON.stringify(key)}:${JSON.stringify(value)}}`),
      }),
    );
    await store.write({
      events: [...rows, anEvent({ timestamp: -5, projectId: 2, properties: {} })],
      overrides: [],
      position: 1,
    });
  });
  afterAll(async () => {
    await store?.close();
    await database?.drop();
  });

  /** What each expression says, in one statement, about the one event of project 2. */
  async function answers(says: readonly ((sql: SqlBuilder) => string)[]): Promise<(SqlValue | undefined)[]> {
    const sql = clickhouseDialect.newStatement('e');
    const columns = says.map((say, i) => `${say(sql)} as a${i}`);
    const [row] = await store.query(
      `select ${columns.join(', ')} from event_rows e where e.project_id = 2`,
      sql.values,
    );
    return says.map((_, i) => row?.[`a${i}`]);
  }

  it('reads any key and value, and distinguishes null from missing', async () => {
    const sql = clickhouseDialect.newStatement('e');
    const columns = KEYS.map(
      (key, i) => `${sql.property(key)} as v${i}, ${sql.text(key)} as t${i}, ${sql.hasKey(key)} as k${i}`,
    );
    const rows: SqlRow[] = await store.query(
      `select ${columns.join(', ')} from event_rows e where e.project_id = 1 order by e.timestamp`,
      sql.values,
    );
    expect(rows).toHaveLength(events.length);
    rows.forEach((row, at) => {
      const { key, value } = events[at] as (typeof events)[number];
      const found = KEYS.map((_, i) => [row[`v${i}`], row[`t${i}`], Number(row[`k${i}`])]);
      const text = propertyText(value);
      const own = [text, text ?? 'null', 1];
      expect(found).toEqual(KEYS.map((one) => (one === key ? own : [null, '', 0])));
    });
  });

  it('reads dates and numbers like the other dialects', async () => {
    const dates = await answers(DATES.map((text) => (sql) => sql.date(sql.param(text))));
    expect(dates).toEqual(DATES.map((text) => parseFilterDate(text)));
    const numbers = await answers(NUMBERS.map((text) => (sql) => sql.number(sql.param(text), NUMBER_PATTERN)));
    const expected = NUMBERS.map((text) => (/^ | $/.test(text) ? null : parseNumber(text)));
    expect(numbers).toEqual(expected.map((one) => (one === Number.POSITIVE_INFINITY ? null : one)));
  });

  it('matches, contains, counts and compares', async () => {
    const found = await answers([
      (sql) => sql.matches(`'pro'`, '^pr.$'),
      (sql) => sql.matches(`'PRO'`, 'pro'),
      (sql) => sql.matches(`'a\\nb'`, 'a.b'),
      (sql) => sql.matches(`cast(null as varchar)`, '.*'),
      (sql) => sql.isPattern('('),
      (sql) => sql.isPattern('a|b'),
      (sql) => sql.containsIgnoringCase(`'Äpfel 100% bio'`, 'ÄPFEL'),
      (sql) => sql.containsIgnoringCase(`'Äpfel 100% bio'`, '%b'),
      (sql) => sql.containsIgnoringCase(`'x'`, ''),
      (sql) => sql.contains(`'Äpfel 100% bio'`, 'ÄPFEL'),
      (sql) => sql.contains(`'Äpfel 100% bio'`, '%'),
      (sql) => sql.bitCount(`(${sql.bit('3')} + ${sql.bit('0')})`),
      // Another place than there is, in a branch that is not taken.
      (sql) => `(case when e.timestamp > 0 then ${sql.bit('(e.timestamp)')} else 6 end)`,
      (sql) => `(case when e.timestamp > 0 then ${sql.bit('(70 - e.timestamp)')} else 7 end)`,
      (sql) => sql.quotient(sql.integer(7), sql.integer(2)),
      (sql) => sql.double(Number.POSITIVE_INFINITY).concat(' > 5'),
      (sql) => `(select ${sql.quantile('x', 0.9)} from (select arrayJoin([1, 2, 11]) as x))`,
      (sql) => `(select ${sql.quantile('x', 0.5)} from (select arrayJoin([null, 7]) as x))`,
      (sql) => `(select ${sql.joinTexts('x')} from (select arrayJoin([1, 2]) as x))`,
      (sql) =>
        `(select count(*) from ${sql.rows(
          ['a', 'b'],
          [
            { a: 'x\0', b: `'"` },
            { a: '\ud800', b: '' },
          ],
        )} r where r.b = '' or r.a = 'x\\0')`,
      (sql) =>
        `(${sql.idOrder(`toUUID('${uuidOf(1)}')`)} < ${sql.idOrder(`toUUID('f0000000-0000-4000-8000-000000000000')`)})`,
      (sql) => `(e.timestamp < ${sql.time(-4)})`,
    ]);
    expect(found.map((one) => (typeof one === 'boolean' ? Number(one) : one))).toEqual([
      ...[1, 0, 0, null, 0, 1, 1, 0, 1, 0, 1, 2, 6, 7, 3, 1],
      ...[expect.closeTo(9.2, 9), 7, '1,2', 2, 1, 1],
    ]);
  });

  it('truncates and adds calendar intervals', async () => {
    const buckets: [string, BucketInterval, string, string][] = [
      ['2024-03-31T22:30:15.5Z', 'minute', 'Europe/Berlin', '2024-03-31T22:30:00Z'],
      ['2024-03-31T22:30:00Z', 'day', 'UTC', '2024-03-31T00:00:00Z'],
      ['2024-03-31T22:30:00Z', 'day', 'Europe/Berlin', '2024-03-31T22:00:00Z'],
      ['2024-03-31T12:00:00Z', 'day', 'Europe/Berlin', '2024-03-30T23:00:00Z'],
      ['2024-10-27T00:30:00Z', 'hour', 'Europe/Berlin', '2024-10-27T00:00:00Z'],
      ['2024-10-27T01:30:00Z', 'hour', 'Europe/Berlin', '2024-10-27T01:00:00Z'],
      ['2024-05-01T10:10:00Z', 'hour', 'Asia/Kolkata', '2024-05-01T09:30:00Z'],
      ['2024-05-01T10:10:00Z', 'week', 'UTC', '2024-04-29T00:00:00Z'],
      ['2024-05-01T03:00:00Z', 'month', 'America/New_York', '2024-04-01T04:00:00Z'],
    ];
    const spans: SpanInterval[] = ['minute', 'week', 'month', 'year'];
    const start = Date.parse('2024-01-31T22:30:00Z');
    const found = await answers([
      ...buckets.map(
        ([time, interval, zone]) =>
          (sql: SqlBuilder) =>
            sql.bucket(sql.time(Date.parse(time)), interval, zone),
      ),
      ...spans.map((interval) => (sql: SqlBuilder) => sql.addSpan(sql.time(start), toSpan(1, interval))),
    ]);
    expect(found).toEqual([
      ...buckets.map(([, , , began]) => Date.parse(began)),
      ...spans.map((interval) => addSpan(start, toSpan(1, interval))),
    ]);
  });
});
