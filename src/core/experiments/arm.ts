/**
 * One variant of an experiment, as numbers. A query gives the sums over its entities (persons or groups); an `Arm` is
 * what every test needs of them: the mean of a metric, the variance of one entity's value, and the same of the time
 * before the exposure where it is used to reduce the variance (CUPED).
 */

interface MeanSums {
  kind: 'mean';
  n: number;
  sum: number;
  sumSquares: number;
  /** Of the same metric before the exposure. */
  past?: { sum: number; sumSquares: number; product: number } | undefined;
}

export interface ProportionCounts {
  kind: 'proportion';
  n: number;
  conversions: number;
}

interface RatioSums {
  kind: 'ratio';
  n: number;
  sum: number;
  sumSquares: number;
  denominatorSum: number;
  denominatorSumSquares: number;
  /** Σ numerator · denominator. */
  product: number;
  past?: RatioPast | undefined;
}

/** The ratio before the exposure, and the products of then (`past…`) and now. */
export interface RatioPast {
  sum: number;
  sumSquares: number;
  denominatorSum: number;
  denominatorSumSquares: number;
  product: number;
  numeratorPastNumerator: number;
  numeratorPastDenominator: number;
  denominatorPastNumerator: number;
  denominatorPastDenominator: number;
}

export type ArmSums = MeanSums | ProportionCounts | RatioSums;

export interface Arm {
  kind: ArmSums['kind'];
  n: number;
  mean: number;
  /** Of the value of one entity. */
  variance: number;
  past: { mean: number; variance: number; covariance: number } | null;
}

/** Why there is no number, in PostHog's words where it has one. */
export type ValidationFailure =
  | 'invalid-statistic'
  | 'not-enough-exposures'
  | 'denominator-is-zero'
  | 'baseline-mean-is-zero'
  | 'zero-variance'
  | 'not-enough-metric-data';

/** Relative; beyond it a sum of squares contradicts its sum. */
const ROUNDING = 1e-9;

/** Why nothing can be calculated from these sums; null where something can. */
function failureOfSums(sums: ArmSums): ValidationFailure | null {
  if (!areValid(sums)) return 'invalid-statistic';
  if (sums.n < (sums.kind === 'proportion' ? 1 : 2)) return 'not-enough-exposures';
  return sums.kind === 'ratio' && sums.denominatorSum === 0 ? 'denominator-is-zero' : null;
}

function areValid(sums: ArmSums): boolean {
  if (sums.n < 0 || Object.values(sums).some((value) => typeof value === 'number' && !Number.isFinite(value)))
    return false;
  if (sums.kind === 'proportion') return sums.conversions >= 0 && sums.conversions <= sums.n;
  const { n, sum, sumSquares } = sums;
  const isConsistent = agree(n, sum, sumSquares);
  return sums.kind === 'mean'
    ? isConsistent
    : isConsistent && agree(n, sums.denominatorSum, sums.denominatorSumSquares);
}

const agree = (n: number, sum: number, sumSquares: number): boolean =>
  n === 0 ? sum === 0 && sumSquares === 0 : sumSquares - (sum * sum) / n >= -ROUNDING * Math.abs(sumSquares);

/** In the order of the rules: the first that applies to one of the two. */
const SUM_FAILURES: readonly ValidationFailure[] = ['invalid-statistic', 'not-enough-exposures', 'denominator-is-zero'];

/** Why two variants cannot be compared; null where they can. */
export function failureOfPair(control: ArmSums, treatment: ArmSums): ValidationFailure | null {
  const found = [failureOfSums(control), failureOfSums(treatment)];
  return SUM_FAILURES.find((failure) => found.includes(failure)) ?? null;
}

/** Sample covariance of two values from their sums. */
const covarianceOf = (n: number, product: number, sum: number, otherSum: number): number =>
  (product - (sum * otherSum) / n) / (n - 1);

/** The same for one value; rounding never makes it negative, nor something out of nothing. */
function varianceOf(n: number, sum: number, sumSquares: number): number {
  const variance = covarianceOf(n, sumSquares, sum, sum);
  return variance <= (1e-14 * sumSquares) / (n - 1) ? 0 : variance;
}

