import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { anEvent } from '../../../test/contract/events.ts';
import { makeTempDir } from '../../../test/contract/temp-dir.ts';
import { HOT_PROPERTIES, propertyText } from '../../core/events/hot-properties.ts';
import type { Json } from '../../core/json/json.ts';
import { addSpan, type SpanInterval, toSpan } from '../../core/time/span.ts';
import type { BucketInterval, SqlBuilder } from '../events/dialect.ts';
import type { EventStore, SqlValue } from '../events/event-store.ts';
import { duckdbDialect } from './dialect.ts';
import { openEventStore } from './event-store.ts';

describe('the DuckDB dialect', () => {
  const dir = makeTempDir();
  let store: EventStore;
  let position = 0;

  beforeAll(async () => {
    store = await openEventStore(dir.path('events.duckdb'));
  });
  afterAll(async () => {
    await store.close();
    dir.remove();
  });

  /** What one expression says about one event with these properties. */
  async function ask(
    properties: Record<string, Json>,
    say: (sql: SqlBuilder) => string,
  ): Promise<SqlValue | undefined> {
    const projectId = ++position;
    await store.write({ events: [anEvent({ projectId, properties })], overrides: [], position });
    const sql = duckdbDialect.newStatement('e');
    const expression = say(sql);
    const rows = await store.query(
      `select ${expression} as answer from events e where e.project_id = ${sql.param(projectId)}`,
      sql.values,
    );
    expect(rows).toHaveLength(1);
    return rows[0]?.['answer'];
  }

  const keys = [
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
    ...[`') from events; drop table event_rows --`, '__proto__', 'constructor', ...HOT_PROPERTIES],
  ];

  it.each(keys)('reads the property %j, and only that one', async (key) => {
    const properties = JSON.parse(`{"other":"no",${JSON.stringify(key)}:"yes"}`);
    expect(await ask(properties, (sql) => sql.property(key))).toBe('yes');
    expect(await ask({ other: 'no' }, (sql) => sql.property(key))).toBeNull();
  });

  it('reads any key and value as text, with or without a hot column', async () => {
    const scalar = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
    );
    const value = fc.oneof(scalar, fc.array(fc.oneof(fc.string(), fc.integer(), fc.constant(null)), { maxLength: 3 }));
    const key = fc.oneof(fc.string({ unit: 'binary', maxLength: 12 }), fc.constantFrom(...HOT_PROPERTIES));
    await fc.assert(
      fc.asyncProperty(key, value, async (name, given) => {
        const properties = JSON.parse(`{${JSON.stringify(name)}:${JSON.stringify(given)}}`);
        expect(await ask(properties, (sql) => sql.property(name))).toBe(propertyText(given));
        expect(await ask(properties, (sql) => sql.hasProperty(name))).toBe(given !== null);
      }),
      { numRuns: 30 },
    );
  });

  it('reads events with lone surrogates', async () => {
    const properties = { broken: 'a\ud800b', whole: '😀', path: 'C:\\ud800' };
    expect(await ask(properties, (sql) => sql.property('broken'))).toBe('a\ufffdb');
    expect(await ask(properties, (sql) => sql.property('whole'))).toBe('😀');
    expect(await ask(properties, (sql) => sql.property('path'))).toBe('C:\\ud800');
  });

  it.each([
    ['plan', '^pr.$', true],
    ['plan', 'PRO', false],
    ['plan', "'\\) or true --", false],
    ['missing', '.*', null],
  ])('matches %s with %s: %s', async (key, pattern, answer) => {
    expect(await ask({ plan: 'pro' }, (sql) => sql.matches(sql.property(key), pattern))).toBe(answer);
  });

  it.each([
    ['ÄPFEL', true],
    ['pfel 100%', true],
    ['_', false],
    ['%b', false],
  ])('finds %s case-insensitively: %s', async (part, answer) => {
    const properties = { fruit: 'Äpfel 100% bio' };
    expect(await ask(properties, (sql) => sql.containsIgnoringCase(sql.property('fruit'), part))).toBe(answer);
  });

  it.each<[string, BucketInterval, string, string]>([
    ['2024-03-31T22:30:15.5Z', 'minute', 'Europe/Berlin', '2024-03-31T22:30:00Z'],
    ['2024-03-31T22:30:00Z', 'day', 'UTC', '2024-03-31T00:00:00Z'],
    ['2024-03-31T22:30:00Z', 'day', 'Europe/Berlin', '2024-03-31T22:00:00Z'],
    ['2024-03-31T12:00:00Z', 'day', 'Europe/Berlin', '2024-03-30T23:00:00Z'],
    ['2024-10-27T00:30:00Z', 'hour', 'Europe/Berlin', '2024-10-27T00:00:00Z'],
    ['2024-10-27T01:30:00Z', 'hour', 'Europe/Berlin', '2024-10-27T01:00:00Z'],
    ['2024-05-01T10:10:00Z', 'hour', 'Asia/Kolkata', '2024-05-01T09:30:00Z'],
    ['2024-05-01T10:10:00Z', 'week', 'UTC', '2024-04-29T00:00:00Z'],
    ['2024-05-01T03:00:00Z', 'month', 'America/New_York', '2024-04-01T04:00:00Z'],
  ])('truncates %s to the %s in %s: %s', async (time, interval, zone, start) => {
    const bucket = (sql: SqlBuilder): string => sql.bucket(sql.time(Date.parse(time)), interval, zone);
    expect(await ask({}, bucket)).toBe(Date.parse(start));
  });

  it.each<[SpanInterval, string]>([
    ['minute', '2024-01-31T22:31:00Z'],
    ['week', '2024-02-07T22:30:00Z'],
    ['month', '2024-02-29T22:30:00Z'],
    ['year', '2025-01-31T22:30:00Z'],
  ])('adds a %s: %s', async (interval, end) => {
    const start = Date.parse('2024-01-31T22:30:00Z');
    const say = (sql: SqlBuilder): string => sql.addSpan(sql.time(start), toSpan(1, interval));
    expect([await ask({}, say), addSpan(start, toSpan(1, interval))]).toEqual([Date.parse(end), Date.parse(end)]);
  });

  it('joins the values of a group', async () => {
    expect(await ask({}, (sql) => `(select ${sql.joinTexts('x')} from (select unnest([1, 2]) as x))`)).toBe('1,2');
  });

  it.each([
    ['ÄPFEL', false],
    ['pfel 100%', true],
    ['%', true],
    ['_', false],
  ])('finds %s literally: %s', async (part, answer) => {
    expect(await ask({ fruit: 'Äpfel 100% bio' }, (sql) => sql.contains(sql.property('fruit'), part))).toBe(answer);
  });

  it('counts in integers, milliseconds too', async () => {
    const at = 1_700_000_000_123;
    const days = (sql: SqlBuilder): string => sql.quotient(sql.ms('e.timestamp'), sql.integer(86_400_000));
    expect(await ask({}, (sql) => sql.ms('e.timestamp'))).toBe(at);
    expect(await ask({}, days)).toBe(Math.floor(at / 86_400_000));
  });

  it.each([
    [0.5, '[1, 2]', 1.5],
    [0.9, '[1, 2, 11]', 9.2],
    [0.5, '[null, 7]', 7],
    [0.5, 'cast([] as double[])', null],
  ])('computes the quantile %d of %s: %d', async (level, list, answer) => {
    const say = (sql: SqlBuilder): string => `(select ${sql.quantile('x', level)} from (select unnest(${list}) as x))`;
    const found = await ask({}, say);
    expect(found === null ? null : Number(Number(found).toPrecision(12))).toBe(answer);
  });

  it('compares times with parameters', async () => {
    const at = 1_700_000_000_123;
    expect(await ask({}, (sql) => `(e.timestamp = ${sql.time(at)})`)).toBe(true);
    expect(await ask({}, (sql) => `(e.timestamp < ${sql.time(at)})`)).toBe(false);
  });
});
