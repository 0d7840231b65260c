import { type Tick, tickNames, ticksOf } from '../../../../core/time/ticks.ts';
import type { FunnelAnswer, FunnelGroup, FunnelStep, FunnelTrend } from '../../rules/answers.ts';
import type { FunnelQuestion, FunnelValue } from '../../rules/question.ts';
import { compareText, mean, round2, sum } from '../../rules/statistics.ts';
import type { AttemptSummary } from './attempt-summary.ts';
import { NumberList } from './number-list.ts';
import { OTHER } from './split-by-value.ts';

/** What was counted without a breakdown. */
export interface FunnelCounts extends TallyCounts {
  times: Float64Array;
}

/** Counts entrants one by one, and makes the answer from the counts. */
export class FunnelAssembly {
  private readonly question: FunnelQuestion;
  private readonly tallies = new Map<string, Tally>();
  /** The last one used: mostly it is used again. */
  private last: { value: FunnelValue | null; tally: Tally } | undefined;
  private readonly times: number[] = [];

  constructor(question: FunnelQuestion) {
    this.question = question;
    // Without a breakdown there is one group, even if it is empty.
    if (question.breakdown === null && question.steps.length > 0) this.tallyOf(null);
  }

  add(value: FunnelValue | null, summary: AttemptSummary): void {
    this.tallyOf(value).add(summary);
    const { fromStep, toStep, view } = this.question;
    if (view !== 'time_to_convert') return;
    const gaps = summary.meanGaps.slice(fromStep + 1, toStep + 1);
    if (gaps.every((gap) => gap !== null)) this.times.push(sum(gaps));
  }

  /** Only without a breakdown. */
  counts(): FunnelCounts {
    return { ...this.tallyOf(null).state(), times: Float64Array.from(this.times) };
  }

  /** Adds what was counted elsewhere. */
  addCounts({ times, ...counts }: FunnelCounts): void {
    this.tallyOf(null).addState(counts);
    for (const time of times) this.times.push(time);
  }

  private tallyOf(value: FunnelValue | null): Tally {
    if (this.last !== undefined && this.last.value === value) return this.last.tally;
    const key = JSON.stringify(value);
    const tally = this.tallies.get(key) ?? new Tally(this.question, value);
    this.tallies.set(key, tally);
    this.last = { value, tally };
    return tally;
  }

  answer(): FunnelAnswer {
    const { view, bins } = this.question;
    if (view === 'steps') return { view, groups: this.sorted().map((tally) => tally.group()) };
    if (view === 'trends') return { view, trends: this.sorted().map((tally) => tally.trend()) };
    const average = mean(this.times);
    return {
      view,
      times: { bins: timeBins(this.times, bins), average: average === null ? null : round2(average) },
    };
  }

  /** By value, with the others last. */
  private sorted(): Tally[] {
    const isOther = (key: string): number => (key === JSON.stringify(OTHER) ? 1 : 0);
    return [...this.tallies].sort(([a], [b]) => isOther(a) - isOther(b) || compareText(a, b)).map(([, tally]) => tally);
  }
}

interface TallyCounts {
  counts: readonly number[];
  means: readonly Float64Array[];
  medians: readonly Float64Array[];
  reachedFrom: readonly number[];
  reachedTo: readonly number[];
}

/** The counts of one value of the breakdown. */
class Tally {
  private readonly question: FunnelQuestion;
  private readonly value: FunnelValue | null;
  private readonly counts: number[];
  private readonly means: readonly NumberList[];
  private readonly medians: readonly NumberList[];
  private readonly ticks: readonly Tick[];
  private readonly reachedFrom: number[];
  private readonly reachedTo: number[];

  constructor(question: FunnelQuestion, value: FunnelValue | null) {
    this.question = question;
    this.value = value;
    this.counts = question.steps.map(() => 0);
    this.means = question.steps.map(() => new NumberList());
    this.medians = question.steps.map(() => new NumberList());
    this.ticks = question.view === 'trends' ? ticksOf(question.range, question.interval, question.timezone) : [];
    this.reachedFrom = this.ticks.map(() => 0);
    this.reachedTo = this.ticks.map(() => 0);
  }

