import type { PropertyBreakdown } from '../../src/core/actions/breakdown.ts';
import { isInRange } from '../../src/core/time/range.ts';
import type { FunnelAttempt } from '../../src/features/insights/funnel/rules/attempt-summary.ts';
import {
  attributionStep,
  largestValues,
  type ValuePart,
  type ValueReader,
  ValueSplitter,
} from '../../src/features/insights/funnel/rules/split-by-value.ts';
import type { FunnelQuestion, FunnelValue } from '../../src/features/insights/rules/question.ts';
import { breakdownText } from './break-down.ts';
import { attemptsOf } from './funnel-attempts.ts';
import { distinct } from './measure.ts';
import type { World, WorldEvent } from './world.ts';

/** The attempts of one actor, as part of one value of the breakdown. */
export interface Entrant {
  actor: string;
  value: FunnelValue | null;
  attempts: readonly FunnelAttempt[];
}

/** All entrants, once for each value of the breakdown that they belong to. */
export function entrantsOf(question: FunnelQuestion, world: World): Entrant[] {
  if (question.steps.length === 0) return [];
  const events = funnelEvents(question, world);
  const actors = distinct(events.map((event) => world.actorOf(event, question.actor)));
  const divide = splitterOf(question, world, events);
  const entrants = actors.flatMap((actor) => {
    const own = events.filter((event) => world.actorOf(event, question.actor) === actor);
    return divide(own).map((part) => ({
      actor,
      value: part.value,
      attempts: attemptsOf(question, world, part.events),
    }));
  });
  return joined(entrants).filter(({ attempts }) => attempts.length > 0);
}

/** All events of actors in the range. */
export const funnelEvents = (question: FunnelQuestion, world: World): WorldEvent[] =>
  world.events.filter(
    (event) =>
      isInRange(event.timestamp, question.range) &&
      world.actorOf(event, question.actor) !== null &&
      world.holds(event, question.filter),
  );

/** Several values may be shown as one: the others. */
function joined(entrants: readonly Entrant[]): Entrant[] {
  const byKey = new Map<string, Entrant>();
  for (const entrant of entrants) {
    const key = JSON.stringify([entrant.actor, entrant.value]);
    const known = byKey.get(key)?.attempts ?? [];
    byKey.set(key, { ...entrant, attempts: [...known, ...entrant.attempts] });
  }
  return [...byKey.values()];
}

/** Splits one actor's events by the breakdown. */
function splitterOf(
  question: FunnelQuestion,
  world: World,
  all: readonly WorldEvent[],
): (own: readonly WorldEvent[]) => ValuePart<WorldEvent>[] {
  const { breakdown } = question;
  if (breakdown === null) return (events) => [{ value: null, events }];
  if (breakdown.kind === 'property') {
    const divider = valueSplitter(question, breakdown, world, all);
    return (events) => divider.split(events);
  }
  return (events) =>
    breakdown.cohorts
      .filter(({ id }) => world.isMember(events[0]?.personId ?? null, id))
      .map(({ id }) => ({ value: id, events }));
}

function valueSplitter(
  question: FunnelQuestion,
  breakdown: PropertyBreakdown,
  world: World,
  all: readonly WorldEvent[],
): ValueSplitter<WorldEvent> {
  const { steps } = question;
  const text = breakdownText(world, breakdown, question.range);
  const isStep = (event: WorldEvent): boolean => steps.some((step) => world.isOf(event, step));
  const telling = steps[attributionStep(question) ?? -1];
  const read: ValueReader<WorldEvent> = {
    valuesOn: (event) => breakdown.keys.map((key) => text(event, key) ?? ''),
    isStep,
    isAttributed: (event) => (telling === undefined ? isStep(event) : world.isOf(event, telling)),
  };
  const kept = largestValues(countsOf(all.filter(read.isAttributed).map(read.valuesOn)), breakdown.limit);
  return new ValueSplitter(question, breakdown.keys.length, read, kept);
}

const countsOf = (values: readonly (readonly string[])[]): [string[], number][] => {
  const keys = values.map((value) => JSON.stringify(value));
  return distinct(keys).map((key) => [JSON.parse(key) as string[], keys.filter((one) => one === key).length]);
};
