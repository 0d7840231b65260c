import { isBySessionNumber } from '../../../../core/actions/breakdown.ts';
import type { Range } from '../../../../core/time/range.ts';
import { tickNames, ticksOf } from '../../../../core/time/ticks.ts';
import type { BreakdownValue, SeriesNumbers, TrendItem } from '../../rules/answers.ts';
import type { TrendsQuestion } from '../../rules/question.ts';
import { compareText, runningSum, smooth, sum } from '../../rules/statistics.ts';
import { formulaPoints, formulaTotal } from './formula.ts';

/** The numbers of each series, for each value of the breakdown. */
export type PeriodNumbers = readonly (readonly SeriesNumbers[])[];

/** Makes the answer from the numbers: formula, smoothing, running sums, labels, order. */
export function assembleTrends(
  question: TrendsQuestion,
  current: PeriodNumbers,
  previous: PeriodNumbers | null,
): TrendItem[] {
  const now = new PeriodAssembler(question, question.range, previous === null ? null : 'current');
  const before =
    question.previous === null || previous === null
      ? null
      : new PeriodAssembler(question, question.previous, 'previous');
  if (question.formula !== null) {
    return [...now.formulaItems(current), ...(before?.formulaItems(previous ?? []) ?? [])];
  }
  return question.series.flatMap((series, index) => {
    // Unknown actions are left out.
    if (series.entity.kind === 'action' && !series.entity.isKnown) return [];
    return [
      ...now.seriesItems(index, current[index] ?? []),
      ...(before?.seriesItems(index, previous?.[index] ?? []) ?? []),
    ];
  });
}

class PeriodAssembler {
  private readonly question: TrendsQuestion;
  private readonly axis: Pick<TrendItem, 'labels' | 'days' | 'range' | 'period'>;

  constructor(question: TrendsQuestion, range: Range, period: TrendItem['period']) {
    this.question = question;
    const { interval, timezone, display } = question;
    const ticks = ticksOf(range, interval, timezone);
    const names = tickNames(
      ticks.map(({ start }) => start),
      interval,
      timezone,
    );
    const labels = names.map(({ label }, at) => (period === null ? label : `${interval} ${at}`));
    const days = names.map(({ day }) => day);
    this.axis = { labels: display === 'total' ? [] : labels, days, range, period };
  }

  seriesItems(index: number, numbers: readonly SeriesNumbers[]): TrendItem[] {
    const name = this.question.series[index]?.entity.name ?? '';
    const items = numbers.map(({ value, points, total }) => {
      const label = value === null ? name : `${name} - ${value.label}`;
      return this.item(label, index, value, smooth(points, this.question.smoothing), total);
    });
    return this.sorted(items);
  }

  /** One item for each value that any series has; a series without it counts 0. */
  formulaItems(numbers: PeriodNumbers): TrendItem[] {
    const { formula, breakdown } = this.question;
    if (formula === null) return [];
    const values = new Map(numbers.flat().map(({ value }) => [value?.value ?? null, value]));
    if (breakdown === null) values.set(null, null);
    const items = [...values.values()].map((value) => {
      const parts = numbers.map((series) =>
        series.find((one) => (one.value?.value ?? null) === (value?.value ?? null)),
      );
      const points = formulaPoints(
        formula.tree,
        parts.map((part) => smooth(part?.points ?? [], this.question.smoothing)),
      );
      const total = formulaTotal(
        formula.tree,
        parts.map((part) => part?.total ?? 0),
      );
      return this.item(this.formulaLabel(value), null, value, this.padded(points), total);
    });
    return this.sorted(items);
  }

  private formulaLabel(value: BreakdownValue | null): string {
    if (value === null) return `Formula (${this.question.formula?.text})`;
    return this.question.breakdown?.kind === 'cohort' ? value.label : String(value.value);
  }

  private padded = (points: readonly number[]): number[] => this.axis.labels.map((_, at) => points[at] ?? 0);

  private item(
    label: string,
    series: number | null,
    value: BreakdownValue | null,
    points: number[],
    total: number | null,
  ): TrendItem {
    const { display } = this.question;
    const named = { label, series, value, ...this.axis };
    if (display === 'total') return { ...named, count: 0, data: [], aggregated: total };
    const data = display === 'cumulative' ? runningSum(points) : points;
    return { ...named, count: sum(points), data, aggregated: null };
  }

  /** The largest first, but bins and numbers of sessions in their own order, and all users before any cohort. */
  private sorted(items: TrendItem[]): TrendItem[] {
    const { breakdown, display } = this.question;
    if (breakdown === null) return items;
    if (breakdown.kind === 'property' && (breakdown.bins !== null || isBySessionNumber(breakdown))) return items;
    const size = (item: TrendItem): number => (display === 'total' ? (item.aggregated ?? 0) : item.count);
    const isAll = (item: TrendItem): number => (breakdown.kind === 'cohort' && item.value?.value === 'all' ? 0 : 1);
    return items.toSorted((a, b) => isAll(a) - isAll(b) || size(b) - size(a) || compareText(a.label, b.label));
  }
}
