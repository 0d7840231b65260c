/**
 * Whether an alert fires: one check of one slot. The leader calls it slot by slot, a back-test for many slots at once; both
 * get the same answers, because everything that is remembered from slot to slot is in the `JudgeState`.
 */
import { type Baseline, comparedSlots, expectedAt, type Firing, SEASONAL_MEMORY_MS } from './seasonal.ts';
import type { Slot, SlotHistory } from './slots.ts';

export const ALERT_CONDITIONS = ['absolute_value', 'relative_increase', 'relative_decrease', 'seasonal'] as const;
export type AlertCondition = (typeof ALERT_CONDITIONS)[number];

export const DEVIATION_DIRECTIONS = ['both', 'up', 'down'] as const;

/** `percentage` is a share of the slot before: 0.5 is 50 %. */
export type Threshold =
  | { type: 'absolute' | 'percentage'; lower: number | null; upper: number | null }
  | { type: 'deviation'; k: number; direction: (typeof DEVIATION_DIRECTIONS)[number] };

export interface Hysteresis {
  /** How many slots in a row have to be outside before it fires. */
  for: number;
  /** How many in a row have to be inside before it clears. */
  clearFor: number;
  /** How far inside they have to be, as a share of the bound's distance from the center. */
  margin: number;
  /** While it fires, from one message to the next; null: there is one message only. */
  remindEveryMs: number | null;
}

export interface AlertRule {
  condition: AlertCondition;
  threshold: Threshold;
  hysteresis: Hysteresis;
  /** True: every slot outside fires anew, such as one with changes of flags; there is nothing to clear. */
  isPerSlot?: boolean;
}

/** What was measured, one value for each slot of the history. A breakdown has several series. */
export interface MeasuredSeries {
  label: string | null;
  values: readonly number[];
}

export interface AlertBounds {
  lower: number | null;
  upper: number | null;
}

/** `center`: from where the distance of a bound is measured. */
interface CenteredBounds extends AlertBounds {
  center: number;
}

export interface JudgeState {
  isFiring: boolean;
  /** Slots in a row that speak for a change: outside while it does not fire, well inside while it does. */
  streak: number;
  /** The start of the first of them. */
  streakSince: number | null;
  /** The start of the first slot outside; null while it does not fire. */
  firingSince: number | null;
  /** The end of the slot of the last message about this firing. */
  toldAt: number | null;
  /** When it fired before, as far back as baselines reach, oldest first. */
  fired: readonly Firing[];
}

export const QUIET: JudgeState = {
  isFiring: false,
  streak: 0,
  streakSince: null,
  firingSince: null,
  toldAt: null,
  fired: [],
};

interface Verdict {
  /** Of the series that is farthest outside, or nearest to it. */
  value: number | null;
  label: string | null;
  bounds: AlertBounds | null;
  isOutside: boolean;
  /** What there is to tell. */
  event: 'fired' | 'cleared' | 'reminded' | null;
  /** Why nothing was decided. */
  reason: 'not_enough_data' | null;
  /** When the firing began that this slot belongs to, or that it ends. */
  since: number | null;
  state: JudgeState;
}

export interface Measured {
  history: SlotHistory;
  series: readonly MeasuredSeries[];
  /** When the data begins: slots before it are no baseline. */
  since: number;
}

/** From when on values have to be known to judge a slot that starts then. */
export function historyStart(
  { condition }: Pick<AlertRule, 'condition'>,
  start: number,
  previousStart: number,
): number {
  if (condition === 'seasonal') return start - SEASONAL_MEMORY_MS;
  return condition === 'absolute_value' ? start : previousStart;
}

/** Which values have to be known to judge the slot with this index: others are not read. In their order. */
export function neededSlots(
  { condition }: Pick<AlertRule, 'condition'>,
  history: SlotHistory,
  index: number,
  since: number,
): number[] {
  if (condition === 'seasonal') return [...comparedSlots(history, index, since), index].sort((a, b) => a - b);
  return condition === 'absolute_value' || index === 0 ? [index] : [index - 1, index];
}

