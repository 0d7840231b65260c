/**
 * Finds the attempts of one actor at a funnel in one pass over the events: starts only move forward in time, and so do
 * the steps after them. `test/oracle/funnel-attempts.ts` does the same in the simplest way.
 */

import { windowEnds } from '../../../core/time/window-end.ts';
import type { Exclusion, FunnelQuestion } from '../rules/question.ts';
import { includesEntity } from '../rules/read-entity.ts';
import type { FunnelAttempt } from './rules/attempt-summary.ts';

/** Few enough that a word is never negative. */
export const BITS_PER_WORD = 30;

/** Events of actors, each actor's in the order of time. */
export interface StepEvents {
  /** Position → time, ms UTC. */
  readonly at: Float64Array;
  /** Word → position → a bit for each step, then one for each exclusion. */
  readonly bits: readonly Int32Array[];
}

export const hasBit = ({ bits }: StepEvents, position: number, bit: number): boolean =>
  ((bits[Math.floor(bit / BITS_PER_WORD)]?.[position] ?? 0) & (1 << (bit % BITS_PER_WORD))) !== 0;

/**
 * Called with each relevant attempt: how many steps were done within the window, and when each was done (in an unordered
 * funnel: any first, second, … step), NaN where it was not. `times` is reused for the next attempt.
 */
export type OnAttempt = (depth: number, times: Float64Array) => void;

export const collectAttempts =
  (attempts: FunnelAttempt[]): OnAttempt =>
  (depth, times) => {
    const copied = Array.from(times, (at) => (Number.isNaN(at) ? null : at));
    attempts.push({ start: times[0] as number, depth, times: copied });
  };

/** Whether the order of events at the same time matters. */
export const needsTieOrder = ({ order, steps }: Pick<FunnelQuestion, 'order' | 'steps'>): boolean =>
  order === 'strict' || (order === 'ordered' && needsAnotherEvent(steps).includes(true));

/** Step → whether it needs another event than the step before. */
const needsAnotherEvent = (steps: FunnelQuestion['steps']): boolean[] =>
  steps.map((step, at) => {
    const before = steps[at - 1];
    return before !== undefined && includesEntity(step, before);
  });

export class FunnelMatcher {
  private readonly order: FunnelQuestion['order'];
  private readonly count: number;
  private readonly exclusions: readonly Exclusion[];
  /** Whether it may stop at the first start without a second step: later starts only matter in trends. */
  private readonly stopsEarly: boolean;
  private readonly windowEnd: (from: number) => number;
  private readonly needsAnother: readonly boolean[];
  private readonly times: Float64Array;
  /** Step → position up to which its events were read. */
  private readonly cursors: Int32Array;
  /** Exclusion → the times of its events. */
  private excluded: readonly (readonly number[])[] = [];

  constructor({ order, steps, exclusions, window, timezone, view }: FunnelQuestion) {
    this.order = order;
    this.stopsEarly = order === 'ordered' && exclusions.length === 0 && view !== 'trends';
    this.count = steps.length;
    this.exclusions = order === 'strict' ? [] : exclusions;
    this.windowEnd = windowEnds(window, timezone);
    this.needsAnother = needsAnotherEvent(steps);
    this.times = new Float64Array(steps.length);
    this.cursors = new Int32Array(steps.length);
  }

  /**
   * Reads the positions from `from` to before `to`; of an unordered funnel, with `firstStep`, only attempts that start
   * with this step. Returns whether there was an attempt without an exclusion.
   */
  match(events: StepEvents, from: number, to: number, onAttempt: OnAttempt, firstStep: number | null = null): boolean {
    if (this.exclusions.length > 0)
      this.excluded = this.exclusions.map((_, index) => timesOf(events, from, to, this.count + index));
    let hasAttempt = false;
    if (this.order === 'unordered') {
      for (let first = 0; first < this.count; first++) {
        if (firstStep !== null && first !== firstStep) continue;
        if (this.unordered(events, from, to, first, onAttempt)) hasAttempt = true;
      }
      return hasAttempt;
    }
    const { at } = events;
    const steps = events.bits[0] as Int32Array;
    const { times, cursors, stopsEarly } = this;
    const isStrict = this.order === 'strict';
    cursors.fill(from);
    // Starts before this position have the same second step.
    let sameSecondUntil = from;
    for (let start = from; start < to; start++) {
      if (((steps[start] as number) & 1) === 0) continue;
      times[0] = at[start] as number;
      if (isStrict) this.strict(events, start, to);
      else if (start >= sameSecondUntil) sameSecondUntil = this.ordered(events, start, to);
      if (!this.isExcluded()) {
        hasAttempt = true;
        onAttempt(this.depth(), times);
      }
      if (stopsEarly && (cursors[1] as number) >= to) break;
    }
    return hasAttempt;
  }

