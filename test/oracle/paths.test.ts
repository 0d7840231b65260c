import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/core/json/json.ts';
import { matchesGrouping } from '../../src/features/insights/paths/rules/path-items.ts';
import { readPathsPeopleQuestion, readPathsQuestion } from '../../src/features/insights/paths/rules/read-paths.ts';
import { context, worldFromLines } from '../support/world-from-lines.ts';
import { answerPaths, pathsPeople } from './paths.ts';

describe('paths', () => {
  const page = (who: string, url: string, time: string) => `${who} $pageview 05-01 ${time} $current_url=${url}`;
  const world = worldFromLines(
    [
      page('ann', '/', '10:00'),
      page('ann', '/docs/', '10:05'),
      page('ann', '/docs', '10:06'),
      page('ann', '/price', '10:10'),
      page('ann', '/', '10:40'),
      page('bob', '/', '10:00'),
      page('bob', '/docs/1', '10:02'),
      page('bob', '/price', '10:04'),
      page('bob', '/pay', '10:06'),
      'nobody $pageview 05-01 10:00 $current_url=/',
    ].join('\n'),
  );
  const fields = { date_from: '2024-05-01', date_to: '2024-05-02' };
  const edges = (over: JsonObject = {}, cleanings: { pattern: string; alias: string }[] = []) => {
    const question = readPathsQuestion({ ...fields, ...over }, context({ pathCleanings: cleanings }));
    return answerPaths(question, world).map(({ source, target, value }) => `${source} > ${target}: ${value}`);
  };

  it('merge repetitions, and end with a pause', () => {
    expect(edges()).toEqual([
      '1_/ > 2_/docs: 1',
      '1_/ > 2_/docs/1: 1',
      '2_/docs > 3_/price: 1',
      '2_/docs/1 > 3_/price: 1',
      '3_/price > 4_/pay: 1',
    ]);
  });

  it('take the time of the last repetition', () => {
    const [edge] = answerPaths(readPathsQuestion({ ...fields, step_limit: 2 }, context()), world);
    expect(edge).toMatchObject({ source: '1_/', target: '2_/docs', averageTime: 6 * 60_000 });
  });

  it('are cleaned by patterns, or grouped by wildcards', () => {
    const cleaned = ['1_/ > 2_/docs: 1', '1_/ > 2_/docs/:id: 1'];
    expect(edges({ step_limit: 2, path_replacements: true }, [{ pattern: '\\d+', alias: ':id' }])).toEqual(cleaned);
    expect(edges({ step_limit: 2, path_groupings: ['/docs*'] })).toEqual(['1_/ > 2_/docs*: 2']);
    expect(edges({ step_limit: 2, path_replacements: true }, [{ pattern: '(', alias: 'x' }])).toHaveLength(2);
    expect(matchesGrouping('a-b-c', 'a*c')).toBe(true);
    expect(matchesGrouping('c-a', 'a*c')).toBe(false);
  });

  it('start and end at the given points', () => {
    expect(edges({ start_point: '/docs/' })).toEqual(['1_/docs > 2_/price: 1']);
    expect(edges({ end_point: '/price', step_limit: 2 })).toEqual(['1_/docs > 2_/price: 1', '1_/docs/1 > 2_/price: 1']);
    expect(edges({ start_point: '/', end_point: '/pay', step_limit: 3 })).toEqual([
      '1_/ > 2_...: 1',
      '2_... > 3_/pay: 1',
    ]);
  });

  it('show the heaviest edges that can be reached', () => {
    expect(edges({ edge_limit: 1 })).toEqual(['1_/ > 2_/docs: 1']);
    expect(edges({ exclude_events: ['/docs', '/docs/1'] })).toEqual(['1_/ > 2_/price: 2', '2_/price > 3_/pay: 1']);
    expect(edges({ exclude_events: ['/docs', '/docs/1'], max_edge_weight: 1 })).toEqual(['2_/price > 3_/pay: 1']);
  });

  it('find their persons', () => {
    const people = (over: JsonObject) => pathsPeople(readPathsPeopleQuestion({ ...fields, ...over }, context()), world);
    expect(people({ path_start_key: '1_/', path_end_key: '2_/docs' })).toEqual(['ann']);
    expect(people({ path_dropoff_key: '4_/pay' })).toEqual(['bob']);
    expect(people({})).toEqual(['ann', 'bob']);
  });

  it('can be limited to a step of a funnel', () => {
    const funnel_filter = {
      events: [{ id: '$pageview', properties: [{ key: '$current_url', value: '/price' }] }],
      funnel_step: 1,
    };
    const before = edges({ funnel_paths: 'funnel_path_before_step', funnel_filter });
    expect(before).toContain('2_/docs/1 > 3_/price: 1');
    expect(edges({ funnel_paths: 'funnel_path_after_step', funnel_filter })).toEqual([
      '1_/price > 2_/: 1',
      '1_/price > 2_/pay: 1',
    ]);
  });
});
