/** What must hold between insights, whatever happened, in any time zone and over changes of the clocks. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/core/json/json.ts';
import { INTERVALS } from '../../src/core/time/interval.ts';
import { ticksOf } from '../../src/core/time/ticks.ts';
import { correlationLink } from '../../src/features/insights/correlation/present-correlation.ts';
import {
  readCorrelationPeopleQuestion,
  readCorrelationQuestion,
} from '../../src/features/insights/correlation/rules/read-correlation.ts';
import { funnelLink, funnelPeriodLink } from '../../src/features/insights/funnel/present-funnel.ts';
import { readFunnelQuestion } from '../../src/features/insights/funnel/rules/read-funnel.ts';
import { readFunnelPeopleQuestion } from '../../src/features/insights/funnel/rules/read-funnel-people.ts';
import { lifecycleLink } from '../../src/features/insights/lifecycle/present-lifecycle.ts';
import {
  readLifecyclePeopleQuestion,
  readLifecycleQuestion,
} from '../../src/features/insights/lifecycle/rules/read-lifecycle.ts';
import { pathLink } from '../../src/features/insights/paths/present-paths.ts';
import { readPathsPeopleQuestion, readPathsQuestion } from '../../src/features/insights/paths/rules/read-paths.ts';
import { retentionLink } from '../../src/features/insights/retention/present-retention.ts';
import {
  readRetentionPeopleQuestion,
  readRetentionQuestion,
} from '../../src/features/insights/retention/rules/read-retention.ts';
import type { FunnelGroup, TrendItem } from '../../src/features/insights/rules/answers.ts';
import type { QuestionContext } from '../../src/features/insights/rules/question.ts';
import { stickinessLink } from '../../src/features/insights/stickiness/present-stickiness.ts';
import {
  readStickinessPeopleQuestion,
  readStickinessQuestion,
} from '../../src/features/insights/stickiness/rules/read-stickiness.ts';
import { trendLink } from '../../src/features/insights/trends/present-trends.ts';
import { readTrendsQuestion } from '../../src/features/insights/trends/rules/read-trends.ts';
import { readTrendsPeopleQuestion } from '../../src/features/insights/trends/rules/read-trends-people.ts';
import { aWorld, type RandomWorld } from '../support/insight-worlds.ts';
import { tools } from '../support/oracle-answers.ts';
import { answerCorrelation, correlationPeople } from './correlation.ts';
import { answerFunnel, funnelPeople } from './funnel.ts';
import { answerLifecycle, lifecyclePeople } from './lifecycle.ts';
import { answerPaths, pathsPeople } from './paths.ts';
import { answerRetention, retentionPeople } from './retention.ts';
import { answerStickiness, stickinessPeople } from './stickiness.ts';
import { answerTrends, trendsPeople } from './trends.ts';
import { World } from './world.ts';

interface Asked {
  world: World;
  context: QuestionContext;
}

const RUNS = { numRuns: 30 };
const anInterval = fc.constantFrom(...INTERVALS);

const open = ({ data, timezone, now }: RandomWorld): Asked => ({
  world: new World(data, tools),
  context: { now, timezone },
});

/** Over random worlds, and random choices beside them. */
const always = <T>(choice: fc.Arbitrary<T>, check: (asked: Asked, choice: T) => void): void =>
  fc.assert(
    fc.property(aWorld, choice, (world, chosen) => check(open(world), chosen)),
    RUNS,
  );

const none = fc.constant(null);
const visits = { events: [{ id: 'visit', math: 'dau' }] };
const firstOf = <T>(items: readonly T[]): T => items[0] as T;

const trend = ({ world, context }: Asked, fields: JsonObject): TrendItem[] =>
  answerTrends(readTrendsQuestion(fields, context), world);
const uniquesOf = (asked: Asked, fields: JsonObject): number =>
  firstOf(trend(asked, { ...visits, ...fields, display: 'ActionsTable' })).aggregated ?? -1;

