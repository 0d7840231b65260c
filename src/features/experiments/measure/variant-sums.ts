/** The values of everybody, added up by variant: sums are all that the statistics need. */
import type { ArmSums, RatioPast } from '../../../core/experiments/arm.ts';
import {
  exposureValue,
  exposureVariant,
  isBinary,
  type MetricData,
  type MetricQuestion,
} from '../rules/experiment-question.ts';
import type { MetricValues } from './actor-values.ts';
import { KeptValues } from './kept-values.ts';
import { measuredIn } from './metric-plan.ts';
import { addPair, type CodedActors, ColumnSums, groupByCode, SumsByCode } from './sums-by-code.ts';

/** Sums over the entities of one variant. */
interface Totals {
  n: number;
  sum(column: number): number;
  /** The sum of the products of two columns, the first one first. */
  product(one: number, other: number): number;
}

/** Column by column: many times as fast as actor by actor. */
export class VariantSums {
  readonly #metric: MetricQuestion;
  readonly #kept: KeptValues | null;
  readonly #n = new SumsByCode();
  readonly #columns: ColumnSums[] = [];
  /** Those of the first column with each later one, then those of the second, and so on. */
  readonly #products: SumsByCode[][] = [];
  /** How many did each step. */
  readonly #steps: readonly SumsByCode[];
  /** Of the values before they were moved to a bound. */
  readonly #uncapped = new SumsByCode();
  /** Events without a number that counts. */
  readonly #ignored = new SumsByCode();

  constructor(metric: MetricQuestion) {
    this.#metric = metric;
    this.#kept = metric.winsor ? new KeptValues() : null;
    this.#steps = metric.kind === 'funnel' ? metric.steps.map(() => new SumsByCode()) : [];
  }

  /** Only those who were first exposed before this count; null: all. */
  get exposedBefore(): number | null {
    return this.#metric.exposedBefore;
  }

  /** Of those who were exposed before the time that the metric names. */
  add(codes: CodedActors, { columns, depths, ignored }: MetricValues): void {
    for (const own of ignored) this.#ignored.add(codes, own);
    if (this.#kept === null) this.#addValues(codes, columns);
    else this.#kept.add(codes.codes, columns);
    if (depths !== null) for (const [step, sums] of this.#steps.entries()) sums.countAbove(codes, depths, step);
  }

  #addValues(codes: CodedActors, columns: readonly Float64Array[]): void {
    this.#n.count(codes);
    for (let place = 0; place < columns.length; place += 2) {
      const [one, other, ...later] = columns.slice(place) as [Float64Array, ...Float64Array[]];
      if (other === undefined) this.#column(place).add(codes, one);
      else addPair(codes, this.#pair(place), one, other);
      for (const [at, column] of later.entries()) {
        this.#product(place, place + 2 + at).addProducts(codes, one, column);
        if (other !== undefined) this.#product(place + 1, place + 2 + at).addProducts(codes, other, column);
      }
    }
  }

  #pair(place: number) {
    const [one, other] = [this.#column(place), this.#column(place + 1)];
    return { one, other, products: this.#product(place, place + 1) };
  }

  #column(place: number): ColumnSums {
    const sums = this.#columns[place] ?? new ColumnSums();
    this.#columns[place] = sums;
    return sums;
  }

  #product(one: number, other: number): SumsByCode {
    const products = this.#products[one] ?? [];
    this.#products[one] = products;
    const sums = products[other] ?? new SumsByCode();
    products[other] = sums;
    return sums;
  }

  #addKept(): void {
    const { winsor } = this.#metric;
    if (this.#kept === null || !winsor) return;
    const { columns, uncapped, ...kept } = this.#kept.within(winsor);
    const codes = groupByCode(kept.codes);
    this.#addValues(codes, columns);
    this.#uncapped.add(codes, uncapped);
  }

  #totals(code: number): Totals {
    return {
      n: this.#n.of(code),
      sum: (column) => this.#columns[column]?.sum.of(code) ?? 0,
      product: (one, other) =>
        (one === other ? this.#columns[one]?.squares : this.#products[one]?.[other])?.of(code) ?? 0,
    };
  }

  /** In the order of the names of variants; asked once. */
  data(variants: readonly string[]): MetricData[] {
    this.#addKept();
    const hasPast = measuresPast(this.#metric);
    const found = this.#n.codes().map((code) => ({
      variant: variants[exposureVariant(code)] ?? '',
      part: exposureValue(code),
      data: {
        sums: armSums(this.#totals(code), this.#metric, hasPast),
        nonZero: this.#columns[0]?.nonZero.of(code) ?? 0,
        isBinary: isBinary(this.#metric),
      },
      stepCounts: this.#metric.kind === 'funnel' ? this.#steps.map((sums) => sums.of(code)) : null,
      withPast: hasPast ? (this.#columns[1]?.nonZero.of(code) ?? 0) : 0,
      uncappedSum: this.#kept === null ? null : this.#uncapped.of(code),
      ignoredValues: readsNumbers(this.#metric) ? this.#ignored.of(code) : null,
    }));
    return found.sort((a, b) => a.part - b.part || (a.variant < b.variant ? -1 : 1));
  }
}

const readsNumbers = (metric: MetricQuestion): boolean =>
  measuredIn(metric).some(({ measure }) => measure.kind !== 'count' && measure.kind !== 'unique');

/** Who came back has no past: nobody could before. */
const measuresPast = ({ kind, lookbackMs }: MetricQuestion): boolean => lookbackMs !== null && kind !== 'retention';

function armSums({ n, sum, product }: Totals, metric: MetricQuestion, hasPast: boolean): ArmSums {
  const { kind } = metric;
  // Conversions with a past are compared like any other mean.
  if (isBinary(metric) && !hasPast) return { kind: 'proportion', n, conversions: sum(0) };
  const own = { n, sum: sum(0), sumSquares: product(0, 0) };
  if (kind === 'mean' || kind === 'funnel') {
    const past = { sum: sum(1), sumSquares: product(1, 1), product: product(0, 1) };
    return { kind: 'mean', ...own, past: hasPast ? past : undefined };
  }
  const below = hasPast ? 2 : 1;
  return {
    kind: 'ratio',
    ...own,
    denominatorSum: sum(below),
    denominatorSumSquares: product(below, below),
    product: product(0, below),
    past: hasPast ? ratioPast(sum, product) : undefined,
  };
}

/** Columns are in the order value, past, denominator, past of the denominator. */
const ratioPast = (sum: (at: number) => number, product: (one: number, other: number) => number): RatioPast => ({
  sum: sum(1),
  sumSquares: product(1, 1),
  denominatorSum: sum(3),
  denominatorSumSquares: product(3, 3),
  product: product(1, 3),
  numeratorPastNumerator: product(0, 1),
  numeratorPastDenominator: product(0, 3),
  denominatorPastNumerator: product(1, 2),
  denominatorPastDenominator: product(2, 3),
});
