/**
 * Finds the attempts of one actor at a funnel: the same as `test/oracle/funnel-attempts.ts`, in one go over
 * the events, since starts only ever move forward in time and so do the steps after them.
 */

import { windowEnds } from '../../../core/time/window-end.ts';
import type { Exclusion, FunnelQuestion } from '../rules/question.ts';
import { includesEntity } from '../rules/read-entity.ts';
import type { FunnelAttempt } from './rules/attempt-summary.ts';

/** Bits of one word: a number that is never negative. */
export const BITS_PER_WORD = 30;

/** Events of actors, as much of them as a funnel looks at, each actor's in the order of time. */
export interface StepEvents {
  /** Place → time, ms UTC. */
  readonly at: Float64Array;
  /** Word → place → a bit for each step, then one for each exclusion: set where it is one of theirs. */
  readonly bits: readonly Int32Array[];
}

export const hasBit = ({ bits }: StepEvents, place: number, bit: number): boolean =>
  ((bits[Math.floor(bit / BITS_PER_WORD)]?.[place] ?? 0) & (1 << (bit % BITS_PER_WORD))) !== 0;

/**
 * Is told of each attempt that makes a difference: how many steps were done within the window, and when each was done
 * (in an unordered funnel: the first, the second, … of them), not a number where it was not. The list of times is used
 * again for the next one.
 */
export type OnAttempt = (depth: number, times: Float64Array) => void;

/** For whoever wants to keep attempts. */
export const collectAttempts =
  (attempts: FunnelAttempt[]): OnAttempt =>
  (depth, times) => {
    const kept = Array.from(times, (at) => (Number.isNaN(at) ? null : at));
    attempts.push({ start: times[0] as number, depth, times: kept });
  };

/** Whether the order of events of one instant makes a difference. */
export const needsTieOrder = ({ order, steps }: Pick<FunnelQuestion, 'order' | 'steps'>): boolean =>
  order === 'strict' || (order === 'ordered' && needsAnotherEvent(steps).includes(true));

/** Step → whether one event cannot be both it and the one before it. */
const needsAnotherEvent = (steps: FunnelQuestion['steps']): boolean[] =>
  steps.map((step, at) => {
    const before = steps[at - 1];
    return before !== undefined && includesEntity(step, before);
  });

export class FunnelMatcher {
  private readonly order: FunnelQuestion['order'];
  private readonly count: number;
  private readonly exclusions: readonly Exclusion[];
  /**
   * Whether of those starts after which there is no second step only the first is told: the others get no further, and
   * matter only to whom it matters when they were.
   */
  private readonly canStop: boolean;
  private readonly windowEnd: (from: number) => number;
  private readonly mustBeAnother: readonly boolean[];
  private readonly times: Float64Array;
  /** Step → how far its events were looked at. */
  private readonly cursors: Int32Array;
  /** Exclusion → the times of its events. */
  private excluded: readonly (readonly number[])[] = [];

  constructor({ order, steps, exclusions, window, timezone, view }: FunnelQuestion) {
    this.order = order;
    this.canStop = order === 'ordered' && exclusions.length === 0 && view !== 'trends';
    this.count = steps.length;
    this.exclusions = order === 'strict' ? [] : exclusions;
    this.windowEnd = windowEnds(window, timezone);
    this.mustBeAnother = needsAnotherEvent(steps);
    this.times = new Float64Array(steps.length);
    this.cursors = new Int32Array(steps.length);
  }