  /**
   * Each step is its first event at or after the step before. Returns up to which position starts have the same second
   * step, and so the same further steps: often many.
   */
  private ordered(events: StepEvents, start: number, to: number): number {
    let before = start;
    for (let step = 1; step < this.count; step++) {
      if (before < to) before = this.next(events, step, before, to);
      this.times[step] = before < to ? (events.at[before] as number) : Number.NaN;
    }
    return this.pastSecond(events, to);
  }

  /** The first position whose start needs another second step. */
  private pastSecond({ at }: StepEvents, to: number): number {
    const second = this.cursors[1] ?? to;
    if (second >= to || this.needsAnother[1] === true) return second;
    let position = second + 1;
    while (position < to && at[position] === at[second]) position++;
    return position;
  }

  private next(events: StepEvents, step: number, before: number, to: number): number {
    const [word, bit] = [events.bits[Math.floor(step / BITS_PER_WORD)] as Int32Array, 1 << (step % BITS_PER_WORD)];
    const { at } = events;
    const from = at[before] as number;
    let position = this.cursors[step] as number;
    // Otherwise any event at the same time will do.
    if (this.needsAnother[step] === true) position = Math.max(position, before + 1);
    while (position < to && (((word[position] as number) & bit) === 0 || (at[position] as number) < from)) position++;
    this.cursors[step] = position;
    return position;
  }

  private strict(events: StepEvents, start: number, to: number): void {
    for (let step = 0; step < this.count; step++) {
      const position = start + step;
      this.times[step] = position < to && hasBit(events, position, step) ? (events.at[position] as number) : Number.NaN;
    }
  }

  /** Any step may be the first; the others count where they come after it. */
  private unordered(events: StepEvents, from: number, to: number, first: number, onAttempt: OnAttempt): boolean {
    let hasAttempt = false;
    this.cursors.fill(from);
    for (let start = from; start < to; start++) {
      if (!hasBit(events, start, first)) continue;
      const started = events.at[start] as number;
      this.times.fill(Number.NaN);
      let done = 0;
      this.times[done++] = started;
      for (let step = 0; step < this.count; step++) {
        if (step === first) continue;
        let position = this.cursors[step] as number;
        while (position < to && (!hasBit(events, position, step) || (events.at[position] as number) <= started))
          position++;
        this.cursors[step] = position;
        if (position < to) this.times[done++] = events.at[position] as number;
      }
      this.times.subarray(0, done).sort();
      if (this.isExcluded()) continue;
      hasAttempt = true;
      onAttempt(this.depth(), this.times);
    }
    return hasAttempt;
  }

  /** How many consecutive steps are within the window. */
  private depth(): number {
    const { times, count } = this;
    if (Number.isNaN(times[1] as number)) return 1;
    const end = this.windowEnd(times[0] as number);
    let depth = 0;
    while (depth < count && (times[depth] as number) <= end) depth++;
    return depth;
  }

  /** An excluded event happened after the one step and before the other, or before the end of the window. */
  private isExcluded(): boolean {
    if (this.exclusions.length === 0) return false;
    for (const [index, exclusion] of this.exclusions.entries()) {
      const from = this.times[exclusion.from] as number;
      if (Number.isNaN(from)) continue;
      const first = firstFrom(this.excluded[index] ?? [], from);
      const to = this.times[exclusion.to] as number;
      if (first !== undefined && first > from && first < (Number.isNaN(to) ? this.windowEnd(from) : to)) return true;
    }
    return false;
  }
}

function timesOf(events: StepEvents, from: number, to: number, bit: number): number[] {
  const times: number[] = [];
  for (let position = from; position < to; position++)
    if (hasBit(events, position, bit)) times.push(events.at[position] as number);
  return times;
}

/** The first of sorted times that is not before `from`. */
function firstFrom(times: readonly number[], from: number): number | undefined {
  let [low, high] = [0, times.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((times[middle] as number) < from) low = middle + 1;
    else high = middle;
  }
  return times[low];
}
