/** Kinds of metrics as they occur, to draw variants of an experiment from. */
import type { VariantData } from '../../src/core/experiments/analyse.ts';
import type { ArmSums } from '../../src/core/experiments/arm.ts';
import type { Random } from './random.ts';

export interface SimulatedMetric {
  name: string;
  mean: number;
  /** Of one entity's value; for ratios the linearised one. */
  variance: number;
  /** More people do it where there is an effect. */
  growsByPeople: boolean;
  /** `lift` of 0.1 raises the mean by ten percent: all values by the same amount, or the number of buyers. */
  draw(random: Random, n: number, lift: number): VariantData;
}

const conversion = (name: string, rate: number): SimulatedMetric => ({
  name,
  mean: rate,
  variance: rate * (1 - rate),
  growsByPeople: true,
  draw(random, n, lift) {
    const conversions = random.binomial(n, rate * (1 + lift));
    return { sums: { kind: 'proportion', n, conversions }, nonZero: conversions, isBinary: true };
  },
});

const normal: SimulatedMetric = {
  name: 'normal values',
  mean: 10,
  variance: 9,
  growsByPeople: false,
  draw(random, n, lift) {
    let [sum, sumSquares] = [0, 0];
    for (let at = 0; at < n; at++) {
      const value = 10 * (1 + lift) + 3 * random.normal();
      sum += value;
      sumSquares += value * value;
    }
    return { sums: { kind: 'mean', n, sum, sumSquares }, nonZero: n, isBinary: false };
  },
};

const BUYERS = 0.12;
const SIGMA = 1.1;

/** Few buy, and a few of these buy a lot. */
const revenue: SimulatedMetric = {
  name: 'revenue',
  mean: BUYERS * Math.exp(SIGMA ** 2 / 2),
  variance: BUYERS * Math.exp(2 * SIGMA ** 2) - (BUYERS * Math.exp(SIGMA ** 2 / 2)) ** 2,
  growsByPeople: true,
  draw(random, n, lift) {
    const buyers = random.binomial(n, BUYERS * (1 + lift));
    let [sum, sumSquares] = [0, 0];
    for (let at = 0; at < buyers; at++) {
      const value = Math.exp(SIGMA * random.normal());
      sum += value;
      sumSquares += value * value;
    }
    return { sums: { kind: 'mean', n, sum, sumSquares }, nonZero: buyers, isBinary: false };
  },
};

/** Purchases by sessions: up to five sessions, and visitors of two kinds. Its mean is 0.3. */
const ratio: SimulatedMetric = {
  name: 'ratio',
  mean: 0.3,
  // (Var(m) − 2R·Cov(m, d) + R²·Var(d)) / d̄² with d̄ = 3: (E[d]·0.2 + E[d²]·0.01) / 9.
  variance: (3 * 0.2 + 11 * 0.01) / 9,
  growsByPeople: false,
  draw(random, n, lift) {
    let [sum, sumSquares, denominatorSum, denominatorSumSquares, product, nonZero] = [0, 0, 0, 0, 0, 0];
    for (let at = 0; at < n; at++) {
      const sessions = 1 + (random.bits() % 5);
      const rate = (random.bits() % 2 === 0 ? 0.2 : 0.4) * (1 + lift);
      let purchases = 0;
      for (let session = 0; session < sessions; session++) if (random.uniform() < rate) purchases += 1;
      sum += purchases;
      sumSquares += purchases * purchases;
      denominatorSum += sessions;
      denominatorSumSquares += sessions * sessions;
      product += purchases * sessions;
      if (purchases > 0) nonZero += 1;
    }
    const sums: ArmSums = { kind: 'ratio', n, sum, sumSquares, denominatorSum, denominatorSumSquares, product };
    return { sums, nonZero, isBinary: false };
  },
};

export const METRICS: readonly SimulatedMetric[] = [
  normal,
  revenue,
  conversion('2 % conversion', 0.02),
  conversion('0.4 % conversion', 0.004),
  ratio,
];

/** The same values with a past that explains part of them (CUPED). */
export const METRICS_WITH_PAST: readonly SimulatedMetric[] = [
  withPast('normal values, CUPED', 10, 9, (random) => 10 + 3 * random.normal(), 2),
  withPast('revenue, CUPED', revenue.mean, revenue.variance, drawRevenue, 1),
];

function drawRevenue(random: Random): number {
  return random.uniform() < BUYERS ? Math.exp(SIGMA * random.normal()) : 0;
}

function withPast(
  name: string,
  mean: number,
  variance: number,
  drawValue: (random: Random) => number,
  noise: number,
): SimulatedMetric {
  return {
    name,
    mean,
    variance,
    growsByPeople: false,
    draw(random, n, lift) {
      const past = { sum: 0, sumSquares: 0, product: 0 };
      let [sum, sumSquares, nonZero] = [0, 0, 0];
      for (let at = 0; at < n; at++) {
        const plain = drawValue(random);
        const before = plain + noise * random.normal();
        const value = plain * (1 + lift);
        sum += value;
        sumSquares += value * value;
        past.sum += before;
        past.sumSquares += before * before;
        past.product += value * before;
        if (value !== 0) nonZero += 1;
      }
      return { sums: { kind: 'mean', n, sum, sumSquares, past }, nonZero, isBinary: false };
    },
  };
}

/** Two parts of a variant that arrived one after the other. */
export const addData = (one: VariantData, two: VariantData): VariantData => ({
  sums: addSums(one.sums, two.sums),
  nonZero: one.nonZero + two.nonZero,
  isBinary: one.isBinary,
});

function addSums(one: ArmSums, two: ArmSums): ArmSums {
  const n = one.n + two.n;
  if (one.kind === 'proportion' && two.kind === 'proportion')
    return { kind: 'proportion', n, conversions: one.conversions + two.conversions };
  if (one.kind === 'proportion' || two.kind === 'proportion') return one;
  const [sum, sumSquares] = [one.sum + two.sum, one.sumSquares + two.sumSquares];
  if (one.kind === 'mean' || two.kind === 'mean') return { kind: 'mean', n, sum, sumSquares };
  return {
    kind: 'ratio',
    n,
    sum,
    sumSquares,
    denominatorSum: one.denominatorSum + two.denominatorSum,
    denominatorSumSquares: one.denominatorSumSquares + two.denominatorSumSquares,
    product: one.product + two.product,
  };
}
