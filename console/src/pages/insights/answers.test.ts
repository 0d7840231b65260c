import { describe, expect, it } from 'vitest';
import type { TrendItem } from '../../api/insights.ts';
import { isEmpty, itemName, needsOverall, pathDropOffs, personsLinks, readAnswer } from './answers.ts';
import { titleOf } from './labels.ts';
import { newQuestion, type Question } from './question.ts';

const step = (name: string, order: number, count: number, value?: unknown) => ({
  action_id: name,
  name,
  order,
  count,
  average_conversion_time: null,
  median_conversion_time: null,
  converted_people_url: `/c${order}`,
  dropped_people_url: order === 0 ? null : `/d${order}`,
  ...(value === undefined ? {} : { breakdown: value, breakdown_value: value }),
});

describe('an answer', () => {
  it('of a funnel is one group of steps, or one per breakdown value', () => {
    const funnel = newQuestion('funnel');
    const plain = readAnswer(funnel, [step('a', 0, 4), step('b', 1, 1)]);
    expect(plain).toMatchObject({ view: 'steps', groups: [{ value: null }] });
    expect([...personsLinks(plain, funnel)]).toEqual([
      ['0.0', { title: 'Completed step 1: a', url: '/c0' }],
      ['0.1', { title: 'Completed step 2: b', url: '/c1' }],
      ['0.1.d', { title: 'Dropped off before step 2: b', url: '/d1' }],
    ]);
    const broken = readAnswer({ ...funnel, breakdown: { type: 'event', key: 'k' } }, [[step('a', 0, 4, '')]]);
    expect(broken).toMatchObject({ groups: [{ value: 'None' }] });
  });

  it('of a funnel with a breakdown begins with all users, then the most common value, and ends with Other', () => {
    const funnel: Question = { ...newQuestion('funnel'), breakdown: { type: 'event', key: 'k' } };
    const groups = [
      ['a', 2],
      ['Other', 9],
      ['b', 5],
    ].map(([value, count]) => [step('x', 0, Number(count), value)]);
    const answer = readAnswer(funnel, groups, [step('x', 0, 16)]);
    expect(answer.view === 'steps' && answer.groups.map(({ value, steps }) => [value, steps[0]?.count])).toEqual([
      [null, 16],
      ['b', 5],
      ['a', 2],
      ['Other', 9],
    ]);
    expect([needsOverall(funnel), needsOverall(newQuestion('funnel'))]).toEqual([true, false]);
  });

  it('of a trend links to the persons of each point', () => {
    const item = { label: 'a', count: 3, data: [1, 2], labels: [], days: ['2024-01-31', '2024-02-01'] };
    const urls = [
      { url: 'x', filter: {} },
      { url: 'y', filter: {} },
    ];
    const answer = readAnswer(newQuestion(), [{ ...item, persons_urls: urls }]);
    expect([...personsLinks(answer, newQuestion())]).toEqual([
      ['0.0', { title: 'a, Jan 31', url: 'x' }],
      ['0.1', { title: 'a, Feb 1', url: 'y' }],
    ]);
    expect(isEmpty(answer)).toBe(false);
    expect(isEmpty(readAnswer(newQuestion(), [{ ...item, data: [0, 0] }]))).toBe(true);
    expect(isEmpty(readAnswer(newQuestion(), []))).toBe(true);
  });

  it('names series by the labels of their events', () => {
    const item = {
      label: '$pageview - Chrome',
      count: 1,
      data: [],
      labels: [],
      days: [],
      action: { name: '$pageview' },
    };
    const named = (more: object): string => itemName({ ...item, ...more } as unknown as TrendItem);
    expect(named({})).toBe('Pageview - Chrome');
    expect(named({ label: '$pageview - none', breakdown_value: '' })).toBe('Pageview - None');
    expect(named({ compare_label: 'previous' })).toBe('Pageview - Chrome (previous)');
    expect(named({ status: 'resurrecting' })).toBe('Resurrecting');
    expect(named({ label: 'Formula (A / B)', action: null })).toBe('Formula (A / B)');
  });

  it('of paths says who went no further, but not behind the last step, and not if edges are missing', () => {
    const edge = (source: string, target: string, value: number) => ({
      source,
      target,
      value,
      average_conversion_time: 0,
      people_url: '',
    });
    const edges = [edge('1_a', '2_b', 10), edge('1_c', '2_b', 5), edge('2_b', '3_a', 4), edge('1_a', '2_d', 2)];
    expect([...pathDropOffs(edges, newQuestion('paths'))]).toEqual([
      ['2_b', 11],
      ['2_d', 2],
    ]);
    expect([...pathDropOffs(edges, { ...newQuestion('paths'), rest: { edge_limit: 4 } })]).toEqual([]);
  });

  it('has a default title', () => {
    expect(titleOf({ ...newQuestion('paths'), paths: { types: [], start: '/', end: '', steps: 5 } })).toBe(
      'User paths from /',
    );
    expect(titleOf(newQuestion())).toBe('Trend');
  });
});
