import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/core/json/json.ts';
import type { TrendItem } from '../../src/features/insights/rules/answers.ts';
import { readTrendsQuestion } from '../../src/features/insights/trends/rules/read-trends.ts';
import { readTrendsPeopleQuestion } from '../../src/features/insights/trends/rules/read-trends-people.ts';
import { context, worldFromLines } from '../support/world-from-lines.ts';
import { answerTrends, trendsPeople } from './trends.ts';
import type { World } from './world.ts';

const DAYS = { date_from: '2024-05-01', date_to: '2024-05-03' };

const ask = (world: World, fields: JsonObject, timezone = 'UTC'): TrendItem[] =>
  answerTrends(readTrendsQuestion({ ...DAYS, ...fields }, context({ timezone })), world);
const dataOf = (world: World, series: JsonObject, over: JsonObject = {}): readonly number[] | undefined =>
  ask(world, { events: [{ id: 'buy', ...series }], ...over })[0]?.data;

describe('math', () => {
  const world = worldFromLines(`
    ann buy 05-01 10:00 price=10 $session_id=s1 $group_0=acme
    ann buy 05-01 10:30 price=20 $session_id=s1 $group_0=acme
    bob buy 05-01 11:00 price=x
    bob buy 05-02 11:00 price=2.5 $session_id=s2 $group_0=initech
    ann look 05-01 11:00 $session_id=s1
    nobody buy 05-02 12:00 price=4
  `);

  it.each<[JsonObject, number[]]>([
    [{}, [3, 2, 0]],
    [{ math: 'dau' }, [2, 1, 0]],
    [{ math: 'unique_session' }, [1, 1, 0]],
    [{ math: 'unique_group', math_group_type_index: 0 }, [1, 1, 0]],
    [{ math: 'sum', math_property: 'price' }, [30, 6.5, 0]],
    [{ math: 'avg', math_property: 'price' }, [15, 3.25, 0]],
    [{ math: 'min', math_property: 'price' }, [10, 2.5, 0]],
    [{ math: 'p90', math_property: 'price' }, [19, 3.85, 0]],
    [{ math: 'max', math_property: '$session_duration' }, [3600, 0, 0]],
    [{ math: 'avg_count_per_actor' }, [1.5, 1, 0]],
    [{ math: 'max_count_per_actor', math_group_type_index: 0 }, [2, 1, 0]],
  ])('%j', (series, wanted) => {
    expect(dataOf(world, series)).toEqual(wanted);
  });

  it('of totals is null where there is nothing to take a statistic of', () => {
    const total = (series: JsonObject) =>
      ask(world, { events: [{ id: 'none', ...series }], display: 'ActionsTable' })[0]?.aggregated;
    expect([total({}), total({ math: 'avg', math_property: 'price' }), total({ math: 'dau' })]).toEqual([0, null, 0]);
  });

  it('counts a person once in cumulative trends', () => {
    const again = worldFromLines('ann buy 05-01 10:00\nann buy 05-02 10:00\nbob buy 05-02 10:00');
    const grown = { display: 'ActionsLineGraphCumulative' };
    expect(dataOf(again, { math: 'dau' }, grown)).toEqual([1, 2, 2]);
    expect(dataOf(again, {}, grown)).toEqual([1, 3, 3]);
  });

  it('smooths, also at the beginning', () => {
    expect(dataOf(world, {}, { smoothing_intervals: 2 })).toEqual([3, 2, 1]);
  });

  it('sorts persons by their part of the number', () => {
    const fields = { ...DAYS, entity_id: 'buy', display: 'ActionsTable' };
    expect(trendsPeople(readTrendsPeopleQuestion(fields, context()), world)).toEqual([
      { actor: 'ann', value: 2 },
      { actor: 'bob', value: 2 },
    ]);
    const sums = { ...fields, events: [{ id: 'buy', math: 'sum', math_property: 'price' }], entity_order: 0 };
    expect(trendsPeople(readTrendsPeopleQuestion(sums, context()), world)[0]).toEqual({ actor: 'ann', value: 30 });
  });
});

describe('active users', () => {
  const world = worldFromLines('ann buy 04-25 12:00\nbob buy 05-02 12:00\ncat buy 04-20 12:00');
  const weekly = { math: 'weekly_active' };

  it('of a day were active in the seven days that end with it', () => {
    expect(dataOf(world, weekly)).toEqual([1, 1, 1]);
    expect(dataOf(world, weekly, { date_from: '2024-04-24', date_to: '2024-04-27' })).toEqual([1, 2, 2, 1]);
    expect(dataOf(world, { math: 'monthly_active' })).toEqual([2, 3, 3]);
  });

  it('of a week or month were active up to its first day', () => {
    expect(dataOf(world, weekly, { interval: 'month', date_from: '2024-04-01' })).toEqual([0, 1]);
  });

  it('of an hour were active in rolling seven days', () => {
    const hours = { interval: 'hour', date_from: '2024-05-01T10:00', date_to: '2024-05-01T13:00' };
    expect(dataOf(world, weekly, hours)).toEqual([1, 1, 1, 0]);
  });

  it('of a total were active in the seven days before the end', () => {
    expect(ask(world, { events: [{ id: 'buy', ...weekly }], display: 'BoldNumber' })[0]?.aggregated).toBe(1);
  });
});

