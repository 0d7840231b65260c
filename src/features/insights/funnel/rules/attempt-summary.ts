import { type Tick, tickIndex, ticksOf } from '../../../../core/time/ticks.ts';
import { windowEnds } from '../../../../core/time/window-end.ts';

import type { FunnelQuestion } from '../../rules/question.ts';
import { NumberList } from './number-list.ts';

/** One attempt at a funnel, started by one event. */
export interface FunnelAttempt {
  start: number;
  /** How many steps were done within the conversion window. */
  depth: number;
  /** When each step was done, or null; in an unordered funnel: when any first, second, … step was done. */
  times: readonly (number | null)[];
}

/** An actor's attempts, measured. */
export interface AttemptSummary {
  depth: number;
  /** Step → mean seconds since the step before, over the deepest attempts; null where there are none. */
  meanGaps: readonly (number | null)[];
  medianGaps: readonly (number | null)[];
  /** Tick → depth of the deepest attempt that started there; only in trends. */
  depthByTick: ReadonlyMap<number, number>;
}

const NO_TICKS: ReadonlyMap<number, number> = new Map();

/** Measures the attempts of one actor after the other, each started with `begin`. */
export class AttemptSummariser {
  private readonly steps: number;
  private readonly windowEnd: (from: number) => number;
  readonly ticks: readonly Tick[];
  private depth = 0;
  /** Of the deepest attempts so far. */
  private readonly gaps: readonly NumberList[];
  private depths = new Map<number, number>();

  constructor(question: FunnelQuestion) {
    this.steps = question.steps.length;
    this.gaps = question.steps.map(() => new NumberList());
    this.windowEnd = windowEnds(question.window, question.timezone);
    this.ticks = question.view === 'trends' ? ticksOf(question.range, question.interval, question.timezone) : [];
  }

  summarise(attempts: readonly FunnelAttempt[]): AttemptSummary {
    this.begin();
    for (const { depth, times } of attempts) {
      this.add(
        depth,
        times.map((at) => at ?? Number.NaN),
      );
    }
    return this.summary();
  }

  begin(): void {
    this.depth = 0;
    this.clearGaps();
    if (this.ticks.length > 0) this.depths = new Map();
  }

  /** A step that was not done has NaN as its time. `times` is not retained. */
  add(depth: number, times: ArrayLike<number>): void {
    if (this.ticks.length > 0) this.addToTick(depth, times[0] as number);
    if (depth < this.depth) return;
    if (depth > this.depth) this.clearGaps();
    this.depth = depth;
    let before = times[0] as number;
    for (let step = 1; step < this.steps; step++) {
      const at = times[step] as number;
      // Not where either was not done, nor where it came later than a window after the step before.
      if (at >= before && at <= this.windowEnd(before)) this.gaps[step]?.push((at - before) / 1000);
      before = at;
    }
  }

  summary(): AttemptSummary {
    return {
      depth: this.depth,
      meanGaps: this.gaps.map((gaps) => gaps.mean()),
      medianGaps: this.gaps.map((gaps) => gaps.median()),
      depthByTick: this.ticks.length > 0 ? this.depths : NO_TICKS,
    };
  }

  private clearGaps(): void {
    for (const gaps of this.gaps) gaps.clear();
  }

  private addToTick(depth: number, start: number): void {
    const tick = tickIndex(this.ticks, start);
    this.depths.set(tick, Math.max(this.depths.get(tick) ?? 0, depth));
  }
}
