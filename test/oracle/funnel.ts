import type { FunnelAnswer, FunnelStep, FunnelTrend } from '../../src/features/insights/rules/answers.ts';
import type { FunnelPeopleQuestion, FunnelQuestion, FunnelValue } from '../../src/features/insights/rules/question.ts';
import { windowEnd } from './funnel-attempts.ts';
import { type Entrant, entrantsOf } from './funnel-groups.ts';
import { distinct } from './measure.ts';
import { average, hundredths, median, total } from './statistics.ts';
import { nameOfSlot, slotAt, slotsOf } from './time.ts';
import type { World } from './world.ts';

export function answerFunnel(question: FunnelQuestion, world: World): FunnelAnswer {
  const { view } = question;
  const entrants = entrantsOf(question, world);
  if (view === 'time_to_convert') return { view, times: timesOf(question, entrants) };
  const groups = valuesIn(question, entrants).map((value) => ({
    value,
    label: labelOf(question, value),
    entrants: entrants.filter((one) => JSON.stringify(one.value) === JSON.stringify(value)),
  }));
  if (view === 'trends') {
    return { view, trends: groups.map(({ value, entrants: own }) => ({ value, ...trendOf(question, own) })) };
  }
  return {
    view,
    groups: groups.map(({ value, label, entrants: own }) => ({
      value,
      label,
      steps: question.steps.map((_, order) => stepOf(question, order, own)),
    })),
  };
}

/** In the order of their JSON, with the others last; without a breakdown there is one group, even if it is empty. */
function valuesIn({ breakdown, steps }: FunnelQuestion, entrants: readonly Entrant[]): (FunnelValue | null)[] {
  if (breakdown === null) return steps.length === 0 ? [] : [null];
  const other = '["Other"]';
  const keys = distinct(entrants.map(({ value }) => JSON.stringify(value)));
  const sorted = keys.filter((key) => key !== other).sort();
  return [...sorted, ...keys.filter((key) => key === other)].map((key) => JSON.parse(key));
}

function labelOf({ breakdown }: FunnelQuestion, value: FunnelValue | null): string | null {
  if (value === null) return null;
  if (breakdown?.kind === 'cohort') return breakdown.cohorts.find(({ id }) => id === value)?.name ?? String(value);
  return [value].flat().join('::');
}

const depthOf = ({ attempts }: Pick<Entrant, 'attempts'>): number => Math.max(...attempts.map(({ depth }) => depth));

function stepOf(question: FunnelQuestion, order: number, entrants: readonly Entrant[]): FunnelStep {
  const { steps } = question;
  const entity = steps[order];
  const gaps = entrants.map((entrant) => gapsBefore(question, order, entrant)).filter((own) => own.length > 0);
  const named =
    question.order === 'unordered'
      ? { name: order === 0 ? 'Completed 1 step' : `Completed ${order + 1} steps`, customName: null }
      : { name: entity?.name ?? '', customName: entity?.customName ?? null };
  return {
    order,
    ...named,
    count: entrants.filter((entrant) => depthOf(entrant) > order).length,
    averageTime: average(gaps.map((own) => average(own) ?? 0)),
    medianTime: median(gaps.map((own) => median(own) ?? 0)),
  };
}

/** The seconds from the step before to this one, in each of the deepest attempts in which both were done in time. */
function gapsBefore(question: FunnelQuestion, step: number, entrant: Pick<Entrant, 'attempts'>): number[] {
  const depth = depthOf(entrant);
  return entrant.attempts.flatMap((attempt) => {
    const [before, at] = [attempt.times[step - 1] ?? null, attempt.times[step] ?? null];
    if (attempt.depth !== depth || before === null || at === null || at > windowEnd(question, before)) return [];
    return [(at - before) / 1000];
  });
}

/** Per interval of their start, the deepest attempt of each actor. */
function trendOf(question: FunnelQuestion, entrants: readonly Entrant[]): Omit<FunnelTrend, 'value'> {
  const { range, interval, timezone, fromStep, toStep } = question;
  const slots = slotsOf(range, interval, timezone);
  const reached = (slot: number, step: number): number =>
    entrants.filter((entrant) => depthIn(question, slot, entrant) > step).length;
  const reachedFrom = slots.map((_, slot) => reached(slot, fromStep));
  const reachedTo = slots.map((_, slot) => reached(slot, toStep));
  const names = slots.map(({ start }) => nameOfSlot(start, interval, timezone));
  return {
    data: slots.map((_, slot) => {
      const [from, to] = [reachedFrom[slot] ?? 0, reachedTo[slot] ?? 0];
      return from === 0 ? 0 : hundredths((100 * to) / from);
    }),
    reachedFrom,
    reachedTo,
    days: names.map(({ day }) => day),
    // Without the hour, as in PostHog.
    labels: names.map(({ label }) => label.split(' ')[0] ?? ''),
  };
}

function depthIn({ range, interval, timezone }: FunnelQuestion, slot: number, { attempts }: Entrant): number {
  const slots = slotsOf(range, interval, timezone);
  return Math.max(0, ...attempts.filter(({ start }) => slotAt(slots, start) === slot).map(({ depth }) => depth));
}

function timesOf(question: FunnelQuestion, entrants: readonly Entrant[]) {
  const { fromStep, toStep, bins } = question;
  const between = question.steps.map((_, step) => step).slice(fromStep + 1, toStep + 1);
  const times = entrants.flatMap((entrant) => {
    const gaps = between.map((step) => average(gapsBefore(question, step, entrant)));
    return gaps.every((gap) => gap !== null) ? [total(gaps)] : [];
  });
  const mean = average(times);
  return { bins: timeBins(times, bins), average: mean === null ? null : hundredths(mean) };
}

function timeBins(times: readonly number[], asked: number | null): [number, number][] {
  if (times.length === 0) return [];
  const [low, high] = [Math.floor(Math.min(...times)), Math.ceil(Math.max(...times))];
  const count = asked ?? Math.min(60, Math.max(1, Math.ceil(Math.cbrt(times.length))));
  const width = Math.ceil((high - low) / count) || 60;
  return Array.from({ length: count + 1 }, (_, at) => {
    const from = low + at * width;
    return [from, times.filter((time) => time >= from && time < from + width).length];
  });
}

/** In the order of their ids. */
export const funnelPeople = (question: FunnelPeopleQuestion, world: World): string[] =>
  distinct(selectedEntrants(question, world).map(({ actor }) => actor)).sort();

export const selectedEntrants = ({ funnel, selection, value }: FunnelPeopleQuestion, world: World): Entrant[] =>
  entrantsOf(funnel, world).filter(
    (entrant) =>
      (value === null || JSON.stringify(entrant.value) === JSON.stringify(value)) &&
      isSelected(funnel, selection, entrant),
  );

/** Whether a number of a funnel counts this entrant. */
function isSelected(funnel: FunnelQuestion, selection: FunnelPeopleQuestion['selection'], entrant: Entrant): boolean {
  const depth = depthOf(entrant);
  switch (selection.kind) {
    case 'reached':
      return depth >= selection.step;
    case 'dropped':
      return depth === selection.step - 1;
    case 'exactly':
      return selection.steps.includes(depth);
    case 'entered': {
      const slot = slotAt(slotsOf(funnel.range, funnel.interval, funnel.timezone), selection.period);
      const then = slot < 0 ? 0 : depthIn(funnel, slot, entrant);
      const hasConverted = then > funnel.toStep;
      return selection.isDropOff ? then > funnel.fromStep && !hasConverted : hasConverted;
    }
  }
}