describe('insights agree', () => {
  it('every event of the range is in exactly one interval', () => {
    always(anInterval, (asked, interval) => {
      const fields = { events: [{ id: null }], date_from: '-9d', interval };
      const [item] = trend(asked, fields);
      const { range } = readTrendsQuestion(fields, asked.context);
      const inRange = asked.world.events.filter(({ timestamp }) => timestamp >= range.from && timestamp < range.until);
      expect(item?.count).toBe(inRange.length);
    });
  });

  it('uniques of a trend are the first step of a funnel', () => {
    always(fc.constantFrom('ordered', 'strict'), (asked, order) => {
      const fields = {
        events: [
          { id: 'visit', order: 0 },
          { id: 'pay', order: 1 },
        ],
        date_from: '-8d',
        funnel_order_type: order,
      };
      const answer = answerFunnel(readFunnelQuestion(fields, asked.context), asked.world);
      const groups = answer.view === 'steps' ? answer.groups : [];
      expect(groups[0]?.steps[0]?.count).toBe(uniquesOf(asked, { date_from: '-8d' }));
    });
  });

  it('uniques of each interval are the cohorts of retention', () => {
    always(fc.constantFrom('Hour', 'Day', 'Week', 'Month'), (asked, period) => {
      const target_entity = { id: 'visit', type: 'events' };
      const question = readRetentionQuestion({ target_entity, period, total_intervals: 3 }, asked.context);
      const sizes = answerRetention(question, asked.world).map(({ counts }) => counts[0]);
      const starts = ticksOf(question.range, period.toLowerCase() as 'day', question.timezone).slice(0, 3);
      const uniques = starts.map(({ start, end }) => {
        const from = Math.max(start, question.range.from);
        const until = Math.min(end, question.range.until) - 1;
        return uniquesOf(asked, { date_from: iso(from), date_to: iso(until), explicit_date: true });
      });
      expect(sizes).toEqual(uniques);
    });
  });

  it('new, returning and resurrecting are the uniques of the interval', () => {
    always(fc.constantFrom('hour', 'day', 'month'), (asked, interval) => {
      const fields = { ...visits, interval, date_from: '-6d' };
      const items = answerLifecycle(readLifecycleQuestion(fields, asked.context), asked.world);
      // The last interval counts whole in lifecycle and up to now in trends.
      const whole = items[0]?.data.map((_, at) =>
        items.reduce((sum, item) => sum + (item.status === 'dormant' ? 0 : (item.data[at] ?? 0)), 0),
      );
      const uniques = firstOf(trend(asked, fields)).data;
      expect(whole?.slice(0, -1)).toEqual(uniques.slice(0, -1));
    });
  });

  it('dormant are those of the interval before who are not in this one', () => {
    always(none, (asked) => {
      const question = readLifecycleQuestion({ ...visits, date_from: '-6d' }, asked.context);
      const items = answerLifecycle(question, asked.world);
      const of = (status: string, at: number): number => items.find((item) => item.status === status)?.data[at] ?? 0;
      for (let at = 1; at < (items[0]?.data.length ?? 0); at++) {
        const before = of('new', at - 1) + of('returning', at - 1) + of('resurrecting', at - 1);
        expect(before + of('dormant', at)).toBe(of('returning', at));
      }
    });
  });

  it('stickiness sums to the uniques of the range', () => {
    always(anInterval, (asked, interval) => {
      const dates = { date_from: '-10d', interval };
      const question = readStickinessQuestion({ ...visits, ...dates }, asked.context);
      const [item] = answerStickiness(question, asked.world);
      const { from, until } = question.range;
      const same = { date_from: iso(from), date_to: iso(until - 1), explicit_date: true };
      // A funnel's range is not rounded to intervals, as a trend's is.
      expect(item?.count).toBe(funnelGroups(asked, { ...visits, ...same })[0]?.steps[0]?.count);
    });
  });

  it('a cumulative trend of persons ends with the uniques of the range', () => {
    always(anInterval, (asked, interval) => {
      const dates = { date_from: '-10d', interval };
      const item = firstOf(trend(asked, { ...visits, ...dates, display: 'ActionsLineGraphCumulative' }));
      expect(item.data.at(-1)).toBe(uniquesOf(asked, dates));
      expect(item.count).toBe(item.data.at(-1));
    });
  });

  it('values of a breakdown add up to the total', () => {
    always(fc.constantFrom('event', 'person'), (asked, type) => {
      const events = [{ id: 'visit' }];
      const divided = trend(asked, { events, breakdown: 'plan', breakdown_type: type });
      const counted = asked.world.events.filter(({ personId }) => type === 'event' || personId !== null);
      const { range } = readTrendsQuestion({ events }, asked.context);
      const whole = counted.filter(
        ({ event, timestamp }) => event === 'visit' && timestamp >= range.from && timestamp < range.until,
      );
      expect(divided.reduce((sum, { count }) => sum + count, 0)).toBe(whole.length);
    });
  });

  it('a funnel never grows, and retention never exceeds its cohort', () => {
    always(fc.constantFrom('ordered', 'strict', 'unordered'), (asked, funnel_order_type) => {
      const events = ['visit', 'sign up', 'pay'].map((id, order) => ({ id, order }));
      for (const { steps } of funnelGroups(asked, { events, funnel_order_type, breakdown: 'plan' })) {
        steps.forEach(({ count }, at) => {
          expect(count).toBeLessThanOrEqual(steps[at - 1]?.count ?? count);
        });
      }
      const retention = readRetentionQuestion({ target_entity: { id: 'visit' } }, asked.context);
      for (const { counts } of answerRetention(retention, asked.world)) {
        for (const count of counts) expect(count).toBeLessThanOrEqual(counts[0] ?? 0);
      }
    });
  });
});

