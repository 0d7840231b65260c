import type { Correlation } from '../../rules/answers.ts';

/** How many converted and how many did not, of all or of those who did something. */
export interface OutcomeCounts {
  success: number;
  failure: number;
}

/** One is added everywhere, so that nothing is ever divided by zero. More than 1: converts more often. */
export const oddsRatio = (all: OutcomeCounts, own: OutcomeCounts): number =>
  ((own.success + 1) * (all.failure - own.failure + 1)) / ((all.success - own.success + 1) * (own.failure + 1));

/** One side outweighs the other more than tenfold. */
export function isSkewed({ success, failure }: OutcomeCounts): boolean {
  if (success === 0 || failure === 0) return true;
  return success / failure > 10 || failure / success > 10;
}

/** Fewer than this say nothing: two percent of all, but 25 are always enough. */
export const minCountedActors = ({ success, failure }: OutcomeCounts): number =>
  Math.min(25, 0.02 * (success + failure));

const MAX_SHOWN = 10;

/** The strongest for success, then the strongest against it. */
export function strongestCorrelations(all: readonly Correlation[]): Correlation[] {
  const byName = (a: Correlation, b: Correlation): number => (a.name < b.name ? -1 : 1);
  const success = all
    .filter(({ oddsRatio: ratio }) => ratio > 1)
    .sort((a, b) => b.oddsRatio - a.oddsRatio || byName(a, b));
  const failure = all
    .filter(({ oddsRatio: ratio }) => ratio <= 1)
    .sort((a, b) => a.oddsRatio - b.oddsRatio || byName(a, b));
  return [...success.slice(0, MAX_SHOWN), ...failure.slice(0, MAX_SHOWN)];
}
