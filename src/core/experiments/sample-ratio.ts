/** Whether entities were split between variants as planned (sample-ratio mismatch). */
import { chiSquareTail } from './distributions.ts';

export interface SampleRatio {
  status: 'ok' | 'watch' | 'mismatch' | 'not_enough_data';
  chiSquare: number;
  df: number;
  pValue: number;
  /** How many each variant should have. */
  expected: number[];
}

const MISMATCH_BELOW = 0.001;
const WATCH_BELOW = 0.01;
const MIN_COUNTED = 100;
/** Of each variant; the test is not valid with fewer. */
export const MIN_EXPECTED = 5;

/** Weights need not add up to 100; a variant of weight 0 is left out. */
export function checkSampleRatio(observed: readonly number[], weights: readonly number[]): SampleRatio {
  const whole = weights.reduce((sum, weight) => sum + weight, 0);
  const counted = observed.reduce((sum, count, at) => sum + ((weights[at] ?? 0) > 0 ? count : 0), 0);
  return checkCounts(
    observed,
    weights.map((weight) => (weight > 0 ? (counted * weight) / whole : null)),
  );
}

/** The same for expected counts that were added up over several splits; null leaves a variant out. */
export function checkCounts(observed: readonly number[], expected: readonly (number | null)[]): SampleRatio {
  const counted = expected.flatMap((count, at) => (count === null ? [] : [{ count, own: observed[at] ?? 0 }]));
  const parts = counted.map(({ count, own }) => (count === 0 ? 0 : (own - count) ** 2 / count));
  const [chiSquare, df] = [parts.reduce((sum, part) => sum + part, 0), Math.max(0, counted.length - 1)];
  const pValue = df === 0 ? 1 : chiSquareTail(chiSquare, df);
  const total = counted.reduce((sum, { count }) => sum + count, 0);
  const isEnough = total >= MIN_COUNTED && counted.every(({ count }) => count >= MIN_EXPECTED);
  return {
    status: isEnough ? statusOf(df === 1 ? correctedTail(counted) : pValue) : 'not_enough_data',
    chiSquare,
    df,
    pValue,
    expected: expected.map((count) => count ?? 0),
  };
}

/** Counts are whole: without Yates' correction, two variants would give slightly more false alarms than promised. */
const correctedTail = (counted: readonly { count: number; own: number }[]): number =>
  chiSquareTail(
    counted.reduce((sum, { count, own }) => sum + Math.max(0, Math.abs(own - count) - 0.5) ** 2 / count, 0),
    1,
  );

const statusOf = (pValue: number): SampleRatio['status'] =>
  pValue < MISMATCH_BELOW ? 'mismatch' : pValue < WATCH_BELOW ? 'watch' : 'ok';
