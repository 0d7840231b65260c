import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AnyFilter } from '../../lib/filters.ts';
import {
  DISPLAYS,
  finished,
  INTERVALS,
  KINDS,
  missingFrom,
  newQuestion,
  newSeries,
  PATH_TYPES,
  PERIODS,
  type Question,
  toFields,
  WINDOW_UNITS,
  withHidden,
  withKind,
} from './question.ts';
import { fromSearch, readQuestion, toSearch } from './read-question.ts';

const text = fc.oneof(
  fc.string(),
  fc.constantFrom('true', 'null', '12', '[1]', '{"a":1}', '"quoted"', '<b>', 'a&b=c', '%20', '+'),
);
const filter: fc.Arbitrary<AnyFilter> = fc.oneof(
  fc.record({
    type: fc.constant('cohort' as const),
    key: fc.constant('id' as const),
    value: fc.nat(),
    operator: fc.constantFrom('in' as const, 'not_in' as const),
  }),
  fc.record({
    type: fc.constant('group' as const),
    key: text,
    operator: fc.constant('regex' as const),
    value: text,
    group_type_index: fc.integer({ min: 0, max: 4 }),
  }),
  fc.constant<AnyFilter>({ type: 'other', given: { type: 'element', key: 'text', value: 'Buy' }, isWhole: false }),
  fc.record({
    type: fc.constantFrom('event', 'person'),
    key: text,
    operator: fc.constantFrom('exact', 'is_not'),
    value: fc.array(text, { maxLength: 3 }),
  }),
  fc.record({ type: fc.constantFrom('event', 'person'), key: text, operator: fc.constant('icontains'), value: text }),
);
const filters = fc.array(filter, { maxLength: 2 });
const action = fc.record({ id: fc.nat(), name: text });
const entity = fc.oneof(
  fc.record({ event: fc.option(text), action: fc.constant(null) }),
  fc.record({ event: fc.constant(''), action }),
);
const mathOf = fc.record({
  math: fc.constantFrom('total', 'dau', 'sum', 'p90'),
  mathProperty: text,
  mathGroup: fc.option(fc.integer({ min: 0, max: 4 })),
  filters,
});
const series = fc.tuple(entity, mathOf).map(([who, rest]) => ({ ...who, ...rest }));
const steps = fc.record({ from: fc.nat({ max: 3 }), to: fc.nat({ max: 3 }) });
const question: fc.Arbitrary<Question> = fc.record({
  kind: fc.constantFrom(...KINDS),
  series: fc.array(series, { maxLength: 3 }),
  filters,
  breakdown: fc.option(
    fc.oneof(
      fc.record({ type: fc.constantFrom('event', 'person'), key: text }),
      fc.record({ type: fc.constant('cohort' as const), key: fc.nat().map(String) }),
      fc.record({
        type: fc.constant('group' as const),
        key: text,
        groupTypeIndex: fc.integer({ min: 0, max: 4 }),
      }),
    ),
  ),
  range: fc.record({ from: fc.constantFrom('-7d', 'all', '2024-01-31'), to: fc.option(fc.constant('2024-02-01')) }),
  interval: fc.constantFrom(...INTERVALS),
  display: fc.constantFrom(...DISPLAYS),
  compare: fc.boolean(),
  compareTo: fc.constantFrom('', '-1y'),
  withoutTestAccounts: fc.boolean(),
  formula: fc.constantFrom('', 'A / B'),
  funnel: fc.record({
    view: fc.constantFrom('steps', 'trends', 'time_to_convert'),
    order: fc.constantFrom('ordered', 'strict', 'unordered'),
    window: fc.integer({ min: 1, max: 400 }),
    unit: fc.constantFrom(...WINDOW_UNITS),
    exclusions: fc.array(
      fc.tuple(entity, steps).map(([who, range]) => ({ ...who, ...range })),
      { maxLength: 2 },
    ),
    attribution: fc.oneof(
      fc.record({ type: fc.constantFrom('first_touch' as const, 'last_touch' as const, 'all_events' as const) }),
      fc.record({ type: fc.constant('step' as const), step: fc.nat({ max: 3 }) }),
    ),
    group: fc.option(fc.integer({ min: 0, max: 4 })),
  }),
  retention: fc.record({
    period: fc.constantFrom(...PERIODS),
    count: fc.integer({ min: 1, max: 60 }),
    isFirstTime: fc.boolean(),
  }),
  paths: fc.record({
    types: fc.subarray([...PATH_TYPES]),
    start: text,
    end: text,
    steps: fc.integer({ min: 2, max: 20 }),
  }),
  rest: fc.constantFrom({}, { funnel_from_step: 0, edge_limit: 20, note: 'true' }),
});

