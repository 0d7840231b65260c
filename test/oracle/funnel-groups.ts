import type { PropertyBreakdown } from '../../src/core/actions/breakdown.ts';
import type { FunnelQuestion, FunnelValue } from '../../src/features/insights/rules/question.ts';
import { breakdownText } from './break-down.ts';
import { type Attempt, attemptsOf } from './funnel-attempts.ts';
import { distinct } from './measure.ts';
import { isWithin } from './time.ts';
import type { World, WorldEvent } from './world.ts';

/** The attempts of one actor, as part of one value of the breakdown. */
export interface Entrant {
  actor: string;
  value: FunnelValue | null;
  attempts: readonly Attempt[];
}

/** All entrants, once for each value of the breakdown that they belong to. */
export function entrantsOf(question: FunnelQuestion, world: World): Entrant[] {
  if (question.steps.length === 0) return [];
  const events = funnelEvents(question, world);
  const reader = valueReader(question, world, events);
  const entrants = distinct(events.map((event) => world.actorOf(event, question.actor))).flatMap((actor) => {
    const own = events.filter((event) => world.actorOf(event, question.actor) === actor);
    return entrantsOfActor(question, world, own, reader).map((entrant) => ({ actor, ...entrant }));
  });
  return joined(entrants).filter(({ attempts }) => attempts.length > 0);
}

/** All events of actors in the range. */
export const funnelEvents = (question: FunnelQuestion, world: World): WorldEvent[] =>
  world.events.filter(
    (event) =>
      isWithin(event.timestamp, question.range) &&
      world.actorOf(event, question.actor) !== null &&
      world.holds(event, question.filter),
  );

/** Several values may be shown as one: the others. */
function joined(entrants: readonly Entrant[]): Entrant[] {
  const keys = distinct(entrants.map(({ actor, value }) => JSON.stringify([actor, value])));
  return keys.map((key) => {
    const same = entrants.filter(({ actor, value }) => JSON.stringify([actor, value]) === key);
    return { ...(same[0] as Entrant), attempts: same.flatMap(({ attempts }) => attempts) };
  });
}

/** The value of an event. */
type ReadValue = (event: WorldEvent) => readonly string[];

interface ValueReader {
  /** As it is shown. */
  readValue: ReadValue;
  /** As it was sent. */
  readSent: ReadValue;
}

function entrantsOfActor(
  question: FunnelQuestion,
  world: World,
  own: readonly WorldEvent[],
  reader: ValueReader | null,
): Omit<Entrant, 'actor'>[] {
  const { breakdown } = question;
  if (breakdown === null) return [{ value: null, attempts: attemptsOf(question, world, own) }];
  if (breakdown.kind === 'property') return reader === null ? [] : byValue(question, world, own, reader);
  return breakdown.cohorts
    .filter(({ id }) => world.isMember(own[0]?.personId ?? null, id))
    .map(({ id }) => ({ value: id, attempts: attemptsOf(question, world, own) }));
}

/** What each attribution means. */
function byValue(
  question: FunnelQuestion,
  world: World,
  own: readonly WorldEvent[],
  { readValue, readSent }: ValueReader,
): Omit<Entrant, 'actor'>[] {
  const { attribution, steps } = question;
  const ofStep = (step: number): WorldEvent[] => {
    const entity = steps[step];
    return entity === undefined ? [] : own.filter((event) => world.isOf(event, entity));
  };
  const touching = own.filter((event) => steps.some((step) => world.isOf(event, step)));
  const whole = (value: readonly string[]) => [{ value, attempts: attemptsOf(question, world, own) }];
  // The first or last event that says anything, whether or not its value is shown.
  const isSaid = (event: WorldEvent): boolean => readSent(event).some((text) => text !== '');
  const touch = (events: readonly WorldEvent[]) => [events.find(isSaid) ?? events[0] ?? []].flat().map(readValue);
  if (attribution.kind === 'first_touch') return touch(touching).flatMap(whole);
  if (attribution.kind === 'last_touch') return touch(touching.toReversed()).flatMap(whole);
  if (attribution.kind !== 'step') {
    // Values that are not shown stay apart: nobody converts from one to another.
    return unique(own.map(readSent)).flatMap((value) => {
      const same = own.filter((event) => JSON.stringify(readSent(event)) === JSON.stringify(value));
      return same
        .slice(0, 1)
        .map((event) => ({ value: readValue(event), attempts: attemptsOf(question, world, same) }));
    });
  }
  const { step } = attribution;
  if (question.order !== 'unordered') return unique(ofStep(step).map(readValue)).flatMap(whole);
  // Steps are counted from the one that the attempt began with.
  return steps.flatMap((_, first) =>
    unique(ofStep((first + step) % steps.length).map(readValue)).map((value) => ({
      value,
      attempts: attemptsOf(question, world, own).filter((attempt) => attempt.first === first),
    })),
  );
}

const unique = (values: readonly (readonly string[])[]): string[][] =>
  distinct(values.map((value) => JSON.stringify(value))).map((value) => JSON.parse(value));

/** Only the values with the most events are shown; all others are `Other`. */
function valueReader(question: FunnelQuestion, world: World, all: readonly WorldEvent[]): ValueReader | null {
  const { breakdown, steps, attribution, order } = question;
  if (breakdown?.kind !== 'property') return null;
  const read = rawReader(question, breakdown, world);
  const step = attribution.kind === 'step' ? attribution.step : 0;
  const isByStep = order !== 'unordered' && (attribution.kind === 'step' || attribution.kind === 'all_events');
  const ranking = isByStep ? steps.slice(step, step + 1) : steps;
  const ranked = all
    .filter((event) => ranking.some((one) => world.isOf(event, one)))
    .map((event) => JSON.stringify(read(event)));
  const counts = distinct(ranked).map((key) => ({ key, count: ranked.filter((one) => one === key).length }));
  counts.sort((a, b) => b.count - a.count || (a.key < b.key ? 1 : -1));
  const kept = counts.slice(0, breakdown.limit).map(({ key }) => key);
  return {
    readValue: (event) => (kept.includes(JSON.stringify(read(event))) ? read(event) : ['Other']),
    readSent: read,
  };
}

function rawReader(question: FunnelQuestion, breakdown: PropertyBreakdown, world: World): ReadValue {
  const text = breakdownText(world, breakdown, question.range);
  return (event) => breakdown.keys.map((key) => text(event, key) ?? '');
}
