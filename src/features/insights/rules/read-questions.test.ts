import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Failure } from '../../../core/errors.ts';
import { readCorrelationPeopleQuestion, readCorrelationQuestion } from '../correlation/rules/read-correlation.ts';
import { readFunnelQuestion } from '../funnel/rules/read-funnel.ts';
import { readFunnelPeopleQuestion } from '../funnel/rules/read-funnel-people.ts';
import { kindAt } from '../kinds.ts';
import { readLifecyclePeopleQuestion, readLifecycleQuestion } from '../lifecycle/rules/read-lifecycle.ts';
import { readPathsPeopleQuestion, readPathsQuestion } from '../paths/rules/read-paths.ts';
import { readRetentionPeopleQuestion, readRetentionQuestion } from '../retention/rules/read-retention.ts';
import { readStickinessPeopleQuestion, readStickinessQuestion } from '../stickiness/rules/read-stickiness.ts';
import { readTrendsQuestion } from '../trends/rules/read-trends.ts';
import { readTrendsPeopleQuestion } from '../trends/rules/read-trends-people.ts';
import type { QuestionFields } from './fields.ts';
import type { QuestionContext } from './question.ts';

const CONTEXT: QuestionContext = {
  now: Date.parse('2024-05-15T12:00:00Z'),
  timezone: 'UTC',
  testAccountFilters: [{ key: 'email', value: '@us', operator: 'not_icontains', type: 'person' }],
  pathCleanings: [{ pattern: '\\d+', alias: ':id' }],
  action: (id) => (id === 7 ? { id, name: 'Bought', steps: [] } : undefined),
  cohort: (id) => (id === 1 ? { name: 'Fans' } : undefined),
};

const READERS = {
  trends: readTrendsQuestion,
  lifecycle: readLifecycleQuestion,
  stickiness: readStickinessQuestion,
  retention: readRetentionQuestion,
  funnel: readFunnelQuestion,
  correlation: readCorrelationQuestion,
  paths: readPathsQuestion,
  trendsPeople: readTrendsPeopleQuestion,
  lifecyclePeople: readLifecyclePeopleQuestion,
  stickinessPeople: readStickinessPeopleQuestion,
  retentionPeople: readRetentionPeopleQuestion,
  funnelPeople: readFunnelPeopleQuestion,
  correlationPeople: readCorrelationPeopleQuestion,
  pathsPeople: readPathsPeopleQuestion,
} as const satisfies Record<string, (fields: QuestionFields, context: QuestionContext) => unknown>;

type Name = keyof typeof READERS;

const read = (name: Name, fields: QuestionFields, context = CONTEXT): unknown => READERS[name](fields, context);
const problemOf = (name: Name, fields: QuestionFields, context = CONTEXT): string => {
  try {
    read(name, fields, context);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return `${error.attr ?? '-'}: ${error.message}`;
  }
  return 'no problem';
};

const steps = (...names: string[]) => names.map((id, order) => ({ id, order, type: 'events' }));

