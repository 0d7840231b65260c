/** The values of everybody, added up by variant: sums are all that the statistics need. */
import type { ArmSums, RatioPast } from '../../../core/experiments/arm.ts';
import {
  exposureValue,
  exposureVariant,
  isBinary,
  type MetricData,
  type MetricQuestion,
} from '../rules/experiment-question.ts';
import type { ActorExposures } from './actor-exposures.ts';
import type { MetricValues } from './actor-values.ts';
import { KeptValues } from './kept-values.ts';
import { measuredIn } from './metric-plan.ts';

/** Sums over the entities of one variant. */
interface Totals {
  n: number;
  sums: Float64Array;
  /** The sums of products: those of the first column with each, then those of the second, and so on. */
  products: Float64Array;
  nonZero: Float64Array;
  /** How many did each step. */
  steps: number[];
  /** Of the values before they were moved to a bound. */
  uncapped: number;
}

export class VariantSums {
  readonly #metric: MetricQuestion;
  /** By the code of the exposure. */
  readonly #totals = new Map<number, Totals>();
  readonly #kept: KeptValues | null;
  /** Code → events without a number that counts. */
  readonly #ignored = new Map<number, number>();

  constructor(metric: MetricQuestion) {
    this.#metric = metric;
    this.#kept = metric.winsor ? new KeptValues() : null;
  }

  add({ actors, since, code }: ActorExposures, { columns, depths, ignored }: MetricValues): void {
    const before = this.#metric.exposedBefore ?? Number.POSITIVE_INFINITY;
    // Faster than the map, and there are millions.
    const byCode: (Totals | undefined)[] = [];
    for (let actor = 0; actor < actors; actor++) {
      // Those who do not count have NaN.
      if (!((since[actor] as number) < before)) continue;
      for (const own of ignored) if (own[actor] !== 0) this.#addIgnored(code[actor] as number, own[actor] as number);
      if (this.#kept !== null) {
        this.#kept.add(code[actor] as number, columns, actor);
        continue;
      }
      const own = code[actor] as number;
      const totals = byCode[own] ?? this.#totalsOf(own, columns.length);
      byCode[own] = totals;
      addValues(totals, columns, actor);
      for (let step = 0; step < (depths?.[actor] ?? 0); step++) (totals.steps[step] as number)++;
    }
  }

  #addIgnored(code: number, count: number): void {
    this.#ignored.set(code, (this.#ignored.get(code) ?? 0) + count);
  }

  #totalsOf(code: number, columns: number): Totals {
    const known = this.#totals.get(code);
    if (known !== undefined) return known;
    const { kind } = this.#metric;
    const totals = {
      n: 0,
      sums: new Float64Array(columns),
      products: new Float64Array(columns * columns),
      nonZero: new Float64Array(columns),
      steps: new Array<number>(kind === 'funnel' ? this.#metric.steps.length : 0).fill(0),
      uncapped: 0,
    };
    this.#totals.set(code, totals);
    return totals;
  }

  #addKept(): void {
    const { winsor } = this.#metric;
    if (this.#kept === null || !winsor) return;
    const { codes, columns, uncapped } = this.#kept.within(winsor);
    for (const [at, code] of codes.entries()) {
      const totals = this.#totalsOf(code, columns.length);
      addValues(totals, columns, at);
      totals.uncapped += uncapped[at] as number;
    }
  }

  /** In the order of the names of variants; asked once. */
  data(variants: readonly string[]): MetricData[] {
    this.#addKept();
    const { kind } = this.#metric;
    const hasPast = measuresPast(this.#metric);
    return Array.from(this.#totals, ([code, totals]) => ({
      variant: variants[exposureVariant(code)] ?? '',
      part: exposureValue(code),
      data: {
        sums: armSums(totals, this.#metric, hasPast),
        nonZero: totals.nonZero[0] ?? 0,
        isBinary: isBinary(this.#metric),
      },
      stepCounts: kind === 'funnel' ? totals.steps : null,
      withPast: hasPast ? (totals.nonZero[1] ?? 0) : 0,
      uncappedSum: this.#kept === null ? null : totals.uncapped,
      ignoredValues: readsNumbers(this.#metric) ? (this.#ignored.get(code) ?? 0) : null,
    })).sort((a, b) => a.part - b.part || (a.variant < b.variant ? -1 : 1));
  }
}

const readsNumbers = (metric: MetricQuestion): boolean =>
  measuredIn(metric).some(({ measure }) => measure.kind !== 'count' && measure.kind !== 'unique');

/** Who came back has no past: nobody could before. */
const measuresPast = ({ kind, lookbackMs }: MetricQuestion): boolean => lookbackMs !== null && kind !== 'retention';

function addValues(totals: Totals, columns: readonly Float64Array[], actor: number): void {
  const { sums, products, nonZero } = totals;
  const count = columns.length;
  totals.n++;
  for (let one = 0; one < count; one++) {
    const value = (columns[one] as Float64Array)[actor] as number;
    if (value === 0) continue;
    (sums[one] as number) += value;
    (nonZero[one] as number)++;
    for (let other = one; other < count; other++)
      (products[one * count + other] as number) += value * ((columns[other] as Float64Array)[actor] as number);
  }
}

function armSums({ n, sums, products }: Totals, metric: MetricQuestion, hasPast: boolean): ArmSums {
  const { kind } = metric;
  const sum = (column: number): number => sums[column] ?? 0;
  const product = (one: number, other: number): number => products[one * sums.length + other] ?? 0;
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
