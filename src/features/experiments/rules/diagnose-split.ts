/** Where a split that is not as planned goes wrong: the same test for each value of several properties. */
import { checkSampleRatio } from '../../../core/experiments/sample-ratio.ts';
import type { ExposureCount } from './experiment-question.ts';

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

/** The worst first. */
export function diagnoseSplit(counts: readonly ExposureCount[], variants: Variants): SplitFault[] {
  const values = new Map<string, ExposureCount[]>();
  for (const one of counts) {
    const key = JSON.stringify([one.property, one.value]);
    values.set(key, [...(values.get(key) ?? []), one]);
  }
  const tested = [...values.values()].flatMap((own) => {
    const observed = sumByVariant(own);
    const check = checkOf(observed, variants);
    return check.status === 'not_enough_data' || isEveryone(own, counts) ? [] : [{ own, observed, check }];
  });
  return tested
    .map(({ own, observed, check }) => ({
      property: own[0]?.property ?? '',
      value: own[0]?.value ?? '',
      pValue: Math.min(1, check.pValue * tested.length),
      observed,
      expected: Object.fromEntries(variants.map(({ key }, at) => [key, check.expected[at] ?? 0])),
      explainsAll: isFineWithout(own, counts, variants),
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

function isFineWithout(own: readonly ExposureCount[], all: readonly ExposureCount[], variants: Variants): boolean {
  const { property, value } = own[0] ?? { property: '', value: '' };
  const rest = all.filter((one) => one.property === property && one.value !== value);
  return rest.length > 0 && checkOf(sumByVariant(rest), variants).status === 'ok';
}
