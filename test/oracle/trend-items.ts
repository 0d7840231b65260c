/** From the numbers of series to the items of a trend: formula, smoothing, running totals, labels, order. */

import type { Range } from '../../src/core/time/range.ts';
import type { BreakdownValue, SeriesNumbers, TrendItem } from '../../src/features/insights/rules/answers.ts';
import type { TrendsQuestion } from '../../src/features/insights/rules/question.ts';
import type { FormulaNode } from '../../src/features/insights/trends/rules/formula.ts';
import { isNumeric } from './break-down.ts';
import { distinct } from './measure.ts';
import { average, hundredths, total } from './statistics.ts';
import { nameOfSlot, slotsOf } from './time.ts';

type Numbers = readonly (readonly SeriesNumbers[])[];

export function trendItems(question: TrendsQuestion, current: Numbers, previous: Numbers | null): TrendItem[] {
  const [now, before] = [
    new Period(question, question.range, previous === null ? null : 'current'),
    question.previous && new Period(question, question.previous, 'previous'),
  ];
  if (question.formula !== null) return [...now.ofFormula(current), ...(before?.ofFormula(previous ?? []) ?? [])];
  return question.series.flatMap(({ entity }, series) => {
    if (entity.kind === 'action' && !entity.isKnown) return [];
    return [
      ...now.ofSeries(series, current[series] ?? []),
      ...(before?.ofSeries(series, previous?.[series] ?? []) ?? []),
    ];
  });
}

class Period {
  private readonly question: TrendsQuestion;
  private readonly range: Range;
  private readonly period: TrendItem['period'];

  constructor(question: TrendsQuestion, range: Range, period: TrendItem['period']) {
    this.question = question;
    this.range = range;
    this.period = period;
  }

  ofSeries(series: number, numbers: readonly SeriesNumbers[]): TrendItem[] {
    const { series: all, smoothing } = this.question;
    const name = all[series]?.entity.name ?? '';
    return this.sorted(
      numbers.map(({ value, points, total: sum }) => {
        const label = value === null ? name : `${name} - ${value.label}`;
        return this.item(label, series, value, rolling(points, smoothing), sum);
      }),
    );
  }

  /** One item for each value that any series has, or one at all without a breakdown. */
  ofFormula(numbers: Numbers): TrendItem[] {
    const { formula, breakdown, smoothing } = this.question;
    if (formula === null) return [];
    const all = numbers.flat().map(({ value }) => value);
    const keys = breakdown === null ? [null] : distinct(all.map((value) => value?.value));
    const slots = this.slots();
    const items = keys.map((key) => {
      const own = numbers.map((series) => series.find(({ value }) => (value?.value ?? null) === key));
      const points = slots.map((_, at) => {
        const result = evaluate(
          formula.tree,
          own.map((one) => rolling(one?.points ?? [], smoothing)[at] ?? 0),
        );
        return Number.isFinite(result) ? hundredths(result) : 0;
      });
      const sum = evaluate(
        formula.tree,
        own.map((one) => one?.total ?? 0),
      );
      const value = all.find((one) => one?.value === key) ?? null;
      return this.item(this.formulaLabel(value), null, value, points, Number.isFinite(sum) ? sum : null);
    });
    return this.sorted(items);
  }

  private formulaLabel(value: BreakdownValue | null): string {
    const { formula, breakdown } = this.question;
    if (value === null) return `Formula (${formula?.text})`;
    return breakdown?.kind === 'cohort' ? value.label : `${value.value}`;
  }

  private slots = () => slotsOf(this.range, this.question.interval, this.question.timezone);

  private item(
    label: string,
    series: number | null,
    value: BreakdownValue | null,
    points: readonly number[],
    sum: number | null,
  ): TrendItem {
    const { display, interval, timezone } = this.question;
    const { range, period } = this;
    const names = this.slots().map(({ start }) => nameOfSlot(start, interval, timezone));
    const isTotal = display === 'total';
    const labels = names.map((name, at) => (period === null ? name.label : `${interval} ${at}`));
    return {
      label,
      series,
      value,
      range,
      period,
      days: names.map(({ day }) => day),
      labels: isTotal ? [] : labels,
      count: isTotal ? 0 : total(points),
      data: isTotal ? [] : display === 'cumulative' ? points.map((_, at) => total(points.slice(0, at + 1))) : points,
      aggregated: isTotal ? sum : null,
    };
  }

  /** The largest first, but bins and numbers of sessions in their own order, and all users before any cohort. */
  private sorted(items: readonly TrendItem[]): TrendItem[] {
    const { breakdown, display } = this.question;
    if (breakdown === null || (breakdown.kind === 'property' && (breakdown.bins !== null || isNumeric(breakdown))))
      return [...items];
    const size = (item: TrendItem): number => (display === 'total' ? (item.aggregated ?? 0) : item.count);
    const isAll = ({ value }: TrendItem): boolean => breakdown.kind === 'cohort' && value?.value === 'all';
    return items.toSorted((a, b) => {
      if (isAll(a) !== isAll(b)) return isAll(a) ? -1 : 1;
      return size(b) - size(a) || (a.label < b.label ? -1 : a.label > b.label ? 1 : 0);
    });
  }
}

/** The mean of the last `size` points, rounded down. */
const rolling = (points: readonly number[], size: number): number[] =>
  points.map((point, at) =>
    size <= 1 ? point : Math.floor(average(points.slice(Math.max(0, at + 1 - size), at + 1)) ?? 0),
  );

function evaluate(node: FormulaNode, values: readonly number[]): number {
  if (node.kind === 'number') return node.value;
  if (node.kind === 'series') return values[node.index] ?? 0;
  if (node.kind === 'negative') return -evaluate(node.of, values);
  const [left, right] = [evaluate(node.left, values), evaluate(node.right, values)];
  const results = { '+': left + right, '-': left - right, '*': left * right, '/': left / right, '^': left ** right };
  return results[node.operator];
}