/** Of sums for which nothing fails. */
export function armOf(sums: ArmSums): Arm {
  switch (sums.kind) {
    case 'mean':
      return meanArm(sums);
    case 'proportion': {
      const rate = sums.conversions / sums.n;
      return { kind: 'proportion', n: sums.n, mean: rate, variance: rate * (1 - rate), past: null };
    }
    case 'ratio':
      return ratioArm(sums);
  }
}

function meanArm({ n, sum, sumSquares, past }: MeanSums): Arm {
  return {
    kind: 'mean',
    n,
    mean: sum / n,
    variance: varianceOf(n, sum, sumSquares),
    past:
      past === undefined
        ? null
        : {
            mean: past.sum / n,
            variance: varianceOf(n, past.sum, past.sumSquares),
            covariance: covarianceOf(n, past.product, sum, past.sum),
          },
  };
}

/** By the delta method: the ratio behaves like the mean of (m − R·d) / d̄ over the entities. */
function ratioArm(sums: RatioSums): Arm {
  const { n, sum, denominatorSum, past } = sums;
  const [ratio, weight] = [sum / denominatorSum, n / denominatorSum];
  return {
    kind: 'ratio',
    n,
    mean: ratio,
    variance: ratioVariance(n, sums),
    past: past === undefined || past.denominatorSum === 0 ? null : ratioPast(sums, past, ratio, weight),
  };
}

function ratioVariance(n: number, sums: Omit<RatioSums, 'kind' | 'n' | 'past'>): number {
  const { sum, sumSquares, denominatorSum, denominatorSumSquares, product } = sums;
  const ratio = sum / denominatorSum;
  const variance =
    varianceOf(n, sum, sumSquares) -
    2 * ratio * covarianceOf(n, product, sum, denominatorSum) +
    ratio * ratio * varianceOf(n, denominatorSum, denominatorSumSquares);
  const rounding = (1e-14 * (sumSquares + ratio * ratio * denominatorSumSquares)) / (n - 1);
  return variance <= rounding ? 0 : variance * (n / denominatorSum) ** 2;
}

function ratioPast(sums: RatioSums, past: RatioPast, ratio: number, weight: number): Arm['past'] {
  const { n, sum, denominatorSum } = sums;
  const pastRatio = past.sum / past.denominatorSum;
  const covariance =
    covarianceOf(n, past.numeratorPastNumerator, sum, past.sum) -
    pastRatio * covarianceOf(n, past.numeratorPastDenominator, sum, past.denominatorSum) -
    ratio * covarianceOf(n, past.denominatorPastNumerator, denominatorSum, past.sum) +
    ratio * pastRatio * covarianceOf(n, past.denominatorPastDenominator, denominatorSum, past.denominatorSum);
  return {
    mean: pastRatio,
    variance: ratioVariance(n, past),
    covariance: covariance * weight * (n / past.denominatorSum),
  };
}

/** How far the values of two variants follow those of the time before; 0 where there is no past to follow. */
export function pastWeight(control: ArmSums, treatment: ArmSums): number {
  if (control.kind === 'mean' && treatment.kind === 'mean') return meanPastWeight(control, treatment);
  if (control.kind !== 'ratio' || treatment.kind !== 'ratio') return 0;
  const [one, two] = [armOf(control).past, armOf(treatment).past];
  if (one === null || two === null || one.variance + two.variance === 0) return 0;
  return (one.covariance + two.covariance) / (one.variance + two.variance);
}

/** Over the entities of both variants put together. */
function meanPastWeight(control: MeanSums, treatment: MeanSums): number {
  if (control.past === undefined || treatment.past === undefined) return 0;
  const n = control.n + treatment.n;
  const sum = control.past.sum + treatment.past.sum;
  const variance = varianceOf(n, sum, control.past.sumSquares + treatment.past.sumSquares);
  const product = control.past.product + treatment.past.product;
  return variance === 0 ? 0 : covarianceOf(n, product, control.sum + treatment.sum, sum) / variance;
}
