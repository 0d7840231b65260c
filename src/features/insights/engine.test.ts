/** The engine against the oracle: random worlds, random questions, the same answers. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answerLifecycle as expectedLifecycle, lifecyclePeople } from '../../../test/oracle/lifecycle.ts';
import { answerRetention as expectedRetention, retentionPeople } from '../../../test/oracle/retention.ts';
import { answerStickiness as expectedStickiness, stickinessPeople } from '../../../test/oracle/stickiness.ts';
import { answerTrends as expectedTrends, trendsPeople } from '../../../test/oracle/trends.ts';
import { World } from '../../../test/oracle/world.ts';
import { type InsightStore, openInsightStore } from '../../../test/support/insight-store.ts';
import { aWorld } from '../../../test/support/insight-worlds.ts';
import { tools } from '../../../test/support/oracle-answers.ts';
import type { Json, JsonObject } from '../../core/json/json.ts';
import { INTERVALS } from '../../core/time/interval.ts';
import { PERIODS } from '../../core/time/period.ts';
import { answerLifecycle, findLifecyclePeople } from './lifecycle/answer-lifecycle.ts';
import { readLifecyclePeopleQuestion, readLifecycleQuestion } from './lifecycle/rules/read-lifecycle.ts';
import { answerRetention, findRetentionPeople } from './retention/answer-retention.ts';
import { readRetentionPeopleQuestion, readRetentionQuestion } from './retention/rules/read-retention.ts';
import { LIFECYCLE_STATUSES, type QuestionContext } from './rules/question.ts';
import { answerStickiness, findStickinessPeople } from './stickiness/answer-stickiness.ts';
import { readStickinessPeopleQuestion, readStickinessQuestion } from './stickiness/rules/read-stickiness.ts';
import { answerTrends, findTrendsPeople } from './trends/answer-trends.ts';
import { readTrendsQuestion } from './trends/rules/read-trends.ts';
import { readTrendsPeopleQuestion } from './trends/rules/read-trends-people.ts';

let store: InsightStore;
beforeAll(async () => {
  store = await openInsightStore();
});
afterAll(() => store.close());

const RUNS = { numRuns: 12 };
const ALL = { limit: 1000, offset: 0 };

interface Asked {
  world: World;
  context: QuestionContext;
  projectId: number;
  cohort: number;
}

const always = (choice: fc.Arbitrary<JsonObject>, check: (asked: Asked, fields: JsonObject) => Promise<void>) =>
  fc.assert(
    fc.asyncProperty(aWorld, choice, async ({ data, timezone, now }, fields) => {
      const put = await store.put(data);
      const [cohort = 0] = put.data.cohorts?.keys() ?? [];
      const context: QuestionContext = {
        now,
        timezone,
        cohort: (id) => (id === cohort ? { name: 'some' } : undefined),
        action: (id) => (id === 7 ? ACTION : undefined),
      };
      const asked = { world: new World(put.data, tools), context, projectId: put.projectId, cohort };
      await check(asked, JSON.parse(JSON.stringify(fields).replaceAll('"$cohort"', String(cohort))));
    }),
    RUNS,
  );

const property = (over: object) =>
  ({ kind: 'property', owner: 'event', key: 'plan', operator: 'exact', values: ['pro'], ...over }) as const;
const anyStep = {
  event: null,
  url: null,
  urlMatching: 'contains' as const,
  filter: { kind: 'and', filters: [] } as const,
};
const ACTION = {
  id: 7,
  name: 'an action',
  steps: [
    { ...anyStep, event: 'pay', filter: property({ owner: 'person' }) },
    { ...anyStep, url: '/pro' },
    { ...anyStep, event: '$pageview', url: '/%_e/' },
    { ...anyStep, url: '^/f.*/$', urlMatching: 'regex' as const },
    { ...anyStep, event: '$pageview', url: '//', urlMatching: 'exact' as const },
    { ...anyStep, url: '(', urlMatching: 'regex' as const },
  ],
};

