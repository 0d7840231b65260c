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

/** Sums over the entities of one variant. */
interface Totals {
  n: number;
  sums: number[];
  /** Column by column: the sum of their products. */
  products: number[][];
  nonZero: number[];
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

  constructor(metric: MetricQuestion) {
    this.#metric = metric;
    this.#kept = metric.winsor ? new KeptValues() : null;
  }

  add({ actors, since, code }: ActorExposures, { columns, depths }: MetricValues): void {
    const before = this.#metric.exposedBefore ?? Number.POSITIVE_INFINITY;
    for (let actor = 0; actor < actors; actor++) {
      // Those who do not count have NaN.
      if (!((since[actor] as number) < before)) continue;
      if (this.#kept !== null) {
        this.#kept.add(code[actor] as number, columns, actor);
        continue;
      }
      const totals = this.#totalsOf(code[actor] as number, columns.length);
      addValues(totals, columns, actor);
      for (let step = 0; step < (depths?.[actor] ?? 0); step++) (totals.steps[step] as number)++;
    }
  }

  #totalsOf(code: number, columns: number): Totals {
    const known = this.#totals.get(code);
    if (known !== undefined) return known;
    const zeros = (count: number): number[] => new Array<number>(count).fill(0);
    const { kind } = this.#metric;
    const totals = {
      n: 0,
      sums: zeros(columns),
      products: Array.from({ length: columns }, () => zeros(columns)),
      nonZero: zeros(columns),
      steps: zeros(kind === 'funnel' ? this.#metric.steps.length : 0),
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
    })).sort((a, b) => a.part - b.part || (a.variant < b.variant ? -1 : 1));
  }
}

/** Who came back has no past: nobody could before. */
const measuresPast = ({ kind, lookbackMs }: MetricQuestion): boolean => lookbackMs !== null && kind !== 'retention';

function addValues(totals: Totals, columns: readonly Float64Array[], actor: number): void {
  const { sums, products, nonZero } = totals;
  totals.n++;
  for (let one = 0; one < columns.length; one++) {
    const value = columns[one]?.[actor] as number;
    if (value === 0) continue;
    (sums[one] as number) += value;
    (nonZero[one] as number)++;
    const row = products[one] as number[];
    for (let other = one; other < columns.length; other++)
      (row[other] as number) += value * (columns[other]?.[actor] as number);
  }
}

function armSums({ n, sums, products }: Totals, metric: MetricQuestion, hasPast: boolean): ArmSums {
  const { kind } = metric;
  const sum = (column: number): number => sums[column] ?? 0;
  const product = (one: number, other: number): number => products[one]?.[other] ?? 0;
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