  /**
   * Goes over the places from `from` to before `to`, and says whether there was an attempt. Those that an exclusion falls
   * into are none.
   */
  match(deeds: StepEvents, from: number, to: number, onAttempt: OnAttempt): boolean {
    if (this.exclusions.length > 0)
      this.excluded = this.exclusions.map((_, index) => timesOf(deeds, from, to, this.count + index));
    let hasTried = false;
    if (this.order === 'unordered') {
      for (let first = 0; first < this.count; first++) {
        if (this.unordered(deeds, from, to, first, onAttempt)) hasTried = true;
      }
      return hasTried;
    }
    const { at } = deeds;
    const steps = deeds.bits[0] as Int32Array;
    const { times, cursors, canStop } = this;
    const isStrict = this.order === 'strict';
    cursors.fill(from);
    // Before this place starts have the same second step.
    let sameUntil = from;
    for (let start = from; start < to; start++) {
      if (((steps[start] as number) & 1) === 0) continue;
      times[0] = at[start] as number;
      if (isStrict) this.strict(deeds, start, to);
      else if (start >= sameUntil) sameUntil = this.ordered(deeds, start, to);
      if (!this.isVoid()) {
        hasTried = true;
        onAttempt(this.depth(), times);
      }
      if (canStop && (cursors[1] as number) >= to) break;
    }
    return hasTried;
  }

  /**
   * Each step is the first event of its kind at or after the one before it. Says before which place starts have the same
   * second step, and so all that follows: mostly many of them.
   */
  private ordered(deeds: StepEvents, start: number, to: number): number {
    let before = start;
    for (let step = 1; step < this.count; step++) {
      if (before < to) before = this.next(deeds, step, before, to);
      this.times[step] = before < to ? (deeds.at[before] as number) : Number.NaN;
    }
    return this.pastSecond(deeds, to);
  }

  /** The first place whose start needs another second step than the one that was found. */
  private pastSecond({ at }: StepEvents, to: number): number {
    const second = this.cursors[1] ?? to;
    if (second >= to || this.mustBeAnother[1] === true) return second;
    let place = second + 1;
    while (place < to && at[place] === at[second]) place++;
    return place;
  }

  private next(deeds: StepEvents, step: number, before: number, to: number): number {
    const [word, bit] = [deeds.bits[Math.floor(step / BITS_PER_WORD)] as Int32Array, 1 << (step % BITS_PER_WORD)];
    const { at } = deeds;
    const from = at[before] as number;
    let place = this.cursors[step] as number;
    // Otherwise one of the same instant will do, wherever it stands.
    if (this.mustBeAnother[step] === true) place = Math.max(place, before + 1);
    while (place < to && (((word[place] as number) & bit) === 0 || (at[place] as number) < from)) place++;
    this.cursors[step] = place;
    return place;
  }

  private strict(deeds: StepEvents, start: number, to: number): void {
    for (let step = 0; step < this.count; step++) {
      const place = start + step;
      this.times[step] = place < to && hasBit(deeds, place, step) ? (deeds.at[place] as number) : Number.NaN;
    }
  }

  /** Any step may be the first; the others count where they come after it. */
  private unordered(deeds: StepEvents, from: number, to: number, first: number, onAttempt: OnAttempt): boolean {
    let hasTried = false;
    this.cursors.fill(from);
    for (let start = from; start < to; start++) {
      if (!hasBit(deeds, start, first)) continue;
      const began = deeds.at[start] as number;
      this.times.fill(Number.NaN);
      let done = 0;
      this.times[done++] = began;
      for (let step = 0; step < this.count; step++) {
        if (step === first) continue;
        let place = this.cursors[step] as number;
        while (place < to && (!hasBit(deeds, place, step) || (deeds.at[place] as number) <= began)) place++;
        this.cursors[step] = place;
        if (place < to) this.times[done++] = deeds.at[place] as number;
      }
      this.times.subarray(0, done).sort();
      if (this.isVoid()) continue;
      hasTried = true;
      onAttempt(this.depth(), this.times);
    }
    return hasTried;
  }

  /** How many steps, one after the other, lie within the window. */
  private depth(): number {
    const { times, count } = this;
    if (Number.isNaN(times[1] as number)) return 1;
    const end = this.windowEnd(times[0] as number);
    let depth = 0;
    while (depth < count && (times[depth] as number) <= end) depth++;
    return depth;
  }

  /** What is excluded happened after the one step and before the other, or before the window closed on the other. */
  private isVoid(): boolean {
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

function timesOf(deeds: StepEvents, from: number, to: number, bit: number): number[] {
  const times: number[] = [];
  for (let place = from; place < to; place++) if (hasBit(deeds, place, bit)) times.push(deeds.at[place] as number);
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