const aFilter: fc.Arbitrary<Json> = fc.constantFrom<Json>(
  [],
  [{ key: 'plan', value: ['pro', ''], type: 'event' }],
  [{ key: 'plan', value: 'pro', operator: 'is_not', type: 'person' }],
  [{ key: 'id', value: '$cohort', type: 'cohort' }],
  [{ key: 'size', value: 5, operator: 'gt', type: 'group', group_type_index: 0 }],
  [{ key: 'size', value: 4, operator: 'is_not', type: 'group', group_type_index: 0 }],
  [{ key: '$session_duration', value: 600, operator: 'gt', type: 'session' }],
  [{ key: '$is_bounce', value: 'false', type: 'session' }],
  [{ key: 'selector', value: 'form > button.buy', type: 'element' }],
  [{ key: 'selector', value: String.raw`form > button.md\:flex.w-1\/2[data-x='a > "b"']`, type: 'element' }],
  [{ key: 'text', value: 'pro', operator: 'not_icontains', type: 'element' }],
  {
    type: 'OR',
    values: [
      { key: 'amount', value: 5, operator: 'gt' },
      { key: 'email', value: 'p1', operator: 'icontains', type: 'person' },
    ],
  },
);

const aMath = fc.constantFrom<JsonObject>(
  {},
  { math: 'dau' },
  { math: 'weekly_active' },
  { math: 'monthly_active' },
  { math: 'unique_session' },
  { math: 'unique_group', math_group_type_index: 0 },
  ...['sum', 'avg', 'min', 'max', 'median', 'p90', 'p99'].map((math) => ({ math, math_property: 'amount' })),
  { math: 'sum', math_property: '$session_duration' },
  { math: 'median', math_property: '$session_duration' },
  { math: 'avg', math_property: '$is_bounce' },
  { math: 'avg_count_per_actor' },
  { math: 'p90_count_per_actor', math_group_type_index: 0 },
  { math: 'max_count_per_actor' },
);

const anEntity = fc.constantFrom<JsonObject>({ id: 'visit' }, { id: null }, { id: 'pay' });
const someSeries = fc.oneof(
  fc
    .array(fc.record({ entity: anEntity, math: aMath, properties: aFilter }), { minLength: 1, maxLength: 2 })
    .map((series) => ({ events: series.map(({ entity, math, properties }) => ({ ...entity, ...math, properties })) })),
  fc.record({ id: fc.constantFrom(7, 8), math: aMath }).map(({ id, math }) => ({ actions: [{ id, ...math }] })),
);

const aBreakdown = fc.constantFrom<JsonObject>(
  {},
  {},
  { breakdown: 'plan' },
  { breakdown: 'plan', breakdown_limit: 2, offset: 1 },
  { breakdown: 'plan', breakdown_type: 'person' },
  { breakdown: '$current_url', breakdown_normalize_url: true },
  { breakdown: 'amount', breakdown_histogram_bin_count: 3 },
  { breakdown: 'nowhere', breakdown_histogram_bin_count: 3 },
  { breakdown: '$session_duration', breakdown_type: 'session' },
  { breakdown: '$entry_current_url', breakdown_type: 'session', breakdown_normalize_url: true },
  { breakdown: ['all', '$cohort'], breakdown_type: 'cohort' },
  { breakdown: 'size', breakdown_type: 'group', breakdown_group_type_index: 0 },
);

const someDates = fc.record(
  {
    interval: fc.constantFrom(...INTERVALS),
    date_from: fc.constantFrom('-9d', '-3d', '-30h', '-1m'),
    date_to: fc.constantFrom('-1d', '-2h'),
    explicit_date: fc.boolean(),
  },
  { requiredKeys: ['interval', 'date_from'] },
);

const merged = (...parts: fc.Arbitrary<JsonObject>[]): fc.Arbitrary<JsonObject> =>
  fc.tuple(...parts).map((all) => Object.assign({}, ...all) as JsonObject);

/** Sums of the same numbers in another order differ in their last digits. */
const rounded = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value), (_, one) => (typeof one === 'number' ? Number(one.toPrecision(12)) : one));

const trendFields = merged(
  someSeries,
  aBreakdown,
  someDates as fc.Arbitrary<JsonObject>,
  fc.record({
    properties: aFilter,
    display: fc.constantFrom('ActionsLineGraph', 'ActionsLineGraphCumulative', 'ActionsTable'),
    compare: fc.boolean(),
    smoothing_intervals: fc.constantFrom(1, 1, 3),
  }) as fc.Arbitrary<JsonObject>,
);