describe('reading questions', () => {
  it('fills in defaults', () => {
    const question = readTrendsQuestion({ events: [{ id: 'visit' }] }, CONTEXT);
    expect(question).toMatchObject({
      series: [{ entity: { kind: 'event', id: 'visit', name: 'visit', customName: null }, math: { kind: 'total' } }],
      interval: 'day',
      display: 'line',
      previous: null,
      breakdown: null,
      formula: null,
      smoothing: 1,
      range: { from: Date.parse('2024-05-08'), until: Date.parse('2024-05-16') },
      filter: { kind: 'and', filters: [] },
    });
  });

  it('reads JSON text and words like values', () => {
    const values = {
      events: [{ id: 'visit', math: 'dau', properties: [{ key: 'plan', value: 'pro' }] }],
      compare: true,
      smoothing_intervals: 3,
      properties: [{ key: 'a', value: ['b'] }],
      breakdown: 'plan',
    };
    const words = Object.fromEntries(
      Object.entries(values).map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]),
    );
    const { fields: _a, ...fromValues } = readTrendsQuestion(values, CONTEXT);
    const { fields: _b, ...fromWords } = readTrendsQuestion(words, CONTEXT);
    expect(fromWords).toEqual(fromValues);
  });

  it('sorts series by order, actions first', () => {
    const fields = {
      events: [{ id: 'b', order: 2 }, { id: 'a', order: 0 }, { id: 'none' }],
      actions: [{ id: 7, order: 2 }, { id: '7' }],
    };
    const { series } = readTrendsQuestion(fields, CONTEXT);
    expect(series.map(({ entity }) => entity.id)).toEqual([7, 'a', 'none', 7, 'b']);
    expect(series[0]?.entity).toMatchObject({ kind: 'action', name: 'Bought', isKnown: true });
  });

  it('adds the filters against test accounts on request', () => {
    const properties = [{ key: 'plan', value: 'pro' }];
    expect(readFunnelQuestion({ properties, filter_test_accounts: 'true' }, CONTEXT).filter).toMatchObject({
      kind: 'and',
      filters: [{ filters: [{ key: 'plan' }] }, { filters: [{ key: 'email', owner: 'person' }] }],
    });
  });

  it('keeps known fields, for links, and ignores others', () => {
    const { fields } = readTrendsQuestion({ events: '[{"id":"x"}]', date_from: '-3d', colour: 'red' }, CONTEXT);
    expect(fields).toEqual({ events: [{ id: 'x' }], date_from: '-3d' });
    expect(readTrendsQuestion(fields, CONTEXT).fields).toEqual(fields);
  });

  it('is plain data', () => {
    const question = readFunnelQuestion({ events: steps('a', 'b'), breakdown: 'plan', actions: [{ id: 7 }] }, CONTEXT);
    expect(JSON.parse(JSON.stringify(question))).toEqual(question);
  });

  it('asks for trends unless another kind is named at the same endpoint', () => {
    expect(kindAt('trend', {}).kind).toBe('trends');
    expect(kindAt('trend', { shown_as: 'Lifecycle' }).kind).toBe('lifecycle');
    expect(kindAt('trend', { insight: 'stickiness' }).kind).toBe('stickiness');
  });

  it('reads minutes as hours, and prefers a window in days', () => {
    expect(readTrendsQuestion({ interval: 'minute' }, CONTEXT).interval).toBe('hour');
    const window = { funnel_window_days: '3', funnel_window_interval: 5, funnel_window_interval_unit: 'week' };
    expect(readFunnelQuestion(window, CONTEXT).window).toEqual({ count: 3, unit: 'day' });
    expect(readFunnelQuestion({ ...window, funnel_window_days: undefined }, CONTEXT).window).toEqual({
      count: 5,
      unit: 'week',
    });
    expect(readFunnelQuestion({}, CONTEXT).window).toEqual({ count: 14, unit: 'day' });
  });

  it('counts retention in whole periods, up to that of date_to', () => {
    const range = (fields: QuestionFields) => {
      const { from, until } = readRetentionQuestion(fields, CONTEXT).range;
      return [new Date(from).toISOString().slice(0, 13), new Date(until).toISOString().slice(0, 13)];
    };
    expect(range({})).toEqual(['2024-05-05T00', '2024-05-16T00']);
    expect(range({ period: 'Hour', total_intervals: 3 })).toEqual(['2024-05-15T10', '2024-05-15T13']);
    expect(range({ period: 'Week', total_intervals: 2 })).toEqual(['2024-05-05T00', '2024-05-19T00']);
    expect(range({ period: 'Month', total_intervals: 2 })).toEqual(['2024-04-15T00', '2024-06-15T00']);
  });

  it('finds the series of a question for persons by index or name, or takes an unlisted one', () => {
    const events = [{ id: 'a', math: 'dau', properties: [{ key: 'k', value: 'v' }] }, { id: 'a' }];
    const of = (fields: QuestionFields) =>
      readTrendsPeopleQuestion({ events, entity_id: 'a', ...fields }, CONTEXT).series;
    expect(of({ entity_math: 'dau' })).toMatchObject({
      math: { kind: 'dau' },
      entity: { filter: { filters: [{ key: 'k' }] } },
    });
    expect(of({})).toMatchObject({ math: { kind: 'total' }, entity: { filter: { filters: [] } } });
    expect(of({ entity_order: 0 })).toMatchObject({ math: { kind: 'dau' } });
    expect(of({ entity_id: 'z', entity_math: 'weekly_active' })).toMatchObject({
      math: { days: 7 },
      entity: { id: 'z' },
    });
  });

  it('reads the same date twice as the interval that starts there', () => {
    const range = (interval: string) => {
      const fields = { entity_id: 'a', date_from: '2024-02-01', date_to: '2024-02-01', interval };
      const { from, until } = readTrendsPeopleQuestion(fields, CONTEXT).range;
      return (until - from) / 3_600_000;
    };
    expect(['hour', 'day', 'week', 'month'].map(range)).toEqual([1, 24, 168, 29 * 24]);
  });

  it('searches email, name and distinct id', () => {
    const { filter } = readTrendsPeopleQuestion({ entity_id: 'a', search: 'Ann' }, CONTEXT);
    expect(filter).toMatchObject({ kind: 'or', filters: [{ key: 'email' }, { key: 'name' }, { key: 'distinct_id' }] });
  });
});