describe('a breakdown', () => {
  const world = worldFromLines(`
    ann buy 05-01 10:00 os=mac price=1
    ann buy 05-01 10:00 os=mac price=2
    bob buy 05-01 10:00 os=win price=30
    bob buy 05-02 10:00 price=40
    nobody buy 05-02 10:00 os=win price=50
  `);
  const divided = (fields: JsonObject) =>
    ask(world, { events: [{ id: 'buy' }], ...fields }).map(({ label, value, count }) => [label, value?.value, count]);

  it('shows each value, the largest first, and missing ones as none', () => {
    expect(divided({ breakdown: 'os' })).toEqual([
      ['buy - mac', 'mac', 2],
      ['buy - win', 'win', 2],
      ['buy - none', '', 1],
    ]);
  });

  it('shows values in pages', () => {
    expect(divided({ breakdown: 'os', breakdown_limit: 1 })).toEqual([['buy - win', 'win', 2]]);
    expect(divided({ breakdown: 'os', breakdown_limit: 1, offset: 1 })).toEqual([['buy - mac', 'mac', 2]]);
  });

  it('puts numbers into bins', () => {
    expect(divided({ breakdown: 'price', breakdown_histogram_bin_count: 2 })).toEqual([
      ['buy - [1.0,30.0]', '[1.0,30.0]', 2],
      ['buy - [30.0,50.01]', '[30.0,50.01]', 3],
    ]);
  });

  it('by cohort leaves out events without a person', () => {
    const cohorts = worldFromLines('ann buy 05-01 10:00\nbob buy 05-01 10:00\nnobody buy 05-01 10:00', {
      cohorts: new Map([[1, new Set(['ann'])]]),
    });
    const fields = { events: [{ id: 'buy' }], breakdown: [1, 'all', 2], breakdown_type: 'cohort' };
    expect(ask(cohorts, fields).map(({ label, count }) => [label, count])).toEqual([
      ['buy - all users', 2],
      ['buy - 1', 1],
      ['buy - 2', 0],
    ]);
  });
});

describe('several series', () => {
  const world = worldFromLines('ann buy 05-01 10:00\nann look 05-01 10:00\nbob look 05-02 10:00\nbob buy 04-29 10:00');

  it('are used in formulas, point by point', () => {
    const events = [
      { id: 'buy', order: 0 },
      { id: 'look', order: 1 },
    ];
    expect(ask(world, { events, formula: 'B / A * 100' })).toMatchObject([
      { label: 'Formula (B / A * 100)', data: [100, 0, 0], count: 100, series: null },
    ]);
    expect(ask(world, { events, formula: 'A + B', display: 'ActionsTable' })[0]?.aggregated).toBe(3);
  });

  it('are compared to the previous period', () => {
    const items = ask(world, { events: [{ id: 'buy' }], compare: true });
    expect(items.map(({ period, data, labels, days }) => [period, data, labels, days[0]])).toEqual([
      ['current', [1, 0, 0], ['day 0', 'day 1', 'day 2'], '2024-05-01'],
      ['previous', [0, 1, 0], ['day 0', 'day 1', 'day 2'], '2024-04-28'],
    ]);
  });

  it('use the time zone of the project', () => {
    const late = worldFromLines('ann buy 05-02 03:00');
    expect(ask(late, { events: [{ id: 'buy' }] }, 'US/Pacific')[0]?.data).toEqual([1, 0, 0]);
    expect(ask(late, { events: [{ id: 'buy' }] }, 'UTC')[0]?.data).toEqual([0, 1, 0]);
  });

  it('of an unknown action are left out', () => {
    expect(ask(world, { actions: [{ id: 99 }] })).toEqual([]);
  });
});

describe('an action', () => {
  it('is any of its steps, each of which must match completely', () => {
    const world = worldFromLines(`
      ann $pageview 05-01 10:00 $current_url=https://x.io/docs/api
      ann $pageview 05-01 11:00 $current_url=https://x.io/docs
      ann click 05-01 12:00 plan=pro
      ann click 05-01 13:00 plan=free
    `);
    const none = { kind: 'and', filters: [] } as const;
    const pro = { kind: 'property', owner: 'event', key: 'plan', operator: 'exact', values: ['pro'] } as const;
    const page = (url: string, urlMatching: 'contains' | 'exact' | 'regex') => ({
      event: '$pageview',
      url,
      urlMatching,
      filter: none,
    });
    const count = (...steps: object[]) => {
      const action = () => ({ id: 1, name: 'it', steps: steps as never });
      return answerTrends(readTrendsQuestion({ ...DAYS, actions: [{ id: 1 }] }, context({ action })), world)[0]?.count;
    };
    expect(count(page('/docs', 'contains'))).toBe(2);
    expect(count(page('https://x.io/docs', 'exact'))).toBe(1);
    expect(count(page('docs/a.*$', 'regex'))).toBe(1);
    expect(count(page('(', 'regex'))).toBe(0);
    expect(count({ event: 'click', url: null, urlMatching: 'contains', filter: pro }, page('api', 'contains'))).toBe(2);
    expect(count()).toBe(0);
  });
});
