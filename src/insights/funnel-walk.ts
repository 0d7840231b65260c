/**
 * Finds the attempts of one actor at a funnel: the same as `core/insights/oracle/funnel-attempts.ts`, in one go over
 * the events, since starts only ever move forward in time and so do the steps after them.
 */
import type { Attempt } from '../core/insights/funnel/attempt.ts';
import type { Exclusion, FunnelQuestion } from '../core/insights/questions/question.ts';
import { includesEntity } from '../core/insights/questions/same-entity.ts';
import { windowEnds } from '../core/insights/time/window-end.ts';

/** An event of an actor, as much of it as a funnel looks at. */
export interface Deed {
  at: number;
  /** A digit for each step, then one for each exclusion: 1 where it is one of theirs. */
  bits: string;
  /** Of the breakdown. */
  values: readonly string[];
}

const ONE = 49;
export const hasBit = ({ bits }: Deed, at: number): boolean => bits.charCodeAt(at) === ONE;

type Times = readonly (number | null)[];

export class FunnelWalk {
  private readonly order: FunnelQuestion['order'];
  private readonly count: number;
  private readonly exclusions: readonly Exclusion[];
  private readonly windowEnd: (from: number) => number;
  /** Whether one event cannot be both the step and the one before it. */
  private readonly mustBeAnother: readonly boolean[];

  constructor({ order, steps, exclusions, window, timezone }: FunnelQuestion) {
    this.order = order;
    this.count = steps.length;
    this.exclusions = order === 'strict' ? [] : exclusions;
    this.windowEnd = windowEnds(window, timezone);
    this.mustBeAnother = steps.map((step, at) => {
      const before = steps[at - 1];
      return before !== undefined && includesEntity(step, before);
    });
  }

  /** Of events in the order of time. Attempts that an exclusion falls into are none. */
  attemptsOf(deeds: readonly Deed[]): Attempt[] {
    const places = Array.from({ length: this.count }, (_, step) => placesOf(deeds, step));
    if (this.order === 'strict') return this.strict(deeds, places[0] ?? []);
    const excluded = this.exclusions.map((_, at) =>
      placesOf(deeds, this.count + at).map((place) => timeAt(deeds, place)),
    );
    if (this.order === 'ordered') return this.ordered(deeds, places, excluded);
    return places.flatMap((_, first) => this.unordered(deeds, places, first, excluded));
  }

  private ordered(deeds: readonly Deed[], places: Places, excluded: readonly number[][]): Attempt[] {
    const cursors = places.map(() => 0);
    const attempts: Attempt[] = [];
    for (const start of places[0] ?? []) {
      const times: (number | null)[] = [timeAt(deeds, start)];
      let before: number | undefined = start;
      for (let step = 1; step < this.count; step++) {
        before = before === undefined ? undefined : this.next(deeds, places, cursors, step, before);
        times.push(before === undefined ? null : timeAt(deeds, before));
      }
      if (!this.isVoid(times, excluded))
        attempts.push({ start: timeAt(deeds, start), depth: this.depthOf(times), times });
    }
    return attempts;
  }

  /** The first event of the step at or after the one before it; the cursors remember how far it was looked. */
  private next(
    deeds: readonly Deed[],
    places: Places,
    cursors: number[],
    step: number,
    before: number,
  ): number | undefined {
    const own = places[step] ?? [];
    const from = timeAt(deeds, before);
    let at = cursors[step] ?? 0;
    const isTooEarly = (place: number): boolean =>
      this.mustBeAnother[step] ? place <= before : timeAt(deeds, place) < from;
    while (at < own.length && isTooEarly(own[at] as number)) at++;
    cursors[step] = at;
    return own[at];
  }

  private strict(deeds: readonly Deed[], starts: readonly number[]): Attempt[] {
    return starts.map((start) => {
      const times = Array.from({ length: this.count }, (_, step) => {
        const deed = deeds[start + step];
        return deed !== undefined && hasBit(deed, step) ? deed.at : null;
      });
      return { start: timeAt(deeds, start), depth: this.depthOf(times), times };
    });
  }

  private unordered(deeds: readonly Deed[], places: Places, first: number, excluded: readonly number[][]): Attempt[] {
    const cursors = places.map(() => 0);
    const attempts: Attempt[] = [];
    for (const start of places[first] ?? []) {
      const from = timeAt(deeds, start);
      const done = [from];
      for (const [step, own] of places.entries()) {
        if (step === first) continue;
        let at = cursors[step] ?? 0;
        while (at < own.length && timeAt(deeds, own[at] as number) <= from) at++;
        cursors[step] = at;
        if (at < own.length) done.push(timeAt(deeds, own[at] as number));
      }
      done.sort((a, b) => a - b);
      const times = places.map((_, at) => done[at] ?? null);
      const end = this.windowEnd(from);
      if (!this.isVoid(times, excluded))
        attempts.push({ start: from, depth: done.filter((at) => at <= end).length, times });
    }
    return attempts;
  }

  private depthOf(times: Times): number {
    const end = this.windowEnd(times[0] ?? 0);
    const missed = times.findIndex((at) => at === null || at > end);
    return missed < 0 ? times.length : missed;
  }

  /** What is excluded happened after the one step and before the other, or before the window closed on the other. */
  private isVoid(times: Times, excluded: readonly number[][]): boolean {
    return this.exclusions.some((exclusion, index) => {
      const from = times[exclusion.from] ?? null;
      if (from === null) return false;
      const first = firstFrom(excluded[index] ?? [], from);
      return first !== undefined && first > from && first < (times[exclusion.to] ?? this.windowEnd(from));
    });
  }
}

/** Step → the places of its events. */
type Places = readonly (readonly number[])[];

const timeAt = (deeds: readonly Deed[], place: number): number => (deeds[place] as Deed).at;

function placesOf(deeds: readonly Deed[], bit: number): number[] {
  const places: number[] = [];
  for (const [place, deed] of deeds.entries()) if (hasBit(deed, bit)) places.push(place);
  return places;
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
