/** Trends by SQL are the trends of the insight: the same counts of the same events and persons, on random events. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { seeded } from '../../src/features/demo/rules/seeded-random.ts';
import { capture } from '../support/capture.ts';
import { clientFor } from '../support/client.ts';
import { isEmbedded, startServer, type TestServer } from '../support/server.ts';

const SEED = Number(process.env['SQL_FUZZ_SEED'] ?? 1);
const QUESTIONS = 60;
const USERS = 30;
const EVENTS = 3000;
const DAY_MS = 86_400_000;
let server: TestServer;
let client: ReturnType<typeof clientFor>;

const random = seeded(SEED);
const below = (count: number): number => Math.floor(random() * count);
const pick = <T>(items: readonly T[]): T => items[below(items.length)] as T;

beforeAll(async () => {
  server = await startServer({ now: '2026-02-15T12:00:00Z', config: { apiRequestsPerMinute: null } });
  client = clientFor(server);
  const sent = Array.from({ length: EVENTS }, () => anEvent());
  for (let at = 0; at < EVENTS; at += 500) await capture(server, server.projectKey, sent.slice(at, at + 500));
  // Some users turn out to be the same.
  await capture(
    server,
    server.projectKey,
    Array.from({ length: 6 }, (_, i) => ({
      event: '$identify',
      distinct_id: `known-${i}`,
      timestamp: '2026-02-14T00:00:00Z',
      properties: { $anon_distinct_id: `user-${i}`, $set: { plan: pick(['free', 'pro']) } },
    })),
  );
  await capture(
    server,
    server.projectKey,
    ['user-7', 'user-8'].map((alias) => ({ event: '$create_alias', distinct_id: 'user-6', properties: { alias } })),
  );
});
afterAll(() => server.close());

/** Between October and February. */
const anEvent = () => ({
  event: pick(['opened', 'signed up', "O'Brien"]),
  distinct_id: `user-${below(USERS)}`,
  timestamp: new Date(Date.UTC(2025, 9, 20) + random() * 110 * DAY_MS).toISOString(),
  properties: {
    ...(below(4) === 0 ? {} : { amount: pick([0, 1, 2.5, -3, 100, '7']) }),
    ...(below(3) === 0 ? {} : { colour: pick(['red', 'green', 'dark blue', '']) }),
    $browser: pick(['Firefox', 'Safari']),
    ...(below(5) === 0 ? { $set: { plan: pick(['free', 'pro']) } } : {}),
  },
});

/** Ranges that begin and end with a period. */
const INTERVALS = {
  hour: { from: '2025-12-24', to: '2025-12-26', bucket: 'toStartOfHour(timestamp)' },
  day: { from: '2025-11-20', to: '2026-01-31', bucket: 'toStartOfDay(timestamp)' },
  week: { from: '2025-11-02', to: '2026-01-31', bucket: 'toStartOfWeek(timestamp)' },
  month: { from: '2025-11-01', to: '2026-01-31', bucket: 'toStartOfMonth(timestamp)' },
} as const;

const AMOUNT = 'toFloat(properties.amount)';
const MATHS = {
  total: 'count()',
  dau: 'uniq(person_id)',
  sum: `sum(${AMOUNT})`,
  avg: `avg(${AMOUNT})`,
  min: `min(${AMOUNT})`,
  max: `max(${AMOUNT})`,
  median: `quantile(0.5)(${AMOUNT})`,
  p90: `quantile(0.9)(${AMOUNT})`,
} as const;

const FILTERS = [
  { filter: null, sql: 'true' },
  { filter: { key: 'colour', value: 'red', operator: 'exact' }, sql: `properties.colour = 'red'` },
  {
    filter: { key: 'colour', value: ['red', 'green'], operator: 'exact' },
    sql: `properties.colour in ('red', 'green')`,
  },
  { filter: { key: 'colour', value: 'E', operator: 'icontains' }, sql: `lower(properties.colour) like '%e%'` },
  { filter: { key: 'colour', operator: 'is_set', value: 'is_set' }, sql: 'properties.colour is not null' },
  { filter: { key: 'amount', value: 1, operator: 'gt' }, sql: `${AMOUNT} > 1` },
  { filter: { key: '$browser', value: 'Safari', operator: 'is_not' }, sql: `properties.$browser <> 'Safari'` },
  { filter: { key: 'plan', value: 'pro', operator: 'exact', type: 'person' }, sql: `person.properties.plan = 'pro'` },
] as const;