/** Retention always has its two events. */
const settled = (one: Question): Question => (one.kind === 'retention' ? withKind(one, 'retention') : one);

describe('an insight query', () => {
  it('is the same after a round trip through a URL and the fields of the API', () => {
    fc.assert(
      fc.property(question, (asked) => {
        const fields = toFields({ ...settled(asked), rest: asked.rest });
        const back = readQuestion(fromSearch(new URLSearchParams(toSearch(fields))));
        expect(toFields(back)).toEqual(fields);
        expect(toFields(readQuestion(JSON.parse(JSON.stringify(fields))))).toEqual(fields);
      }),
    );
  });

  it('has the fields of the API', () => {
    const funnel: Question = {
      ...newQuestion('funnel'),
      series: [
        newSeries('signed up'),
        { ...newSeries(null), filters: [{ type: 'person', key: 'plan', operator: 'exact', value: ['pro'] }] },
      ],
      breakdown: { type: 'event', key: '$browser' },
    };
    expect(toFields(funnel)).toEqual({
      insight: 'FUNNELS',
      date_from: '-7d',
      events: [
        { id: 'signed up', order: 0 },
        { id: null, order: 1, properties: [{ type: 'person', key: 'plan', operator: 'exact', value: ['pro'] }] },
      ],
      breakdown: '$browser',
      breakdown_type: 'event',
      funnel_viz_type: 'steps',
      funnel_order_type: 'ordered',
      funnel_window_interval: 14,
      funnel_window_interval_unit: 'day',
    });
  });

  it('keeps fields without a control', () => {
    const grouped = { type: 'OR', values: [{ type: 'AND', values: [] }] };
    const fields = { insight: 'TRENDS', events: [{ id: 'a' }], properties: grouped, smoothing_intervals: 7 };
    const read = readQuestion(fields);
    expect(read.filters).toEqual([{ type: 'other', given: grouped, isWhole: true }]);
    expect(toFields(read)).toMatchObject({ properties: grouped, smoothing_intervals: 7 });
  });

  it('keeps filters that it cannot edit, of the query and of each series, until they are removed', () => {
    const element = { type: 'element', key: 'text', value: 'Buy', operator: 'exact' };
    const plan = { type: 'person', key: 'plan', operator: 'exact', value: ['pro'] };
    const fields = {
      insight: 'FUNNELS',
      events: [{ id: 'a', order: 0, properties: [element, plan] }],
      properties: [element],
    };
    const read = readQuestion(fields);
    expect(toFields(read)).toMatchObject(fields);
    const [first = newSeries()] = read.series;
    expect(first.filters.map(({ type }) => type)).toEqual(['other', 'person']);
    const removed = { ...read, filters: [], series: [{ ...first, filters: first.filters.slice(1) }] };
    expect(toFields(removed)).toMatchObject({ events: [{ id: 'a', order: 0, properties: [plan] }] });
    expect(toFields(removed)).not.toHaveProperty('properties');
  });

  it('has exclusions, attribution, actions, unique groups and another period to compare to', () => {
    const funnel: Question = {
      ...newQuestion('funnel'),
      series: [newSeries('a'), { ...newSeries(''), action: { id: 7, name: 'Bought' } }],
      funnel: {
        ...newQuestion('funnel').funnel,
        exclusions: [
          { event: 'left', action: null, from: 0, to: 1 },
          { event: 'beyond the steps', action: null, from: 1, to: 2 },
        ],
        attribution: { type: 'step', step: 1 },
        group: 0,
      },
    };
    expect(toFields(funnel)).toMatchObject({
      events: [{ id: 'a', order: 0 }],
      actions: [{ id: 7, name: 'Bought', order: 1 }],
      exclusions: [{ id: 'left', type: 'events', funnel_from_step: 0, funnel_to_step: 1 }],
      breakdown_attribution_type: 'step',
      breakdown_attribution_value: 1,
      aggregation_group_type_index: 0,
    });
    const groups = { ...newSeries('a'), math: 'unique_group', mathGroup: 2 };
    expect(toFields({ ...newQuestion(), series: [groups], compare: true, compareTo: '-1y' })).toMatchObject({
      events: [{ id: 'a', math: 'unique_group', math_group_type_index: 2 }],
      compare: true,
      compare_to: '-1y',
    });
  });

  it('says what is missing, and leaves out incomplete parts', () => {
    expect(missingFrom(newQuestion())).toBe('Select an event.');
    const half = { ...newQuestion('funnel'), series: [newSeries('a'), newSeries('')] };
    expect(missingFrom(half)).toBe('Select an event for at least two steps.');
    expect(missingFrom({ ...half, series: [newSeries('a'), newSeries(null)] })).toBeNull();
    const sum = { ...newSeries('a'), math: 'sum' };
    expect(finished({ ...newQuestion(), series: [sum, newSeries('b')] }).series).toEqual([newSeries('b')]);
  });

  it('keeps its events when the insight type changes', () => {
    const trend = { ...newQuestion(), series: [newSeries('a')] };
    expect(withKind(trend, 'funnel').series).toEqual([newSeries('a'), newSeries('')]);
    expect(withKind(withKind(trend, 'funnel'), 'lifecycle').series).toEqual([newSeries('a')]);
    expect(withKind(trend, 'retention').series).toEqual([newSeries('a'), newSeries('a')]);
  });

  it.each([
    ['?insight=NOPE&events=[1,"x"]&date_from=', { insight: 'TRENDS', events: [] }],
    ['?events={&compare=maybe&interval=decade', { interval: 'day', events: [] }],
    ['?insight=PATHS&include_event_types=["$pageview","x"]&step_limit=many', { step_limit: 5 }],
  ])('ignores invalid parts of a URL: %s', (search, fields) => {
    expect(toFields(readQuestion(fromSearch(new URLSearchParams(search))))).toMatchObject(fields);
  });
});