const iso = (at: number): string => new Date(at).toISOString();

function funnelGroups({ world, context }: Asked, fields: JsonObject): readonly FunnelGroup[] {
  const answer = answerFunnel(readFunnelQuestion(fields, context), world);
  return answer.view === 'steps' ? answer.groups : [];
}

describe('a link selects exactly the persons that the number counts', () => {
  const maths = fc.constantFrom<JsonObject>(
    { math: 'dau' },
    { math: 'weekly_active' },
    { math: 'unique_group', math_group_type_index: 0 },
  );
  const displays = fc.constantFrom('ActionsLineGraph', 'ActionsLineGraphCumulative', 'ActionsTable');
  const breakdowns = fc.constantFrom<JsonObject>(
    {},
    { breakdown: 'plan' },
    { breakdown: 'plan', breakdown_type: 'person' },
    { breakdown: 'amount', breakdown_histogram_bin_count: 3 },
    { breakdown: [1, 'all'], breakdown_type: 'cohort' },
    { breakdown: '$session_duration', breakdown_type: 'session' },
  );

  it('in trends', () => {
    const choice = fc.record({
      math: maths,
      display: displays,
      breakdown: breakdowns,
      interval: anInterval,
      compare: fc.boolean(),
    });
    always(choice, (asked, { math, display, breakdown, interval, compare }) => {
      // A growing number of those who are active counts nobody in particular.
      if (math['math'] === 'weekly_active' && display === 'ActionsLineGraphCumulative') return;
      const events = [{ id: 'pay' }, { id: 'visit', ...math }];
      const question = readTrendsQuestion(
        { events, display, ...breakdown, interval, compare, date_from: '-3d' },
        asked.context,
      );
      for (const item of answerTrends(question, asked.world).filter(({ series }) => series === 1)) {
        const numbers = display === 'ActionsTable' ? [item.aggregated] : item.data;
        numbers.forEach((number, at) => {
          if (number === 0) return;
          const fields = trendLink(question, item, display === 'ActionsTable' ? null : at);
          const people = trendsPeople(readTrendsPeopleQuestion(fields ?? {}, asked.context), asked.world);
          expect(people.length).toBe(number);
        });
      }
    });
  });

  it('in stickiness', () => {
    always(fc.tuple(anInterval, fc.boolean()), (asked, [interval, compare]) => {
      const question = readStickinessQuestion({ ...visits, interval, compare, date_from: '-4d' }, asked.context);
      for (const item of answerStickiness(question, asked.world)) {
        item.data.forEach((number, at) => {
          if (number === 0) return;
          const fields = stickinessLink(question, item, at + 1);
          expect(stickinessPeople(readStickinessPeopleQuestion(fields, asked.context), asked.world).length).toBe(
            number,
          );
        });
      }
    });
  });

  it('in lifecycle', () => {
    always(anInterval, (asked, interval) => {
      const question = readLifecycleQuestion({ ...visits, interval, date_from: '-3d' }, asked.context);
      const ticks = ticksOf(question.range, interval, question.timezone, 'monday');
      for (const { status, data } of answerLifecycle(question, asked.world)) {
        data.forEach((number, at) => {
          if (number === 0) return;
          const fields = lifecycleLink(question, status, ticks[at]?.start ?? 0);
          const people = lifecyclePeople(readLifecyclePeopleQuestion(fields, asked.context), asked.world);
          expect(people.length).toBe(Math.abs(number));
        });
      }
    });
  });

  it('in retention', () => {
    const choice = fc.record({
      period: fc.constantFrom('Hour', 'Day', 'Week', 'Month'),
      retention_type: fc.constantFrom('retention_recurring', 'retention_first_time'),
      breakdowns: fc.constantFrom([], [{ property: 'plan', type: 'event' }]),
    });
    always(choice, (asked, chosen) => {
      const question = readRetentionQuestion(
        { ...chosen, target_entity: { id: 'visit' }, returning_entity: { id: 'pay' } },
        asked.context,
      );
      answerRetention(question, asked.world).forEach((row, at) => {
        const fields = retentionLink(question, row, at);
        const people = retentionPeople(readRetentionPeopleQuestion(fields, asked.context), asked.world);
        const counts = row.counts.map(
          (_, after) => people.filter(({ appearances }) => appearances[after] === 1).length,
        );
        expect(counts).toEqual(row.counts);
      });
    });
  });

  it('in funnels', () => {
    const choice = fc.record({
      funnel_order_type: fc.constantFrom('ordered', 'strict', 'unordered'),
      breakdown: fc.constantFrom<JsonObject>(
        {},
        { breakdown: 'plan', breakdown_limit: 2 },
        { breakdown: [1, 'all'], breakdown_type: 'cohort' },
      ),
      breakdown_attribution_type: fc.constantFrom('first_touch', 'last_touch', 'all_events', 'step'),
      exclusions: fc.constantFrom([], [{ id: '$pageview', funnel_from_step: 0, funnel_to_step: 2 }]),
      funnel_window_days: fc.constantFrom(1, 5),
    });
    always(choice, (asked, { breakdown, ...chosen }) => {
      const events = ['visit', 'sign up', 'pay'].map((id, order) => ({ id, order }));
      const question = readFunnelQuestion({ events, ...breakdown, ...chosen, date_from: '-10d' }, asked.context);
      const people = (fields: JsonObject): number =>
        funnelPeople(readFunnelPeopleQuestion(fields, asked.context), asked.world).length;
      for (const { value, steps } of funnelGroups(asked, { ...question.fields })) {
        steps.forEach(({ count }, at) => {
          expect(people(funnelLink(question, value, at + 1, true))).toBe(count);
          if (at > 0) {
            expect(people(funnelLink(question, value, at + 1, false))).toBe((steps[at - 1]?.count ?? 0) - count);
          }
        });
      }
    });
  });

  it('in funnels over time', () => {
    always(fc.tuple(anInterval, fc.constantFrom('ordered', 'unordered')), (asked, [interval, funnel_order_type]) => {
      const events = ['visit', 'pay'].map((id, order) => ({ id, order }));
      const fields = { events, interval, funnel_order_type, funnel_viz_type: 'trends', date_from: '-4d' };
      const question = readFunnelQuestion(fields, asked.context);
      const answer = answerFunnel(question, asked.world);
      const [shown] = answer.view === 'trends' ? answer.trends : [];
      ticksOf(question.range, interval, question.timezone).forEach(({ start }, at) => {
        const [from, to] = [shown?.reachedFrom[at] ?? 0, shown?.reachedTo[at] ?? 0];
        if (from === 0) return;
        const people = (isDropOff: boolean): number => {
          const linked = funnelPeriodLink(question, null, start, isDropOff);
          return funnelPeople(readFunnelPeopleQuestion(linked, asked.context), asked.world).length;
        };
        expect([people(false), people(true)]).toEqual([to, from - to]);
      });
    });
  });

  it('in correlation', () => {
    const choice = fc.constantFrom<JsonObject>(
      { funnel_correlation_type: 'events' },
      { funnel_correlation_type: 'properties', funnel_correlation_names: ['plan', '$all'] },
      { funnel_correlation_type: 'properties', funnel_correlation_names: ['plan'] },
      { funnel_correlation_type: 'event_with_properties', funnel_correlation_event_names: ['sign up', '$pageview'] },
    );
    always(choice, (asked, chosen) => {
      const events = ['visit', 'pay'].map((id, order) => ({ id, order }));
      const question = readCorrelationQuestion({ events, ...chosen, date_from: '-10d' }, asked.context);
      for (const correlation of answerCorrelation(question, asked.world).events) {
        const people = (hasConverted: boolean): number => {
          const fields = correlationLink(question, correlation, hasConverted);
          return correlationPeople(readCorrelationPeopleQuestion(fields, asked.context), asked.world).length;
        };
        expect([people(true), people(false)]).toEqual([correlation.success, correlation.failure]);
      }
    });
  });

  it('in paths, where one person may take an edge several times', () => {
    const choice = fc.record({ step_limit: fc.integer({ min: 2, max: 6 }), end_point: fc.constantFrom(null, 'pay') });
    always(choice, (asked, chosen) => {
      const question = readPathsQuestion({ ...chosen, date_from: '-10d' }, asked.context);
      for (const edge of answerPaths(question, asked.world)) {
        const people = pathsPeople(readPathsPeopleQuestion(pathLink(question, edge), asked.context), asked.world);
        expect(people.length).toBeGreaterThan(0);
        expect(people.length).toBeLessThanOrEqual(edge.value);
      }
    });
  });
});