describe('an invalid question', () => {
  it.each<[Name, QuestionFields, string]>([
    ['trends', { events: [{ id: 'a', math: 'sum' }] }, 'math_property: This field is required.'],
    ['trends', { events: [{ id: 'a', math: 'unique_group' }] }, 'math_group_type_index: '],
    ['trends', { events: [{ id: 'a', math: 'magic' }] }, 'math: There is no math called "magic".'],
    ['trends', { events: { id: 'a' } }, 'events: events has to be a list.'],
    ['trends', { events: [{}] }, 'events: events: an event needs its name as id.'],
    ['trends', { actions: [{ id: 'x' }] }, 'actions: actions: an action needs its id, a number.'],
    ['trends', { interval: 'decade' }, 'interval: interval cannot be "decade"'],
    ['trends', { date_from: '2020-02-30' }, 'date_from: "2020-02-30" is not a date'],
    ['trends', { date_from: '2024-05-10', date_to: '2024-05-01' }, 'date_from: The range of dates is empty'],
    ['trends', { date_from: '1950-01-01', interval: 'hour' }, 'interval: The range has more than 20000 intervals'],
    ['trends', { display: 'Hologram' }, 'display: There is no display called "Hologram".'],
    ['trends', { display: 'constructor' }, 'display: There is no display called "constructor".'],
    ['trends', { smoothing_intervals: 0 }, 'smoothing_intervals: smoothing_intervals has to be a whole number from 1'],
    [
      'trends',
      { events: steps('a'), formula: 'A + B' },
      'formula: The formula cannot be read: there is no series "B".',
    ],
    ['trends', { breakdown: ['a', 'b'] }, 'breakdown: Trends can be broken down by one property at a time.'],
    ['trends', { breakdown: 'x', breakdown_type: 'hogql' }, 'breakdown: The expression is not understood'],
    [
      'trends',
      { breakdown: 'x', breakdown_type: 'session' },
      'breakdown: Sessions have no such property. They have $session_duration, ',
    ],
    ['trends', { breakdown: 'x', breakdown_type: 'group' }, 'breakdown_group_type_index: '],
    ['trends', { breakdown: 'x', breakdown_type: 'cohort' }, 'breakdown: A cohort is given by its id'],
    ['trends', { breakdown: '9007199254740993', breakdown_type: 'cohort' }, 'breakdown: A cohort is given by its id'],
    ['trends', { properties: '{' }, '-: Properties are unparsable!'],
    ['trends', { properties: 5 }, '-: Properties are unparsable!'],
    ['trendsPeople', {}, 'entity_id: An entity id and the entity type must be provided to determine an entity'],
    ['lifecyclePeople', {}, 'target_date: Must include specified date'],
    ['lifecyclePeople', { target_date: '2024-05-01' }, 'lifecycle_type: Must include lifecycle type'],
    ['lifecyclePeople', { target_date: '2024-05-01', lifecycle_type: 'dead' }, 'lifecycle_type: '],
    ['stickinessPeople', { entity_id: 'a' }, 'stickiness_days: This field is required.'],
    ['retention', { period: 'day' }, 'period: Period day is unsupported.'],
    ['retention', { total_intervals: 0 }, 'total_intervals: '],
    ['retention', { breakdown: 1, breakdown_type: 'cohort' }, 'breakdown_type: '],
    ['retentionPeople', { selected_interval: 11 }, 'selected_interval: '],
    ['funnel', { funnel_window_days: -1 }, 'funnel_window_days: '],
    ['funnel', { funnel_window_interval: 0 }, 'funnel_window_interval: '],
    ['funnel', { funnel_step: 'blah' }, 'funnel_step: '],
    ['funnel', { actions: [{ id: 8 }] }, '-: Action ID 8 does not exist!'],
    [
      'funnel',
      { events: steps('a', 'b'), exclusions: [{ id: 'x' }] },
      '-: Exclusion event needs to define funnel steps',
    ],
    ['funnel', excluding('x', 1, 1), '-: Exclusion event range is invalid. End of range should be greater than start.'],
    ['funnel', excluding('x', 0, 2), 'exclusions: Exclusion event range is invalid: the steps are 0 to 1.'],
    ['funnel', excluding('x', -1, 1), 'exclusions: Exclusion event range is invalid: the steps are 0 to 1.'],
    ['funnel', excluding('a', 0, 1), "-: Exclusion event can't be the same as funnel step"],
    [
      'funnel',
      { ...excluding('x', 0, 1), events: steps('a', 'b', 'c'), funnel_order_type: 'unordered' },
      '-: Partial Exclusions not allowed in unordered funnels',
    ],
    ['funnel', { events: steps('a', 'b'), funnel_viz_type: 'time_to_convert', funnel_to_step: 2 }, 'funnel_to_step: '],
    ['funnel', { events: steps('a', 'b'), funnel_viz_type: 'trends', funnel_from_step: 1 }, 'funnel_from_step: '],
    ['funnelPeople', { events: steps('a', 'b') }, 'funnel_step: This field is required.'],
    ['funnelPeople', { events: steps('a', 'b'), funnel_step: 0 }, 'funnel_step: Steps are counted from 1'],
    ['funnelPeople', { events: steps('a', 'b'), funnel_step: -1 }, 'funnel_step: Steps are counted from 1'],
    ['funnelPeople', { events: steps('a', 'b'), funnel_step: 3 }, 'funnel_step: '],
    ['funnelPeople', {}, 'events: A funnel needs at least one step.'],
    ['funnelPeople', { events: steps('a'), funnel_viz_type: 'trends' }, 'entrance_period_start: '],
    [
      'correlation',
      { funnel_correlation_type: 'properties' },
      'funnel_correlation_names: Property Correlation expects atleast one Property to run correlation on',
    ],
    [
      'correlation',
      { funnel_correlation_type: 'event_with_properties' },
      'funnel_correlation_event_names: Event Property Correlation expects atleast one event name to run correlation on',
    ],
    ['correlationPeople', {}, 'funnel_correlation_person_entity: No entity for persons specified'],
    [
      'correlationPeople',
      { funnel_correlation_type: 'properties' },
      'funnel_correlation_property_values: Property Correlation expects atleast one Property to get persons for',
    ],
    ['paths', { step_limit: 0 }, 'step_limit: '],
    ['paths', { include_event_types: ['custom_event'], include_custom_events: ['a'] }, 'include_custom_events: '],
    ['paths', { include_event_types: ['hogql'] }, 'include_event_types: '],
    ['paths', { local_path_cleaning_filters: [{ regex: 5 }] }, 'local_path_cleaning_filters: '],
    ['paths', { funnel_paths: 'funnel_path_after_step' }, 'funnel_filter: '],
  ])('%s %j is refused', (name, fields, problem) => {
    expect(problemOf(name, fields)).toContain(problem);
  });

  it.each(Object.keys(READERS) as Name[])('%s is refused in an unknown time zone', (name) => {
    const fields = {
      entity_id: 'a',
      stickiness_days: 1,
      target_date: '2024-01-01',
      lifecycle_type: 'new',
      events: steps('a'),
    };
    expect(problemOf(name, fields, { ...CONTEXT, timezone: 'Mars/Olympus' })).toContain(
      'timezone: "Mars/Olympus" is not',
    );
  });

  it('is refused if it is nested too deeply', () => {
    const deep = JSON.parse(`${'['.repeat(5000)}${']'.repeat(5000)}`) as unknown;
    expect(problemOf('trends', { events: [{ id: 'a', properties: deep }] })).toBe(
      'events: events is nested too deeply.',
    );
    expect(problemOf('trends', { properties: JSON.stringify([{ key: 'a', value: deep }]) })).toContain('too deeply');
    expect(problemOf('paths', { funnel_filter: { deep } })).toContain('too deeply');
  });
});

