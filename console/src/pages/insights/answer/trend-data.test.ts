import { describe, expect, it } from 'vitest';
import type { TrendItem } from '../../../api/insights.ts';
import { newQuestion, newSeries, type Question } from '../question.ts';
import { meaningfulSums, trendData, unitOf } from './trend-data.ts';

const NOW = '2026-11-16 10:12';
const question: Question = { ...newQuestion(), series: [newSeries('$pageview')] };

const item = (more: Partial<TrendItem>): TrendItem => ({
  label: '$pageview',
  count: 0,
  data: [1, 2],
  labels: [],
  days: ['2026-11-15', '2026-11-16'],
  action: { name: '$pageview', order: 0 },
  ...more,
});
const colours = (names: readonly string[]): number[] => names.map((_, index) => index + 3);

describe('a trend as a chart', () => {
  it('has the weekday of every tick, and marks the day that is not over', () => {
    const { ticks, unfinished, series } = trendData([item({})], question, NOW, colours);
    expect(ticks.at(-1)).toEqual({ label: 'Nov 16', title: 'Mon, Nov 16, 2026' });
    expect(unfinished).toBe(1);
    expect(series).toEqual([{ name: 'Pageview', colour: 0, values: [1, 2] }]);
  });

  it('joins each series with its previous period, whatever their order', () => {
    const before = { compare_label: 'previous', days: ['2026-11-13', '2026-11-14'], data: [5, 6] };
    const items = [
      item({ label: '$pageview - Chrome', breakdown_value: 'Chrome', compare_label: 'current' }),
      item({ label: '$pageview - ', breakdown_value: '', ...before }),
      item({ label: '$pageview - Chrome', breakdown_value: 'Chrome', ...before, data: [7, 8] }),
    ];
    const { series, keyOf } = trendData(items, { ...question, compare: true }, NOW, colours);
    const titles = ['Fri, Nov 13, 2026', 'Sat, Nov 14, 2026'];
    expect(series).toEqual([
      { name: 'Chrome', colour: 3, values: [1, 2], previous: { values: [7, 8], titles } },
      { name: 'None', colour: 4, values: [null, null], previous: { values: [5, 6], titles } },
    ]);
    expect(keyOf({ series: 0, tick: 1, isPrevious: false })).toBe('0.1');
    expect(keyOf({ series: 0, tick: 1, isPrevious: true })).toBe('2.1');
  });

  it('names series by event and value where there are several events', () => {
    const items = [
      item({ label: '$pageview - Chrome', breakdown_value: 'Chrome' }),
      item({ label: 'order - Chrome', breakdown_value: 'Chrome', action: { name: 'order', order: 1 } }),
    ];
    const { series } = trendData(items, question, NOW, colours);
    expect(series.map(({ name }) => name)).toEqual(['Pageview - Chrome', 'order - Chrome']);
  });

  it('tells series of the same event apart by what they count, or by their letter', () => {
    const of = (order: number, action: object, more: Partial<TrendItem> = {}): TrendItem =>
      item({ action: { name: '$pageview', order, ...action }, ...more });
    const names = (items: TrendItem[]) => trendData(items, question, NOW, colours).series.map(({ name }) => name);
    expect(names([of(0, { math: 'total' }), of(1, { math: 'dau' })])).toEqual([
      'Pageview · total count',
      'Pageview · unique users',
    ]);
    expect(
      names([of(0, { math: 'sum', math_property: 'price' }), of(1, { math: 'sum', math_property: 'tax' })]),
    ).toEqual(['Pageview · property value sum of price', 'Pageview · property value sum of tax']);
    expect(names([of(0, { math: 'dau' }), of(1, { math: 'dau' })])).toEqual([
      'Pageview · unique users · A',
      'Pageview · unique users · B',
    ]);
  });

  it('gives the statuses of a lifecycle their order and colours', () => {
    const items = ['new', 'dormant', 'returning', 'resurrecting'].map((status) => item({ status, label: status }));
    const { series } = trendData(items, { ...question, kind: 'lifecycle' }, NOW, colours);
    expect(series.map(({ name, colour }) => [name, colour])).toEqual([
      ['Returning', 0],
      ['Resurrecting', 5],
      ['New', 7],
      ['Dormant', 11],
    ]);
  });

  it('says what it counts, and adds up only what can be added', () => {
    const of = (math: string, more: Partial<Question> = {}): Question => ({
      ...question,
      series: [{ ...newSeries('a'), math }],
      ...more,
    });
    expect([unitOf(of('total')), unitOf(of('dau')), unitOf({ ...question, kind: 'stickiness' })]).toEqual([
      'Total count',
      'Unique users',
      'Users',
    ]);
    expect(meaningfulSums(of('total'))).toEqual(['total', 'average', 'change']);
    expect(meaningfulSums(of('dau'))).toEqual(['average', 'change']);
    expect(meaningfulSums(of('total', { display: 'cumulative' }))).toEqual(['change']);
    expect(meaningfulSums(of('total', { formula: 'A * 2' }))).toEqual(['average', 'change']);
  });
});
