/** Where a split that is not as planned goes wrong: the same test for each value of several properties. */

import { checkCounts, checkSampleRatio, MIN_EXPECTED } from '../../../core/experiments/sample-ratio.ts';
import { DAY_MS } from '../../../core/time/units.ts';
import type { ExposureCount } from './experiment-question.ts';
import { expectedCounts, type SplitPhase } from './split-phases.ts';

export interface SplitFault {
  property: string;
  value: string;
  /** Corrected for all values that were tested. */
  pValue: number;
  observed: Record<string, number>;
  expected: Record<string, number>;
  /** Whether the split is as planned without these. */
  explainsAll: boolean;
}

type Variants = readonly { key: string; weight: number }[];
type Counts = Record<string, number>;

const SHOWN_FAULTS = 3;
const FAULT_BELOW = 0.01;

/** How those with a value should be split; null: that cannot be said. */
type WeightsOf = (property: string, value: string) => Variants | null;

/** The worst first. */
export function diagnoseSplit(counts: readonly ExposureCount[], weightsOf: WeightsOf): SplitFault[] {
  const values = new Map<string, ExposureCount[]>();
  for (const one of counts) {
    const key = JSON.stringify([one.property, one.value]);
    values.set(key, [...(values.get(key) ?? []), one]);
  }
  const tested = [...values.values()].flatMap((own) => {
    const observed = sumByVariant(own);
    const variants = weightsOf(own[0]?.property ?? '', own[0]?.value ?? '');
    if (variants === null || isEveryone(own, counts)) return [];
    const check = checkOf(observed, variants);
    // Fewer are needed than for a verdict on the whole split: this only says where to look.
    const isEnough = check.df > 0 && check.expected.every((count) => count === 0 || count >= MIN_EXPECTED);
    return isEnough ? [{ own, observed, check, variants }] : [];
  });
  return tested
    .map(({ own, observed, check, variants }) => ({
      property: own[0]?.property ?? '',
      value: own[0]?.value ?? '',
      pValue: Math.min(1, check.pValue * tested.length),
      observed,
      expected: Object.fromEntries(variants.map(({ key }, at) => [key, check.expected[at] ?? 0])),
      explainsAll: isFineWithout(own, counts, weightsOf),
    }))
    .filter(({ pValue }) => pValue < FAULT_BELOW)
    .sort((a, b) => a.pValue - b.pValue)
    .slice(0, SHOWN_FAULTS);
}

/** A value that all have says nothing. */
const isEveryone = ([first]: readonly ExposureCount[], all: readonly ExposureCount[]): boolean =>
  all.every(({ property, value }) => property !== first?.property || value === first.value);

function sumByVariant(counts: readonly ExposureCount[]): Counts {
  const sums: Counts = {};
  for (const { variant, count } of counts) sums[variant] = (sums[variant] ?? 0) + count;
  return sums;
}

const checkOf = (observed: Counts, variants: Variants) =>
  checkSampleRatio(
    variants.map(({ key }) => observed[key] ?? 0),
    variants.map(({ weight }) => weight),
  );

/** Each of the other values by its own split, added up. */
function isFineWithout(own: readonly ExposureCount[], all: readonly ExposureCount[], weightsOf: WeightsOf): boolean {
  const { property, value } = own[0] ?? { property: '', value: '' };
  const rest = all.filter((one) => one.property === property && one.value !== value);
  const phases = [...new Set(rest.map((one) => one.value))].flatMap((other) => {
    const variants = weightsOf(property, other);
    return variants === null ? [] : [{ variants, counts: sumByVariant(rest.filter((one) => one.value === other)) }];
  });
  const keys = [...new Set(phases.flatMap(({ variants }) => variants.map(({ key }) => key)))].map((key) => ({ key }));
  const observed = keys.map(({ key }) => phases.reduce((sum, { counts }) => sum + (counts[key] ?? 0), 0));
  return phases.length > 0 && checkCounts(observed, expectedCounts(keys, phases)).status === 'ok';
}

/** Counts of the phases of the split, as values of a property. */
export const countsByPhase = (phases: readonly Counts[]): ExposureCount[] =>
  phases.flatMap((counts, at) =>
    Object.entries(counts).map(([variant, count]) => ({ property: 'phase', value: String(at + 1), variant, count })),
  );

/**
 * The split that each value should have. A day belongs to the phase that it is wholly in; people with another property
 * come in all phases, and are split as all are.
 */
export function plannedSplit(
  variants: Variants,
  phases: readonly SplitPhase[],
  exposures: { phases: readonly Counts[] },
): WeightsOf {
  if (phases.length < 2 || exposures.phases.length !== phases.length) return () => variants;
  const counted = phases.map((phase, at) => ({ ...phase, counts: exposures.phases[at] ?? {} }));
  const expected = expectedCounts(variants, counted);
  const overall = variants.map(({ key }, at) => ({ key, weight: expected[at] ?? 0 }));
  return (property, value) => {
    if (property === 'phase') return phases[Number(value) - 1]?.variants ?? null;
    if (property !== 'day') return overall;
    const from = Date.parse(value);
    // A change on the day itself, in any time zone, leaves it out.
    if (phases.slice(1).some((phase) => Math.abs(phase.from - (from + DAY_MS / 2)) < DAY_MS)) return null;
    return (phases.findLast((phase) => phase.from <= from) ?? phases[0])?.variants ?? null;
  };
}