function excluding(id: string, from: number, to: number): QuestionFields {
  return { events: steps('a', 'b'), exclusions: [{ id, funnel_from_step: from, funnel_to_step: to }] };
}

/** All that any question needs, so that chance gets past the first field. */
const RIGHT: QuestionFields = {
  events: steps('a', 'b'),
  entity_id: 'a',
  stickiness_days: 1,
  target_date: '2024-05-01',
  lifecycle_type: 'new',
  funnel_step: 1,
  entrance_period_start: '2024-05-10',
  drop_off: 'true',
  funnel_correlation_names: ['plan'],
  funnel_correlation_event_names: ['a'],
  funnel_correlation_person_entity: { id: 'a', type: 'events' },
  funnel_correlation_property_values: [{ key: 'plan', value: 'pro', type: 'person' }],
  funnel_filter: { events: steps('a', 'b'), funnel_step: 2 },
};

describe('any input', () => {
  const junk = fc.oneof(
    fc.anything({ maxDepth: 3, withNullPrototype: true }),
    fc.json({ maxDepth: 3 }),
    fc.constantFrom(
      'all',
      '-7d',
      '[',
      '{}',
      '[{}]',
      '[{"id":"a"}]',
      'true',
      '0',
      '-1',
      '1e9',
      'NaN',
      '',
      '2024-05-10',
      '__proto__',
    ),
    fc.record({ id: fc.anything(), type: fc.constantFrom('events', 'actions'), properties: fc.jsonValue() }),
    fc.array(
      fc.record({ id: fc.constantFrom('a', 7, null), math: fc.constantFrom('dau', 'avg', 5), order: fc.anything() }),
      { maxLength: 3 },
    ),
  );
  const names = [...new Set(Object.values(FIELDS()).flat())];
  const fields = fc.dictionary(fc.constantFrom(...names), junk, { maxKeys: 8 });

  it.each(Object.keys(READERS) as Name[])('%s is read, or refused with a message', (name) => {
    fc.assert(
      fc.property(fields, fc.boolean(), (given, isNearlyRight) => {
        try {
          JSON.stringify(read(name, isNearlyRight ? { ...RIGHT, ...given } : given));
        } catch (error) {
          expect(error).toBeInstanceOf(Failure);
          expect(error).toMatchObject({ kind: 'invalid', message: expect.stringMatching(/.{5}/) });
        }
      }),
      { numRuns: 150 },
    );
  });
});

