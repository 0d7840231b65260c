import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/core/json/json.ts';
import { readFunnelQuestion } from '../../src/features/insights/funnel/rules/read-funnel.ts';
import { readFunnelPeopleQuestion } from '../../src/features/insights/funnel/rules/read-funnel-people.ts';
import type { FunnelAnswer } from '../../src/features/insights/rules/answers.ts';
import { context, worldFromLines } from '../support/world-from-lines.ts';
import { answerFunnel, funnelPeople } from './funnel.ts';
import type { World } from './world.ts';

const steps = (...ids: string[]) => ({ events: ids.map((id, order) => ({ id, order })), date_from: '2024-05-01' });

const ask = (world: World, fields: JsonObject, timezone = 'UTC'): FunnelAnswer =>
  answerFunnel(readFunnelQuestion(fields, context({ timezone })), world);

function counts(world: World, fields: JsonObject, timezone = 'UTC'): number[] {
  const answer = ask(world, fields, timezone);
  return answer.view === 'steps' ? (answer.groups[0]?.steps.map(({ count }) => count) ?? []) : [];
}

const groups = (world: World, fields: JsonObject): Record<string, number[]> => {
  const answer = ask(world, fields);
  if (answer.view !== 'steps') return {};
  return Object.fromEntries(answer.groups.map(({ label, steps: own }) => [label ?? '', own.map(({ count }) => count)]));
};

const people = (world: World, fields: JsonObject): string[] =>
  funnelPeople(readFunnelPeopleQuestion(fields, context()), world);

describe('an ordered funnel', () => {
  const world = worldFromLines(`
    ann a 05-01 10:00
    ann b 05-01 11:00
    ann c 05-01 12:00
    bob b 05-01 10:00
    bob a 05-01 11:00
    bob c 05-01 12:00
    cat a 05-01 10:00
    cat b 05-09 10:00
    cat a 05-08 10:00
    cat c 05-09 11:00
    nobody a 05-01 10:00
  `);

  it('counts who did the steps in order, with any events in between', () => {
    expect(counts(world, steps('a', 'b', 'c'))).toEqual([3, 2, 2]);
    expect(counts(world, steps('a', 'c'))).toEqual([3, 3]);
  });

  it('starts again with every first step', () => {
    expect(counts(world, { ...steps('a', 'b', 'c'), funnel_window_days: 2 })).toEqual([3, 2, 2]);
    expect(counts(world, { ...steps('a', 'b', 'c'), funnel_window_days: 1 })).toEqual([3, 2, 1]);
  });

  it('finds the persons of each step', () => {
    const fields = steps('a', 'b', 'c');
    expect(people(world, { ...fields, funnel_step: 3 })).toEqual(['ann', 'cat']);
    expect(people(world, { ...fields, funnel_step: -2 })).toEqual(['bob']);
    expect(people(world, { ...fields, funnel_custom_steps: [1, 3] })).toEqual(['ann', 'bob', 'cat']);
  });

  it('accepts one event as two different steps, but not as the same step twice', () => {
    const once = worldFromLines('ann a 05-01 10:00 plan=pro');
    const pro = { id: 'a', order: 1, properties: [{ key: 'plan', value: 'pro' }] };
    expect(counts(once, steps('a', 'a'))).toEqual([1, 0]);
    expect(counts(once, { ...steps(), events: [{ id: 'a', order: 0 }, pro] })).toEqual([1, 1]);
    expect(
      counts(once, {
        ...steps(),
        events: [
          { ...pro, order: 0 },
          { id: 'a', order: 1 },
        ],
      }),
    ).toEqual([1, 0]);
    expect(counts(worldFromLines('ann a 05-01 10:00\nann a 05-01 10:00'), steps('a', 'a'))).toEqual([1, 1]);
  });

  it('ends exactly with the window', () => {
    const hours = { funnel_window_interval: 1, funnel_window_interval_unit: 'hour' };
    expect(counts(worldFromLines('ann a 05-01 10:00\nann b 05-01 11:00'), { ...steps('a', 'b'), ...hours })).toEqual([
      1, 1,
    ]);
    expect(counts(worldFromLines('ann a 05-01 10:00\nann b 05-01 11:01'), { ...steps('a', 'b'), ...hours })).toEqual([
      1, 0,
    ]);
  });

  it('has windows as long as the calendar days', () => {
    // Clocks are set forward in the night: a day later is 23 hours later.
    const world23 = worldFromLines('ann a 03-30 10:00\nann b 03-31 09:01');
    const fields = { ...steps('a', 'b'), date_from: '2024-03-01', funnel_window_days: 1 };
    expect(counts(world23, fields, 'Europe/Berlin')).toEqual([1, 0]);
    expect(counts(world23, fields, 'UTC')).toEqual([1, 1]);
  });

  it('measures how long a step took, on average over attempts and then over persons', () => {
    const answer = ask(
      worldFromLines(`
        ann a 05-01 10:00
        ann b 05-01 10:10
        ann a 05-02 10:00
        ann b 05-02 10:30
        bob a 05-01 10:00
        bob b 05-01 11:00
      `),
      { ...steps('a', 'b'), funnel_window_days: 1 },
    );
    const own = answer.view === 'steps' ? answer.groups[0]?.steps : [];
    expect(own?.[0]).toMatchObject({ averageTime: null, medianTime: null });
    expect(own?.[1]).toMatchObject({ averageTime: (1200 + 3600) / 2, medianTime: (1200 + 3600) / 2 });
  });

  it('leaves out attempts, not persons, with an exclusion', () => {
    const excluding = worldFromLines(`
      ann a 05-01 10:00
      ann x 05-01 11:00
      ann b 05-01 12:00
      bob a 05-01 10:00
      bob x 05-01 11:00
      bob a 05-02 10:00
      bob b 05-02 11:00
      cat a 05-01 10:00
      cat b 05-01 11:00
      cat x 05-01 12:00
      dan a 05-01 10:00
      dan x 05-01 10:00
      dan b 05-01 11:00
    `);
    const exclusions = [{ id: 'x', funnel_from_step: 0, funnel_to_step: 1 }];
    expect(people(excluding, { ...steps('a', 'b'), exclusions, funnel_step: 1 })).toEqual(['bob', 'cat', 'dan']);
    expect(counts(excluding, { ...steps('a', 'b'), exclusions, funnel_order_type: 'strict' })).toEqual([4, 2]);
  });
});