describe('switching the type or view of an insight', () => {
  const trends: Question = {
    ...newQuestion('trends'),
    series: [{ ...newSeries('$pageview'), math: 'dau' }],
    breakdown: { type: 'event', key: '$browser' },
    range: { from: '-30d', to: null },
    interval: 'week',
    display: 'bar',
    compare: true,
  };
  /** What is left of a query in the URL. */
  const throughUrl = (question: Question): Question =>
    readQuestion(fromSearch(new URLSearchParams(toSearch(toFields(question)))));

  it.each(KINDS)('to %s and back loses nothing', (kind) => {
    const there = withHidden(throughUrl(withKind(trends, kind)), withKind(trends, kind));
    const back = withKind({ ...there, series: there.series.slice(0, 1) }, 'trends');
    expect(withHidden(throughUrl(back), back)).toEqual(trends);
  });

  it('keeps the breakdown of a funnel while its view has none', () => {
    const funnel: Question = { ...withKind(trends, 'funnel'), series: [newSeries('a'), newSeries('b')] };
    const times: Question = { ...funnel, funnel: { ...funnel.funnel, view: 'time_to_convert' } };
    expect(throughUrl(times).breakdown).toBeNull();
    expect(withHidden(throughUrl(times), times).breakdown).toEqual(trends.breakdown);
  });

  it('takes what the URL says where it says something', () => {
    const other = { ...trends, breakdown: null, compare: false };
    expect(withHidden(throughUrl(other), trends)).toMatchObject({ breakdown: null, compare: false });
  });
});
