import { mean, median } from '../numbers/statistics.ts';
import type { FunnelQuestion } from '../questions/question.ts';
import { type Tick, tickAt, ticksOf } from '../time/ticks.ts';
import { windowEnds } from '../time/window-end.ts';
import { type Attempt, bestDepth, bestOf } from './attempt.ts';

/** What is left of somebody's attempts once they are measured: much less than the attempts. */
export interface Summary {
  depth: number;
  /** Step → seconds since the step before, on average over the best attempts; null where there are none. */
  meanGaps: readonly (number | null)[];
  medianGaps: readonly (number | null)[];
  /** Tick → depth of the best attempt that began there; only where the funnel is shown over time. */
  depthByTick: ReadonlyMap<number, number>;
}

/** Measures attempts, always for the same question. */
export class Summariser {
  private readonly question: FunnelQuestion;
  private readonly windowEnd: (from: number) => number;
  readonly ticks: readonly Tick[];

  constructor(question: FunnelQuestion) {
    this.question = question;
    this.windowEnd = windowEnds(question.window, question.timezone);
    this.ticks = question.view === 'trends' ? ticksOf(question.range, question.interval, question.timezone) : [];
  }

  summarise(attempts: readonly Attempt[]): Summary {
    const best = bestOf(attempts);
    const gaps = this.question.steps.map((_, step) => best.flatMap(({ times }) => this.gapOf(times, step) ?? []));
    return {
      depth: bestDepth(attempts),
      meanGaps: gaps.map(mean),
      medianGaps: gaps.map(median),
      depthByTick: this.depthByTick(attempts),
    };
  }

  /** Seconds; null where the step came later than a window after the step before it, or not at all. */
  private gapOf(times: Attempt['times'], step: number): number | null {
    const [before, at] = [times[step - 1] ?? null, times[step] ?? null];
    if (before === null || at === null || at > this.windowEnd(before)) return null;
    return (at - before) / 1000;
  }

  private depthByTick(attempts: readonly Attempt[]): Map<number, number> {
    const depths = new Map<number, number>();
    if (this.ticks.length === 0) return depths;
    for (const { start, depth } of attempts) {
      const tick = tickAt(this.ticks, start);
      depths.set(tick, Math.max(depths.get(tick) ?? 0, depth));
    }
    return depths;
  }
}