describe('other orders', () => {
  const world = worldFromLines(`
    ann a 05-01 10:00
    ann b 05-01 11:00
    bob b 05-01 10:00
    bob a 05-01 11:00
    cat a 05-01 10:00
    cat x 05-01 10:30
    cat b 05-01 11:00
    dan b 05-01 10:00
  `);

  it('strict: no event between two steps', () => {
    expect(counts(world, { ...steps('a', 'b'), funnel_order_type: 'strict' })).toEqual([3, 1]);
  });

  it('unordered: any step may come first', () => {
    const answer = ask(world, { ...steps('a', 'b'), funnel_order_type: 'unordered' });
    const own = answer.view === 'steps' ? answer.groups[0]?.steps : [];
    expect(own?.map(({ name, count }) => [name, count])).toEqual([
      ['Completed 1 step', 4],
      ['Completed 2 steps', 3],
    ]);
  });
});

describe('a funnel with a breakdown', () => {
  const world = worldFromLines(`
    ann a 05-01 10:00
    ann b 05-01 11:00 os=mac
    ann a 05-02 10:00 os=win
    bob a 05-01 10:00 os=win
    bob b 05-01 11:00 os=win
    cat a 05-01 10:00
  `);
  const divided = (over: JsonObject) => groups(world, { ...steps('a', 'b'), breakdown: ['os'], ...over });

  it('attributes each person to their first or last value', () => {
    expect(divided({})).toEqual({ '': [1, 0], mac: [1, 1], win: [1, 1] });
    expect(divided({ breakdown_attribution_type: 'last_touch' })).toEqual({ '': [1, 0], win: [2, 2] });
  });

  it('attributes each person to all values of a step', () => {
    const step = { breakdown_attribution_type: 'step', breakdown_attribution_value: 0 };
    expect(divided(step)).toEqual({ '': [2, 1], win: [2, 2] });
  });

  it('is a funnel of its own for each value', () => {
    expect(divided({ breakdown_attribution_type: 'all_events' })).toEqual({ '': [2, 0], win: [2, 1] });
  });

  it('merges small values', () => {
    expect(divided({ breakdown_limit: 1 })).toEqual({ Other: [2, 1], win: [1, 1] });
  });
});

describe('a funnel over time', () => {
  it('counts each person once per interval in which they started', () => {
    const answer = ask(
      worldFromLines(`
        ann a 05-01 10:00
        ann b 05-01 11:00
        ann a 05-01 12:00
        ann a 05-02 10:00
        bob a 05-01 10:00
        cat a 05-01 10:00
      `),
      { ...steps('a', 'b'), date_to: '2024-05-03', funnel_viz_type: 'trends', interval: 'day' },
    );
    expect(answer).toMatchObject({ trends: [{ data: [33.33, 0, 0], reachedFrom: [3, 1, 0], reachedTo: [1, 0, 0] }] });
    expect(answer).toMatchObject({ trends: [{ labels: ['1-May-2024', '2-May-2024', '3-May-2024'] }] });
  });
});
