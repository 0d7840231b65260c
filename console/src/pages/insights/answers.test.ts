import { describe, expect, it } from 'vitest';
import { isEmpty, peopleBehind, readAnswer } from './answers.ts';
import { tickWord, titleOf } from './labels.ts';
import { newQuestion } from './question.ts';

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
  it('of a funnel is one group of steps, or one for each value', () => {
    const funnel = newQuestion('funnel');
    const plain = readAnswer(funnel, [step('a', 0, 4), step('b', 1, 1)]);
    expect(plain).toMatchObject({ view: 'steps', groups: [{ value: null }] });
    expect([...peopleBehind(plain, funnel)]).toEqual([
      ['0.0', { title: 'Reached 1. a', url: '/c0' }],
      ['0.1', { title: 'Reached 2. b', url: '/c1' }],
      ['0.1.d', { title: 'Dropped out before 2. b', url: '/d1' }],
    ]);
    const divided = readAnswer({ ...funnel, breakdown: { type: 'event', key: 'k' } }, [[step('a', 0, 4, '')]]);
    expect(divided).toMatchObject({ groups: [{ value: 'none' }] });
  });

  it('of a trend names the persons of each point', () => {
    const item = { label: 'a', count: 3, data: [1, 2], labels: [], days: ['2024-01-31', '2024-02-01'] };
    const urls = [
      { url: 'x', filter: {} },
      { url: 'y', filter: {} },
    ];
    const answer = readAnswer(newQuestion(), [{ ...item, persons_urls: urls }]);
    expect([...peopleBehind(answer, newQuestion())]).toEqual([
      ['0.0', { title: 'a, 31 Jan', url: 'x' }],
      ['0.1', { title: 'a, 1 Feb', url: 'y' }],
    ]);
    expect(isEmpty(answer)).toBe(false);
    expect(isEmpty(readAnswer(newQuestion(), [{ ...item, data: [0, 0] }]))).toBe(true);
    expect(isEmpty(readAnswer(newQuestion(), []))).toBe(true);
  });

  it.each([
    ['2024-01-05', 'day', '5 Jan'],
    ['2024-01-05', 'month', 'Jan 2024'],
    ['2024-01-05 13:00:00', 'hour', '5 Jan 13:00'],
    [3, 'day', '3'],
  ] as const)('writes the tick %s by %s as %s', (day, interval, word) => {
    expect(tickWord(day, interval)).toBe(word);
  });

  it('has a title even where nobody gave one', () => {
    expect(titleOf({ ...newQuestion('paths'), paths: { types: [], start: '/', end: '', steps: 5 } })).toBe(
      'Paths from /',
    );
    expect(titleOf(newQuestion())).toBe('Trend');
  });
});
