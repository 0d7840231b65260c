import type { FunnelAnswer, FunnelGroup, FunnelStep, FunnelTimes, FunnelTrend } from '../answers/answers.ts';
import { compareText } from '../answers/assemble-trends.ts';
import { round2 } from '../formula/evaluate-formula.ts';
import { mean, median, sum } from '../numbers/statistics.ts';
import { timeBins } from '../numbers/time-bins.ts';
import type { FunnelPeopleQuestion, FunnelQuestion, FunnelSelection, FunnelValue } from '../questions/question.ts';
import { addTo, floorTo } from '../time/interval.ts';
import { tickNames, ticksOf } from '../time/ticks.ts';
import type { Attempt } from './funnel-attempts.ts';
import { type Entrant, entrantsOf, OTHER } from './funnel-groups.ts';
import { distinct } from './measure.ts';
import type { World } from './world.ts';

export function answerFunnel(question: FunnelQuestion, world: World): FunnelAnswer {
  const entrants = entrantsOf(question, world);
  switch (question.view) {
    case 'steps':
      return {
        view: 'steps',
        groups: byValue(question, entrants).map(([value, own]) => groupOf(question, value, own)),
      };
    case 'trends':
      return {
        view: 'trends',
        trends: byValue(question, entrants).map(([value, own]) => trendOf(question, value, own)),
      };
    case 'time_to_convert':
      return { view: 'time_to_convert', times: timesOf(question, entrants) };
  }
}

/** In the order of their names, what is left over last; without a breakdown there is one, be it empty. */
function byValue(
  { breakdown, steps }: FunnelQuestion,
  entrants: readonly Entrant[],
): [FunnelValue | null, Entrant[]][] {
  if (steps.length === 0) return [];
  if (breakdown === null) return [[null, [...entrants]]];
  const keys = distinct(entrants.map(({ value }) => JSON.stringify(value))).sort(compareText);
  const isOther = (key: string): number => (key === JSON.stringify(OTHER) ? 1 : 0);
  return keys
    .sort((a, b) => isOther(a) - isOther(b))
    .map((key) => {
      const own = entrants.filter(({ value }) => JSON.stringify(value) === key);
      return [own[0]?.value ?? null, own];
    });
}

const depthOf = (attempts: readonly Attempt[]): number => Math.max(0, ...attempts.map(({ depth }) => depth));

const bestOf = (attempts: readonly Attempt[]): Attempt[] => attempts.filter(({ depth }) => depth === depthOf(attempts));

function groupOf(question: FunnelQuestion, value: FunnelValue | null, entrants: readonly Entrant[]): FunnelGroup {
  const steps = question.steps.map((entity, order): FunnelStep => {
    const gaps = (average: Average): number[] => entrants.flatMap((one) => ownGap(question, one, order, average) ?? []);
    const isUnordered = question.order === 'unordered';
    return {
      order,
      name: isUnordered ? `Completed ${order + 1} step${order === 0 ? '' : 's'}` : entity.name,
      customName: isUnordered ? null : entity.customName,
      count: entrants.filter(({ attempts }) => depthOf(attempts) > order).length,
      averageTime: mean(gaps(mean)),
      medianTime: median(gaps(median)),
    };
  });
  return { value, label: labelOf(question, value), steps };
}

function labelOf({ breakdown }: FunnelQuestion, value: FunnelValue | null): string | null {
  if (breakdown?.kind === 'cohort') return breakdown.cohorts.find(({ id }) => id === value)?.name ?? null;
  return Array.isArray(value) ? value.join('::') : null;
}

type Average = (values: readonly number[]) => number | null;

/** How long somebody took from the step before: the average over their best attempts. */
function ownGap(question: FunnelQuestion, { attempts }: Entrant, step: number, average: Average): number | null {
  return average(bestOf(attempts).flatMap(({ times }) => gapOf(question, times, step) ?? []));
}

/** Seconds; null where the step came later than a window after the step before it, or not at all. */
function gapOf({ window, timezone }: FunnelQuestion, times: Attempt['times'], step: number): number | null {
  const [before, at] = [times[step - 1] ?? null, times[step] ?? null];
  if (before === null || at === null || at > addTo(before, window.count, window.unit, timezone)) return null;
  return (at - before) / 1000;
}

/** Of those who began in each interval: how many percent got from the one step to the other. */
function trendOf(question: FunnelQuestion, value: FunnelValue | null, entrants: readonly Entrant[]): FunnelTrend {
  const { range, interval, timezone, fromStep, toStep } = question;
  const starts = ticksOf(range, interval, timezone).map(({ start }) => start);
  const reached = (step: number): number[] =>
    starts.map((start) => entrants.filter((one) => depthIn(question, one, start) > step).length);
  const [reachedFrom, reachedTo] = [reached(fromStep), reached(toStep)];
  return {
    value,
    data: reachedTo.map((to, at) => (to === 0 ? 0 : round2((100 * to) / (reachedFrom[at] ?? to)))),
    reachedFrom,
    reachedTo,
    days: tickNames(starts, interval, timezone).map(({ day }) => day),
    labels: tickNames(starts, 'day', timezone).map(({ label }) => label),
  };
}

const depthIn = ({ interval, timezone }: FunnelQuestion, { attempts }: Entrant, start: number): number =>
  depthOf(attempts.filter((attempt) => floorTo(attempt.start, interval, timezone) === start));

function timesOf(question: FunnelQuestion, entrants: readonly Entrant[]): FunnelTimes {
  const { fromStep, toStep, bins } = question;
  const times = entrants.flatMap((entrant) => {
    const gaps = question.steps
      .slice(fromStep, toStep)
      .map((_, at) => ownGap(question, entrant, fromStep + at + 1, mean));
    return gaps.some((gap) => gap === null) ? [] : [sum(gaps.map((gap) => gap ?? 0))];
  });
  const average = mean(times);
  return { bins: timeBins(times, bins), average: average === null ? null : round2(average) };
}

/** Whom a number of a funnel counts, in the order of their ids. */
export function funnelPeople({ funnel, selection, value }: FunnelPeopleQuestion, world: World): string[] {
  const isAsked = (entrant: Entrant): boolean =>
    value === null || JSON.stringify(entrant.value) === JSON.stringify(value);
  const entrants = entrantsOf(funnel, world).filter(
    (entrant) => isAsked(entrant) && isSelected(funnel, selection, entrant),
  );
  return distinct(entrants.map(({ actor }) => actor)).sort(compareText);
}

function isSelected(funnel: FunnelQuestion, selection: FunnelSelection, entrant: Entrant): boolean {
  const depth = depthOf(entrant.attempts);
  switch (selection.kind) {
    case 'reached':
      return depth >= selection.step;
    case 'dropped':
      return depth === selection.step - 1;
    case 'exactly':
      return selection.steps.includes(depth);
    case 'entered': {
      const then = depthIn(funnel, entrant, selection.period);
      return selection.isDropOff ? then > funnel.fromStep && then <= funnel.toStep : then > funnel.toStep;
    }
  }
}