interface Question {
  event: string;
  math: keyof typeof MATHS;
  interval: keyof typeof INTERVALS;
  filter: (typeof FILTERS)[number];
  hasBreakdown: boolean;
}

const aQuestion = (): Question => ({
  event: pick(['opened', 'signed up', "O'Brien", 'never sent']),
  math: pick(Object.keys(MATHS) as Question['math'][]),
  interval: pick(Object.keys(INTERVALS) as Question['interval'][]),
  filter: pick(FILTERS),
  hasBreakdown: below(3) === 0,
});

/** By breakdown, then by period. */
type Series = Record<string, Record<string, number>>;

interface InsightSeries {
  data: number[];
  days: string[];
  breakdown_value?: string;
}

async function byInsight({ event, math, interval, filter, hasBreakdown }: Question): Promise<Series> {
  const { from, to } = INTERVALS[interval];
  const { status, body } = await client.post('/api/projects/1/insights/trend/', {
    body: {
      events: [{ id: event, math, ...(math === 'total' || math === 'dau' ? {} : { math_property: 'amount' }) }],
      ...{
        interval,
        date_from: from,
        date_to: `${to}T23:59:59`,
        properties: filter.filter === null ? [] : [filter.filter],
      },
      ...(hasBreakdown ? { breakdown: '$browser', breakdown_type: 'event' } : {}),
    },
  });
  expect([status, body.detail]).toEqual([200, undefined]);
  return seriesOf(
    body.result.flatMap(({ data, days, breakdown_value: name = 'all' }: InsightSeries) =>
      days.map((day, at) => [name, day, data[at]]),
    ),
  );
}

async function bySql({ event, math, interval, filter, hasBreakdown }: Question): Promise<Series> {
  const { from, to, bucket } = INTERVALS[interval];
  const query = `select ${hasBreakdown ? 'properties.$browser' : `'all'`} as series, ${bucket} as period, ${MATHS[math]} as n
    from events
    where event = {event} and timestamp >= toDateTime({from}) and timestamp < toDateTime({to}) + interval 1 day
      and ${filter.sql}
    group by 1, 2 limit 50000`;
  const { status, body } = await client.post('/api/projects/1/query/', {
    body: { query: { kind: 'HogQLQuery', query, values: { event, from, to } } },
  });
  expect([status, body.detail]).toEqual([200, undefined]);
  return seriesOf(body.results);
}

/** Without periods in which there is nothing. */
function seriesOf(rows: readonly [name: string, period: string, value: number | null][]): Series {
  const series: Series = {};
  for (const [name, period, value] of rows) {
    if (value === null || value === 0) continue;
    series[name] = { ...series[name], [periodOf(period)]: Number(value.toPrecision(10)) };
  }
  return series;
}

/** `2026-01-15`, `2026-01-15 09:00:00` and `2026-01-15T09:00:00Z` as the hour. */
const periodOf = (text: string): string => `${text.replace('T', ' ').slice(0, 13)} 00`.slice(0, 13);

describe.skipIf(!isEmbedded)('trends', () => {
  it(`are the same by SQL and by the insight, for ${QUESTIONS} random questions`, async () => {
    let counted = 0;
    for (let i = 0; i < QUESTIONS; i++) {
      const question = aQuestion();
      const [insight, sql] = [await byInsight(question), await bySql(question)];
      expect({ question, series: sql }).toEqual({ question, series: insight });
      if (Object.keys(insight).length > 0) counted++;
    }
    expect(counted).toBeGreaterThan(QUESTIONS / 2);
  }, 600_000);
});
