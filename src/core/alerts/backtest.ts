/** When an alert would have fired: `judge` for every slot of the past, and bounds that would fire less often. */
import { DAY_MS, WEEK_MS } from '../time/units.ts';
import {
  type AlertBounds,
  type AlertRule,
  type JudgeState,
  judge,
  type Measured,
  QUIET,
  type Threshold,
} from './judge.ts';

interface WouldFire {
  from: number;
  /** Null: it would still be firing. */
  to: number | null;
  /** The value farthest outside, and the bound that it broke. */
  peak: number;
  bound: number;
  label: string | null;
}

interface Backtest {
  wouldFire: WouldFire[];
  /** One for each slot: the value that decided, and between what it had to be. */
  values: (number | null)[];
  bounds: (AlertBounds | null)[];
  perWeek: number;
  state: JudgeState;
}

/** From the slot with the index `from` up to, not including, `until`. */
export function backtest(
  rule: AlertRule,
  measured: Measured,
  from: number,
  until = measured.history.slots.length,
  before: JudgeState = QUIET,
): Backtest {
  const wouldFire: WouldFire[] = [];
  const values: (number | null)[] = [];
  const bounds: (AlertBounds | null)[] = [];
  let state = before;
  let worst: Peak | null = null;
  for (let index = from; index < until; index++) {
    const verdict = judge(rule, measured, index, state);
    state = verdict.state;
    values.push(verdict.value);
    bounds.push(verdict.bounds);
    const peak = verdict.value ?? 0;
    const seen: Peak = { peak, bound: brokenBound(peak, verdict.bounds), label: verdict.label };
    const { event, since } = verdict;
    // The slots before it that led to firing belong to it.
    if (verdict.isOutside) worst = worst === null || isFarther(seen, worst) ? seen : worst;
    else if (!state.isFiring) worst = null;
    if (event === 'fired') wouldFire.push({ from: since ?? 0, to: null, ...(worst ?? seen) });
    const last = wouldFire.at(-1);
    if (last && last.to === null && worst !== null) Object.assign(last, worst);
    if (last && rule.isPerSlot && event === 'fired') last.to = measured.history.slots[index]?.end ?? null;
    if (event === 'cleared' || rule.isPerSlot) worst = null;
    if (last && event === 'cleared') last.to = state.fired.at(-1)?.until ?? null;
  }
  return { wouldFire, values, bounds, perWeek: perWeek(measured, from, until, wouldFire.length), state };
}

type Peak = Pick<WouldFire, 'peak' | 'bound' | 'label'>;

const isFarther = (a: Peak, b: Peak): boolean => Math.abs(a.peak - a.bound) > Math.abs(b.peak - b.bound);

function brokenBound(value: number, bounds: AlertBounds | null): number {
  const { lower = null, upper = null } = bounds ?? {};
  if (lower !== null && value < lower) return lower;
  return upper ?? lower ?? 0;
}

function perWeek({ history: { slots } }: Measured, from: number, until: number, firings: number): number {
  const length = (slots[until - 1]?.end ?? 0) - (slots[from]?.start ?? 0);
  return length <= 0 ? 0 : firings / Math.max(length / WEEK_MS, DAY_MS / WEEK_MS);
}

/** More often than this, people stop looking. */
export const MAX_FIRINGS_A_WEEK = 7;
const SUGGESTED_FIRINGS_A_WEEK = 1;

/** The tightest of a few wider thresholds that would fire at most once a week; null where none does, or none is needed. */
export function suggestThreshold(rule: AlertRule, measured: Measured, from: number): Threshold | null {
  if (backtest(rule, measured, from).perWeek <= MAX_FIRINGS_A_WEEK) return null;
  const wider = widerThresholds(rule, measured, from);
  const isQuiet = (threshold: Threshold): boolean =>
    backtest({ ...rule, threshold }, measured, from).perWeek <= SUGGESTED_FIRINGS_A_WEEK;
  return wider.find(isQuiet) ?? null;
}

const FACTORS = [1.25, 1.5, 2, 3, 4, 6, 10, 20, 50] as const;
/** The share of values that would be beyond a bound. */
const SHARES = [0.02, 0.01, 0.005, 0.002, 0] as const;

function widerThresholds({ condition, threshold }: AlertRule, { series }: Measured, from: number): Threshold[] {
  if (threshold.type === 'deviation') return FACTORS.map((factor) => ({ ...threshold, k: threshold.k * factor }));
  const { lower, upper } = threshold;
  if (condition !== 'absolute_value')
    return FACTORS.map((factor) => ({
      ...threshold,
      lower: lower === null ? null : lower * factor,
      upper: upper === null ? null : upper * factor,
    }));
  const sorted = series.flatMap(({ values }) => values.slice(from)).sort((a, b) => a - b);
  const at = (share: number): number => sorted[Math.round(share * (sorted.length - 1))] ?? 0;
  return SHARES.map((share) => ({
    ...threshold,
    lower: lower === null ? null : Math.min(lower, at(share)),
    upper: upper === null ? null : Math.max(upper, at(1 - share)),
  }));
}