/** Decides about the slot with this index. */
export function judge(rule: AlertRule, measured: Measured, index: number, state: JudgeState): Verdict {
  const slot = measured.history.slots[index];
  if (slot === undefined) throw new RangeError(`There is no slot ${index}`);
  const before = rule.isPerSlot ? { ...QUIET, fired: state.fired } : state;
  const kept = { ...before, fired: before.fired.filter(({ until }) => until > slot.start - SEASONAL_MEMORY_MS) };
  const compared = measured.series.flatMap((series) => compare(rule, measured, series, index, kept));
  const worst = compared.reduce<Comparison | null>((a, b) => (a === null || b.excess > a.excess ? b : a), null);
  if (worst === null) {
    const value = measured.series[0]?.values[index] ?? null;
    return {
      value,
      label: null,
      bounds: null,
      isOutside: false,
      event: null,
      reason: 'not_enough_data',
      since: null,
      state: kept,
    };
  }
  const isOutside = worst.excess > 0;
  const isWellInside = compared.every((one) => one.isWellInside);
  const { value, label, bounds } = worst;
  const shown = { value, label, bounds: { lower: bounds.lower, upper: bounds.upper }, isOutside, reason: null };
  return { ...shown, ...step(rule.hysteresis, kept, slot, isOutside, isWellInside) };
}

/** A series beside its bounds. */
interface Comparison {
  label: string | null;
  value: number;
  bounds: CenteredBounds;
  /** How far outside; negative inside. */
  excess: number;
  isWellInside: boolean;
}

function compare(
  rule: AlertRule,
  measured: Measured,
  series: MeasuredSeries,
  index: number,
  { fired }: JudgeState,
): Comparison[] {
  const value = series.values[index];
  const bounds = value === undefined ? null : boundsAt(rule, measured, series, index, fired);
  if (value === undefined || bounds === null) return [];
  const { lower, upper, center } = bounds;
  const { margin } = rule.hysteresis;
  const excess = Math.max(
    lower === null ? Number.NEGATIVE_INFINITY : lower - value,
    upper === null ? Number.NEGATIVE_INFINITY : value - upper,
  );
  const isWellInside =
    excess <= 0 &&
    (lower === null || value >= lower + margin * Math.abs(center - lower)) &&
    (upper === null || value <= upper - margin * Math.abs(upper - center));
  return [{ label: series.label, value, bounds, excess, isWellInside }];
}

/** The values between which nothing happens; null where too little is known. */
function boundsAt(
  { condition, threshold }: AlertRule,
  { history, since }: Measured,
  { values }: MeasuredSeries,
  index: number,
  fired: readonly Firing[],
): CenteredBounds | null {
  if (threshold.type === 'deviation') {
    const baseline = expectedAt(history, values, index, since, fired);
    return baseline && seasonalBounds(threshold, baseline);
  }
  const { lower, upper } = threshold;
  if (condition === 'absolute_value')
    return { lower, upper, center: lower === null || upper === null ? 0 : (lower + upper) / 2 };
  const before = values[index - 1];
  if (before === undefined) return null;
  const change = (bound: number | null, sign: 1 | -1): number | null =>
    bound === null ? null : before + sign * bound * (threshold.type === 'percentage' ? Math.abs(before) : 1);
  return condition === 'relative_increase'
    ? { lower: change(lower, 1), upper: change(upper, 1), center: before }
    : { lower: change(upper, -1), upper: change(lower, -1), center: before };
}

function seasonalBounds(
  { k, direction }: Extract<Threshold, { type: 'deviation' }>,
  { expected, spread }: Baseline,
): CenteredBounds {
  return {
    lower: direction === 'up' ? null : expected - k * spread,
    upper: direction === 'down' ? null : expected + k * spread,
    center: expected,
  };
}

type Step = Pick<Verdict, 'event' | 'since' | 'state'>;

function step(
  rule: Hysteresis,
  state: JudgeState,
  { start, end }: Slot,
  isOutside: boolean,
  isWellInside: boolean,
): Step {
  const speaksForChange = state.isFiring ? isWellInside : isOutside;
  const streak = speaksForChange ? state.streak + 1 : 0;
  const streakSince = speaksForChange ? (state.streakSince ?? start) : null;
  const counted = { ...state, streak, streakSince };
  if (!state.isFiring) {
    if (streak < rule.for) return { event: null, since: null, state: counted };
    const fires = { ...counted, isFiring: true, streak: 0, streakSince: null, firingSince: streakSince, toldAt: end };
    return { event: 'fired', since: streakSince, state: fires };
  }
  const since = state.firingSince ?? start;
  if (streak >= rule.clearFor) {
    const fired = [...state.fired, { from: since, until: streakSince ?? end }];
    return { event: 'cleared', since, state: { ...QUIET, fired } };
  }
  if (rule.remindEveryMs === null || end < (state.toldAt ?? end) + rule.remindEveryMs)
    return { event: null, since, state: counted };
  return { event: 'reminded', since, state: { ...counted, toldAt: end } };
}
