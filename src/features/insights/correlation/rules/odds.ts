import type { Correlation } from '../../rules/answers.ts';

/** How many converted and how many did not, of all or of those who did something. */
export interface Outcomes {
  success: number;
  failure: number;
}

/** One is added everywhere, so that nothing is ever divided by zero. More than 1: converts more often. */
export const oddsRatio = (all: Outcomes, own: Outcomes): number =>
  ((own.success + 1) * (all.failure - own.failure + 1)) / ((all.success - own.success + 1) * (own.failure + 1));

/** One side outweighs the other more than tenfold. */
export function isSkewed({ success, failure }: Outcomes): boolean {
  if (success === 0 || failure === 0) return true;
  return success / failure > 10 || failure / success > 10;
}

/** Fewer than this say nothing: two percent of all, but 25 are always enough. */
export const fewestThatCount = ({ success, failure }: Outcomes): number => Math.min(25, 0.02 * (success + failure));

const MOST_SHOWN = 10;

/** The strongest for success, then the strongest against it. */
export function strongest(all: readonly Correlation[]): Correlation[] {
  const byName = (a: Correlation, b: Correlation): number => (a.name < b.name ? -1 : 1);
  const success = all
    .filter(({ oddsRatio: ratio }) => ratio > 1)
    .sort((a, b) => b.oddsRatio - a.oddsRatio || byName(a, b));
  const failure = all
    .filter(({ oddsRatio: ratio }) => ratio <= 1)
    .sort((a, b) => a.oddsRatio - b.oddsRatio || byName(a, b));
  return [...success.slice(0, MOST_SHOWN), ...failure.slice(0, MOST_SHOWN)];
}