describe('trends', () => {
  it('equal those of the oracle', async () => {
    await always(trendFields, async ({ world, context, projectId }, fields) => {
      const question = readTrendsQuestion(fields, context);
      expect(rounded(await answerTrends(store.deps, projectId, question))).toEqual(
        rounded(expectedTrends(question, world)),
      );
    });
  });

  it('find the same persons as the oracle', async () => {
    const slice = fc.constantFrom<JsonObject>({}, { breakdown_value: 'pro' }, { breakdown_value: '' });
    const fields = merged(trendFields, slice, fc.constant({ entity_order: 0 }));
    await always(fields, async ({ world, context, projectId }, asked) => {
      const isBin = asked['breakdown_histogram_bin_count'] !== undefined;
      const isCohort = asked['breakdown_type'] === 'cohort';
      const value = isBin ? [0, 12.5] : isCohort ? 'all' : asked['breakdown_value'];
      const question = readTrendsPeopleQuestion({ ...asked, breakdown_value: value }, context);
      const found = await findTrendsPeople(store.deps, projectId, question, ALL);
      expect(rounded(found)).toEqual(rounded(trendsPeople(question, world)));
    });
  });
});

describe('lifecycle', () => {
  const fields = merged(someSeries, someDates as fc.Arbitrary<JsonObject>, fc.record({ properties: aFilter }) as never);

  it('equals that of the oracle, and so do its persons', async () => {
    await always(fields, async ({ world, context, projectId }, asked) => {
      const question = readLifecycleQuestion(asked, context);
      const items = expectedLifecycle(question, world);
      expect(await answerLifecycle(store.deps, projectId, question)).toEqual(items);
      for (const status of LIFECYCLE_STATUSES) {
        const at = items.find((item) => item.status === status)?.data.findIndex((count) => count !== 0) ?? -1;
        const day = items[0]?.days[Math.max(at, 0)] ?? '';
        const people = readLifecyclePeopleQuestion(
          { ...asked, target_date: day.replace(' ', 'T'), lifecycle_type: status },
          context,
        );
        const found = await findLifecyclePeople(store.deps, projectId, people, ALL);
        expect(found).toEqual(lifecyclePeople(people, world));
      }
    });
  });
});

describe('stickiness', () => {
  const fields = merged(
    someSeries,
    someDates as fc.Arbitrary<JsonObject>,
    fc.record({ properties: aFilter, compare: fc.boolean() }) as never,
  );

  it('equals that of the oracle, and so do its persons', async () => {
    await always(fields, async ({ world, context, projectId }, asked) => {
      const question = readStickinessQuestion(asked, context);
      expect(await answerStickiness(store.deps, projectId, question)).toEqual(expectedStickiness(question, world));
      for (const stickiness_days of [1, 2]) {
        const people = readStickinessPeopleQuestion({ ...asked, stickiness_days, entity_order: 0 }, context);
        const found = await findStickinessPeople(store.deps, projectId, people, ALL);
        expect(found).toEqual(stickinessPeople(people, world));
      }
    });
  });
});

describe('retention', () => {
  const fields = fc.record(
    {
      period: fc.constantFrom(...PERIODS),
      total_intervals: fc.constantFrom(1, 5, 9),
      date_to: fc.constantFrom('-2d', '-1d', '-5h'),
      target_entity: fc.constantFrom<JsonObject>({ id: 'visit' }, { id: null }, { id: 7, type: 'actions' }),
      returning_entity: fc.constantFrom<JsonObject>({ id: 'pay' }, { id: null }),
      retention_type: fc.constantFrom('retention_recurring', 'retention_first_time'),
      display: fc.constantFrom('ActionsLineGraph', 'ActionsTable'),
      properties: aFilter,
      breakdowns: fc.constantFrom(
        [{ property: 'plan', type: 'event' }],
        [{ property: 'plan', type: 'person' }],
        [{ property: 'plan', type: 'event' }, { property: 'amount' }],
        [{ property: '$session_duration', type: 'session' }],
        [
          { property: '$entry_current_url', type: 'session' },
          { property: '$is_bounce', type: 'session' },
        ],
      ),
    },
    { requiredKeys: ['period', 'total_intervals', 'retention_type', 'properties'] },
  ) as fc.Arbitrary<JsonObject>;

  it('equals that of the oracle, and so do its persons', async () => {
    await always(fields, async ({ world, context, projectId }, asked) => {
      const question = readRetentionQuestion(asked, context);
      const rows = expectedRetention(question, world);
      expect(await answerRetention(store.deps, projectId, question)).toEqual(rows);
      const [row] = rows;
      const cohort = row?.breakdownValues ? { breakdown_values: [...row.breakdownValues] } : { selected_interval: 0 };
      const people = readRetentionPeopleQuestion({ ...asked, ...cohort }, context);
      const found = await findRetentionPeople(store.deps, projectId, people, ALL);
      expect(found).toEqual(retentionPeople(people, world));
    });
  });
});