  add({ depth, meanGaps, medianGaps, depthByTick }: AttemptSummary): void {
    for (const step of this.counts.keys()) {
      if (depth > step) this.counts[step] = (this.counts[step] ?? 0) + 1;
      const [average, middle] = [meanGaps[step] ?? null, medianGaps[step] ?? null];
      if (average !== null) this.means[step]?.push(average);
      if (middle !== null) this.medians[step]?.push(middle);
    }
    for (const [tick, reached] of depthByTick) {
      if (reached > this.question.fromStep) this.reachedFrom[tick] = (this.reachedFrom[tick] ?? 0) + 1;
      if (reached > this.question.toStep) this.reachedTo[tick] = (this.reachedTo[tick] ?? 0) + 1;
    }
  }

  state(): TallyCounts {
    const { counts, reachedFrom, reachedTo } = this;
    const [means, medians] = [this.means, this.medians].map((lists) => lists.map((list) => list.values()));
    return { counts, reachedFrom, reachedTo, means: means ?? [], medians: medians ?? [] };
  }

  addState({ counts, means, medians, reachedFrom, reachedTo }: TallyCounts): void {
    addEach(this.counts, counts);
    addEach(this.reachedFrom, reachedFrom);
    addEach(this.reachedTo, reachedTo);
    pushEach(this.means, means);
    pushEach(this.medians, medians);
  }

  group(): FunnelGroup {
    return {
      value: this.value,
      label: labelOf(this.question, this.value),
      steps: this.question.steps.map((_, order) => this.step(order)),
    };
  }

  private step(order: number): FunnelStep {
    const { order: kind, steps } = this.question;
    const isUnordered = kind === 'unordered';
    return {
      order,
      name: isUnordered ? `Completed ${order + 1} step${order === 0 ? '' : 's'}` : (steps[order]?.name ?? ''),
      customName: isUnordered ? null : (steps[order]?.customName ?? null),
      count: this.counts[order] ?? 0,
      averageTime: this.means[order]?.mean() ?? null,
      medianTime: this.medians[order]?.median() ?? null,
    };
  }

  /** Of those who started in each interval: the percentage that got from the one step to the other. */
  trend(): FunnelTrend {
    const { interval, timezone } = this.question;
    const starts = this.ticks.map(({ start }) => start);
    return {
      value: this.value,
      data: this.reachedTo.map((to, at) => (to === 0 ? 0 : round2((100 * to) / (this.reachedFrom[at] ?? to)))),
      reachedFrom: this.reachedFrom,
      reachedTo: this.reachedTo,
      days: tickNames(starts, interval, timezone).map(({ day }) => day),
      labels: tickNames(starts, 'day', timezone).map(({ label }) => label),
    };
  }
}

function addEach(numbers: number[], more: readonly number[]): void {
  for (const [at, number] of more.entries()) numbers[at] = (numbers[at] ?? 0) + number;
}

function pushEach(lists: readonly NumberList[], more: readonly Float64Array[]): void {
  for (const [at, values] of more.entries()) for (const value of values) lists[at]?.push(value);
}

function labelOf({ breakdown }: FunnelQuestion, value: FunnelValue | null): string | null {
  if (breakdown?.kind === 'cohort') return breakdown.cohorts.find(({ id }) => id === value)?.name ?? null;
  return Array.isArray(value) ? value.join('::') : null;
}

/** The lower bound in seconds, and how many times are in it. */
type TimeBin = readonly [from: number, count: number];

const MAX_BINS = 60;
const MINUTE_SECONDS = 60;

/** A histogram of times in seconds; the number of bins depends on the number of times unless it is given. */
export function timeBins(times: readonly number[], wanted: number | null): TimeBin[] {
  if (times.length === 0) return [];
  // Not `Math.min(...times)`: there may be more times than a call takes arguments.
  const low = Math.floor(times.reduce((least, time) => Math.min(least, time)));
  const high = Math.ceil(times.reduce((most, time) => Math.max(most, time)));
  const count = wanted ?? Math.min(Math.max(Math.ceil(cubeRoot(times.length)), 1), MAX_BINS);
  const width = Math.ceil((high - low) / count) || MINUTE_SECONDS;
  const counts = new Array<number>(count + 1).fill(0);
  for (const time of times) {
    const at = Math.floor((time - low) / width);
    counts[at] = (counts[at] ?? 0) + 1;
  }
  return counts.map((number, at) => [low + at * width, number]);
}

/** Exactly 2 for 8, where floating point may say slightly more. */
const cubeRoot = (value: number): number => Math.round(Math.cbrt(value) * 1e9) / 1e9;
