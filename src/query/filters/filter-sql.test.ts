import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { anEvent } from '../../../test/contract/events.ts';
import { makeTempDir } from '../../../test/contract/temp-dir.ts';
import type { PatternSearch } from '../../core/filters/compile-pattern.ts';
import { matches } from '../../core/filters/matches.ts';
import { readFilters } from '../../core/filters/parse-filters.ts';
import { FILTER_OPERATORS, type Filter } from '../../core/filters/property-filter.ts';
import type { Json } from '../../core/json/json.ts';
import { duckdbDialect } from '../../stores/duckdb/dialect.ts';
import { openEventStore } from '../../stores/duckdb/event-store.ts';
import type { EventStore } from '../../stores/events/event-store.ts';
import { filterSql } from './filter-sql.ts';
import { validPatterns } from './valid-patterns.ts';

/** Good enough for the patterns below, which both kinds of expressions read alike. */
const search: PatternSearch = (pattern, text) => {
  // JavaScript reads an empty class, the engine a class that is never closed.
  if (pattern.includes('[]')) return null;
  try {
    return new RegExp(pattern).test(text);
  } catch {
    return null;
  }
};

describe('property filters as SQL', () => {
  const dir = makeTempDir();
  let events: EventStore;
  let position = 0;
  beforeAll(async () => {
    events = await openEventStore(dir.path('events.duckdb'));
  });
  afterAll(async () => {
    await events.close();
    dir.remove();
  });

  async function store(all: readonly Record<string, Json>[]): Promise<number> {
    const projectId = ++position;
    const rows = all.map((properties, timestamp) => anEvent({ projectId, properties, timestamp }));
    await events.write({ events: rows, overrides: [], position });
    return projectId;
  }

  /** Indexes of the events that the engine finds. */
  async function find(projectId: number, filter: Filter): Promise<number[]> {
    const patterns = await validPatterns({ events, dialect: duckdbDialect }, filter);
    const sql = duckdbDialect.newStatement('e');
    const condition = filterSql(sql, filter, { patterns });
    const project = sql.param(projectId);
    const rows = await events.query(
      `select e.timestamp as n from event_rows e where e.project_id = ${project} and ${condition} order by 1`,
      sql.values,
    );
    return rows.map((row) => Number(row['n']));
  }

  const expected = (all: readonly Record<string, Json>[], filter: Filter): number[] =>
    all.flatMap((event, i) => (matches(filter, { event, person: {} }, search) ? [i] : []));

  const VALUES: Json[] = [
    'pro',
    'PRO plan',
    '',
    ' ',
    'null',
    '5',
    '5.0',
    ' 1 000 ',
    '1e3',
    '1e999',
    '1_000',
    'NaN',
    'inf',
    '0x10',
    '-.5',
    'true',
    '100%',
    'a_b',
    '2020-01-05',
    '2020-01-05T10:00:00Z',
    '2020-01-05 10:00',
    '2020-01-05T23:59:59.999Z',
    '2020-01-05T23:00:00-02:00',
    '2020-01-06T01:00:00+0200',
    '2020-02-30',
    '2020-01-05T99:00:00Z',
    '05/01/2020',
    '31/02/2020',
    '1578182400',
    '1578182400000',
    '157818240',
    '[1, 2]',
    '{"a":1}',
    '(',
    '^p.*o$',
    "'; drop table event_rows --",
    'é😀',
    5,
    1000,
    -0.5,
    1e21,
    true,
    false,
    null,
    [1, 2],
    { a: 1 },
    [],
  ];
  const KEYS = ['plan', '$browser', 'a.b', "it's"];
  const value = fc.constantFrom(...VALUES);

  it.each(FILTER_OPERATORS)('evaluates %s like the oracle, for every pair of values', async (operator) => {
    const all = [{}, ...VALUES.flatMap((given) => [{ plan: given }, { $browser: given }])];
    const projectId = await store(all);
    for (const key of ['plan', '$browser']) {
      for (const given of VALUES) {
        const filter = readFilters([{ key, value: given, operator }]);
        expect([key, given, await find(projectId, filter)]).toEqual([key, given, expected(all, filter)]);
      }
    }
  });

  it('agrees with the oracle on groups of filters', async () => {
    const properties = fc.dictionary(fc.constantFrom(...KEYS), value, { maxKeys: 4 });
    const item = fc.record({
      key: fc.constantFrom(...KEYS),
      value: fc.oneof(value, fc.array(value, { minLength: 1, maxLength: 3 })),
      operator: fc.constantFrom(...FILTER_OPERATORS),
      negation: fc.boolean(),
    });
    const type = fc.constantFrom('AND', 'OR');
    const group = fc.record({ type, values: fc.array(item, { maxLength: 3 }) });
    const nested = fc.record({ type, values: fc.array(group, { minLength: 1, maxLength: 3 }) });
    await fc.assert(
      fc.asyncProperty(fc.array(properties, { minLength: 1, maxLength: 8 }), nested, async (all, given) => {
        const filter = readFilters(JSON.parse(JSON.stringify(given)));
        expect(await find(await store(all), filter)).toEqual(expected(all, filter));
      }),
      { numRuns: 25 },
    );
  });

  it.each(['(', '[', '\\', 'a{2000}', '*', 'x'.repeat(3000), '(?P<n', '\\1'])(
    'finds nothing by the invalid pattern %.20s, negated or not',
    async (pattern) => {
      const projectId = await store([{ plan: 'pro' }, {}]);
      for (const operator of ['regex', 'not_regex']) {
        expect(await find(projectId, readFilters([{ key: 'plan', value: pattern, operator }]))).toEqual([]);
      }
    },
  );

  it.each(['^(?!p)', '^(?=.*o$)p', '^(?!pro$).*', '(?i)^(?!PRO)', '^.*(?<!ro)$', '^(?!a)p|^(?=b)', '\\(?=x'])(
    'answers the look-around of %s as the pattern itself would',
    async (pattern) => {
      const plans = ['pro', 'promo', 'basic', 'Pro', '', '(=x', 'a'];
      const projectId = await store(plans.map((plan) => ({ plan })));
      const regex = new RegExp(pattern.replace('(?i)', ''), pattern.startsWith('(?i)') ? 'i' : '');
      for (const operator of ['regex', 'not_regex']) {
        const wanted = plans.flatMap((plan, i) => (regex.test(plan) === (operator === 'regex') ? [i] : []));
        const filter = readFilters([{ key: 'plan', value: pattern, operator }]);
        expect([operator, await find(projectId, filter)]).toEqual([operator, wanted]);
      }
    },
  );

  it.each(['pro(?!mo)', '(?=x)', '^(?!(a)\\1)'])('refuses %s, which the engine cannot answer', (pattern) => {
    expect(() => readFilters([{ key: 'plan', value: pattern, operator: 'regex' }])).toThrow(/cannot be searched for/);
  });

  it('evaluates patterns in linear time', async () => {
    const projectId = await store([{ plan: 'a'.repeat(50_000) }]);
    expect(await find(projectId, readFilters([{ key: 'plan', value: '(a+)+$x', operator: 'regex' }]))).toEqual([]);
  });
});