function FIELDS(): string[][] {
  return [
    ['events', 'actions', 'properties', 'filter_test_accounts', 'display', 'compare', 'formula', 'smoothing_intervals'],
    [
      'breakdown',
      'breakdowns',
      'breakdown_type',
      'breakdown_value',
      'breakdown_limit',
      'breakdown_histogram_bin_count',
    ],
    ['breakdown_group_type_index', 'offset', 'date_from', 'date_to', 'explicit_date', 'interval', 'search'],
    ['entity_id', 'entity_type', 'entity_math', 'entity_order', 'target_date', 'lifecycle_type', 'stickiness_days'],
    [
      'period',
      'total_intervals',
      'target_entity',
      'returning_entity',
      'retention_type',
      'selected_interval',
      'breakdown_values',
    ],
    [
      'funnel_viz_type',
      'funnel_order_type',
      'funnel_window_days',
      'funnel_window_interval',
      'funnel_window_interval_unit',
    ],
    ['exclusions', 'funnel_step', 'funnel_custom_steps', 'funnel_step_breakdown', 'entrance_period_start', 'drop_off'],
    ['funnel_from_step', 'funnel_to_step', 'bin_count', 'aggregation_group_type_index', 'breakdown_attribution_type'],
    [
      'breakdown_attribution_value',
      'funnel_correlation_type',
      'funnel_correlation_names',
      'funnel_correlation_event_names',
    ],
    ['funnel_correlation_person_entity', 'funnel_correlation_property_values', 'funnel_correlation_person_converted'],
    [
      'include_event_types',
      'include_custom_events',
      'exclude_events',
      'path_type',
      'path_replacements',
      'path_groupings',
    ],
    ['local_path_cleaning_filters', 'start_point', 'end_point', 'step_limit', 'edge_limit', 'min_edge_weight'],
    ['funnel_paths', 'funnel_filter', 'path_start_key', 'path_end_key', 'path_dropoff_key', 'insight', 'shown_as'],
  ];
}
