/** The Bayesian view: how likely it is that a variant is better, and what a wrong choice would cost. */
import type { Bounds, Difference } from './compare-arms.ts';
import { normalCdf, normalDensity, normalQuantile } from './distributions.ts';

/** What was believed before, about the same scale as the difference. */
export interface Prior {
  mean: number;
  sd: number;
}

export interface Posterior {
  mean: number;
  sd: number;
  interval: Bounds;
  chanceToWin: number;
  /** Of choosing the variant although the baseline is better. */
  expectedLoss: number;
  /** Of staying with the baseline although the variant is better. */
  expectedLossControl: number;
}

/** A prior of null is flat. The standard error must not be 0. */
export function posteriorOf(
  { effect, standardError }: Difference,
  prior: Prior | null,
  { level, isLowerBetter }: { level: number; isLowerBetter: boolean },
): Posterior {
  const own = 1 / standardError ** 2;
  const before = prior === null ? 0 : 1 / prior.sd ** 2;
  const mean = (effect * own + (prior?.mean ?? 0) * before) / (own + before);
  const sd = 1 / Math.sqrt(own + before);
  const half = normalQuantile(0.5 + level / 2) * sd;
  const [losing, winning] = [lossOf(mean, sd), lossOf(-mean, sd)];
  return {
    mean,
    sd,
    interval: [mean - half, mean + half],
    chanceToWin: normalCdf(isLowerBetter ? -mean / sd : mean / sd),
    expectedLoss: isLowerBetter ? winning : losing,
    expectedLossControl: isLowerBetter ? losing : winning,
  };
}

/** The mean of what is below 0. */
const lossOf = (mean: number, sd: number): number => {
  const z = mean / sd;
  return Math.max(0, sd * normalDensity(z) - mean * normalCdf(-z));
};
