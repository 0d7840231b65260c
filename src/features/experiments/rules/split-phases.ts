/** How a flag was split between its variants over time: a change of the percentages begins a new phase. */
import type { JsonObject } from '../../../core/json/json.ts';
import type { Range } from '../../../core/time/range.ts';
import { flagVariants } from './flag-variants.ts';

type Weights = readonly { key: string; weight: number }[];

export interface SplitPhase {
  from: number;
  variants: Weights;
}

/** Of a range of time; the versions in their order. The first phase starts with the range. */
export function splitPhases(
  versions: readonly { updatedAt: number; filters: JsonObject }[],
  range: Range,
): SplitPhase[] {
  const phases: SplitPhase[] = [];
  for (const { updatedAt, filters } of versions) {
    if (updatedAt >= range.until && phases.length > 0) break;
    const variants = flagVariants(filters);
    if (variants.length === 0) continue;
    // What was set before the range, or by the launch itself, is how it begins.
    if (updatedAt <= range.from) phases.length = 0;
    if (isSame(phases.at(-1)?.variants, variants)) continue;
    phases.push({ from: phases.length === 0 ? range.from : updatedAt, variants });
  }
  return phases;
}

const isSame = (before: Weights | undefined, after: Weights): boolean =>
  before !== undefined && JSON.stringify(before) === JSON.stringify(after);

export interface MeasuredVariant {
  key: string;
  /** In percent, now. */
  weight: number;
  /** It was on the flag at first, and is not any more. */
  isRemoved: boolean;
}

/** Results are measured for so many at most. */
const MAX_MEASURED = 32;

/** The variants of a flag now, and those that were removed from it while the experiment ran. */
export function measuredVariants(now: Weights, phases: readonly SplitPhase[]): MeasuredVariant[] {
  const known = new Set(now.map(({ key }) => key));
  const removed = new Set(
    phases.flatMap(({ variants }) => variants.map(({ key }) => key)).filter((key) => !known.has(key)),
  );
  return [
    ...now.map((variant) => ({ ...variant, isRemoved: false })),
    ...[...removed].map((key) => ({ key, weight: 0, isRemoved: true })),
  ].slice(0, MAX_MEASURED);
}

/** How many of each variant there should be, if each phase had split those who came in it as planned. */
export function expectedCounts(
  variants: readonly { key: string }[],
  phases: readonly { variants: Weights; counts: Readonly<Record<string, number>> }[],
): (number | null)[] {
  const expected = variants.map(({ key }) => {
    const own = phases.map((phase) => shareOf(key, phase.variants) * countIn(phase));
    const isPart = phases.some((phase) => shareOf(key, phase.variants) > 0);
    return isPart ? own.reduce((sum, count) => sum + count, 0) : null;
  });
  return expected;
}

function shareOf(key: string, weights: Weights): number {
  const whole = weights.reduce((sum, { weight }) => sum + weight, 0);
  const own = weights.find((one) => one.key === key)?.weight ?? 0;
  return whole === 0 ? 0 : own / whole;
}

/** Of those variants that had a share in the phase. */
const countIn = ({ variants, counts }: { variants: Weights; counts: Readonly<Record<string, number>> }): number =>
  variants.reduce((sum, { key, weight }) => sum + (weight > 0 ? (counts[key] ?? 0) : 0), 0);
