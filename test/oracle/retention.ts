import type { Interval } from '../../src/core/time/interval.ts';
import type { FoundActor, RetentionRow } from '../../src/features/insights/rules/answers.ts';
import type { RetentionPeopleQuestion, RetentionQuestion } from '../../src/features/insights/rules/question.ts';
import { breakdownText } from './break-down.ts';
import { distinct } from './measure.ts';
import { isWithin, later, type Slot, slotAt, slotsOf } from './time.ts';
import type { World, WorldEvent } from './world.ts';

export type RetentionPerson = Required<Pick<FoundActor, 'actor' | 'appearances'>>;

/** A person who started in an interval, with their values of the breakdown. */
interface Arrival {
  person: string;
  interval: number;
  values: readonly string[];
}

export function answerRetention(question: RetentionQuestion, world: World): RetentionRow[] {
  const { breakdown, intervals, period, range, timezone } = question;
  const arrivals = arrivalsOf(question, world);
  const returns = returnsOf(question, world);
  if (breakdown !== null) return rowsOfValues(question, arrivals, returns);
  return Array.from({ length: intervals }, (_, at) => {
    const own = arrivals.filter(({ interval }) => interval === at);
    return {
      label: `${period} ${at}`,
      date: later(range.from, at, unitOf(question), timezone),
      breakdownValues: null,
      counts: countsOf(own, returns, intervals - at),
    };
  });
}

function rowsOfValues(
  { intervals }: RetentionQuestion,
  arrivals: readonly Arrival[],
  returns: Returns,
): RetentionRow[] {
  const labels = distinct(arrivals.map(({ values }) => JSON.stringify(values))).sort();
  return labels.map((label) => {
    const own = arrivals.filter(({ values }) => JSON.stringify(values) === label);
    const values = own[0]?.values ?? [];
    return { label: values.join('::'), date: null, breakdownValues: values, counts: countsOf(own, returns, intervals) };
  });
}

type Returns = ReadonlyMap<string, ReadonlySet<number>>;

/** How many arrived, and how many of them came back 1, 2, … intervals later. */
const countsOf = (arrivals: readonly Arrival[], returns: Returns, length: number): number[] =>
  Array.from({ length }, (_, after) => {
    const there = arrivals.filter(({ person, interval }) => isActive(returns, person, interval, after));
    return distinct(there.map(({ person }) => person)).length;
  });

const isActive = (returns: Returns, person: string, interval: number, after: number): boolean =>
  after === 0 || returns.get(person)?.has(interval + after) === true;

const unitOf = ({ period }: RetentionQuestion): Interval => period.toLowerCase() as Interval;

const slotsIn = (question: RetentionQuestion): Slot[] =>
  slotsOf(question.range, unitOf(question), question.timezone).slice(0, question.intervals);

function arrivalsOf(question: RetentionQuestion, world: World): Arrival[] {
  const { target, breakdown, filter, range, isFirstTime, isFirstCohortOnly } = question;
  const slots = slotsIn(question);
  const text = breakdown?.kind === 'property' ? breakdownText(world, breakdown, range) : () => '';
  const keys = breakdown?.kind === 'property' ? breakdown.keys : [];
  const events = world.events.filter((event) => world.isOf(event, target) && world.holds(event, filter));
  const telling = isFirstTime ? firstOfEach(events) : events;
  return telling.flatMap((event) => {
    const interval = isWithin(event.timestamp, range) ? slotAt(slots, event.timestamp) : -1;
    if (event.personId === null || interval < 0 || (isFirstCohortOnly && interval > 0)) return [];
    return [{ person: event.personId, interval, values: keys.map((key) => text(event, key) ?? '') }];
  });
}

/** Of all time, not only of the range. */
const firstOfEach = (events: readonly WorldEvent[]): WorldEvent[] => {
  const first = new Map<string | null, WorldEvent>();
  for (const event of events) if (!first.has(event.personId)) first.set(event.personId, event);
  return [...first.values()];
};

function returnsOf(question: RetentionQuestion, world: World): Returns {
  const slots = slotsIn(question);
  const returns = new Map<string, Set<number>>();
  for (const event of world.events) {
    if (event.personId === null || !isWithin(event.timestamp, question.range)) continue;
    if (!world.isOf(event, question.returning) || !world.holds(event, question.filter)) continue;
    const intervals = returns.get(event.personId) ?? new Set();
    returns.set(event.personId, intervals.add(slotAt(slots, event.timestamp)));
  }
  return returns;
}

/** The persons of one cohort, those who came back most often first. */
export function retentionPeople({ retention, cohort }: RetentionPeopleQuestion, world: World): RetentionPerson[] {
  const isAsked = ({ interval, values }: Arrival): boolean =>
    cohort.kind === 'interval'
      ? interval === cohort.interval
      : JSON.stringify(values) === JSON.stringify(cohort.values);
  const arrivals = arrivalsOf(retention, world).filter(isAsked);
  const returns = returnsOf(retention, world);
  const length = retention.intervals - (cohort.kind === 'interval' ? cohort.interval : 0);
  return distinct(arrivals.map(({ person }) => person))
    .map((actor) => {
      const own = arrivals.filter(({ person }) => person === actor);
      return { actor, appearances: countsOf(own, returns, length).map((count) => (count > 0 ? 1 : 0)) };
    })
    .sort((a, b) => often(b) - often(a) || (a.actor < b.actor ? -1 : 1));
}

const often = ({ appearances }: RetentionPerson): number => appearances.filter((there) => there === 1).length;
