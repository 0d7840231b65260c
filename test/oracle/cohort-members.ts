/** Evaluates the criteria of a cohort for one person in the simplest way. The engine is compared to it. */

import type { ActionDefinition } from '../../src/core/actions/entity.ts';
import type { Behaviour, BehaviourEvent, Count, Criteria, RegularBehaviour } from '../../src/core/cohorts/criteria.ts';
import type { Filter } from '../../src/core/filters/property-filter.ts';
import type { Span } from '../../src/core/time/span.ts';
import { isMatch, type Search } from './filters.ts';
import { fitsStep } from './fits-step.ts';
import type { Properties } from './property-values.ts';
import { clockAt } from './time.ts';

export interface PersonEvent {
  event: string;
  timestamp: number;
  properties: Properties;
  /** The clicked elements, as text. */
  elementsChain?: string;
}

interface Person {
  properties: Properties;
  events: readonly PersonEvent[];
}

interface Context {
  now: number;
  search: Search;
  isIn(cohort: number): boolean | undefined;
  /** The project's actions; unknown ones are never done. */
  action?(id: number): Pick<ActionDefinition, 'steps'> | undefined;
}

export function isMember(criteria: Criteria, person: Person, context: Context): boolean {
  if (criteria === null) return false;
  switch (criteria.kind) {
    case 'and':
      return criteria.criteria.every((one) => isMember(one, person, context));
    case 'or':
      return criteria.criteria.some((one) => isMember(one, person, context));
    case 'person':
      return isMatch(criteria.filter, { event: {}, person: person.properties }, context.search);
    case 'cohort':
      return context.isIn(criteria.id) === !criteria.negated;
    case 'behaviour':
      return hasDone(criteria.behaviour, person, context) !== criteria.negated;
  }
}

/** An action may filter elements and persons, too; event filters only the event. */
function isPerformed(
  wanted: BehaviourEvent,
  event: PersonEvent,
  person: Person,
  { search, isIn, action }: Context,
): boolean {
  const owners = { event: event.properties, person: person.properties, elements: event.elementsChain ?? '' };
  const holds = (filter: Filter): boolean => isMatch(filter, owners, search, isIn);
  if (!holds(wanted.filter)) return false;
  if (wanted.kind === 'event') return event.event === wanted.event;
  return (action?.(wanted.action)?.steps ?? []).some((step) => fitsStep(step, event, search, holds));
}

function hasDone(behaviour: Behaviour, person: Person, context: Context): boolean {
  const { now } = context;
  const timesOf = (wanted: BehaviourEvent): number[] =>
    person.events
      .filter((event) => isPerformed(wanted, event, person, context))
      .map(({ timestamp }) => timestamp)
      .sort((a, b) => a - b);
  const times = timesOf(behaviour.performed);
  const start = shifted(now, behaviour.within, -1);
  const inWindow = times.filter((time) => time > start && time < now);
  switch (behaviour.kind) {
    case 'performed_event':
      return inWindow.length > 0;
    case 'performed_event_multiple':
      return inWindow.length > 0 && compares(inWindow.length, behaviour.count);
    case 'performed_event_first_time': {
      const [first] = times;
      return first !== undefined && first >= start && first < now;
    }
    case 'performed_event_sequence': {
      const next = timesOf(behaviour.next).filter((time) => time < now);
      const follows = (a: number, b: number): boolean => b > a && b <= shifted(a, behaviour.nextWithin, 1);
      return inWindow.some((a) => next.some((b) => follows(a, b)));
    }
    case 'performed_event_regularly':
      return isRegular(behaviour, times, now);
    case 'stopped_performing_event': {
      const since = shifted(now, behaviour.recent, -1);
      return times.some((t) => t > start && t <= since) && !times.some((t) => t > since && t <= now);
    }
    case 'restarted_performing_event': {
      const since = shifted(now, behaviour.recent, -1);
      const was = times.some((t) => t <= start);
      return was && !times.some((t) => t > start && t <= since) && times.some((t) => t > since && t <= now);
    }
  }
}

/** Months by the calendar, all else by its length; nothing is older than the first moment of year 1. */
function shifted(from: number, { months, ms }: Span, times: number): number {
  const first = Date.parse('0001-01-01T00:00:00Z');
  if (Math.abs(months * times) > 12_000) return first;
  return Math.max(first, clockAt(from, 'UTC').add({ months: months * times }).epochMilliseconds + ms * times);
}

function isRegular({ within, count, periods }: RegularBehaviour, times: readonly number[], now: number): boolean {
  const countIn = (period: number): number =>
    times.filter((t) => t > shifted(now, within, -period - 1) && t <= shifted(now, within, -period) && t < now).length;
  const counts = Array.from({ length: periods.total }, (_, period) => countIn(period));
  const good = counts.filter((n) => compares(n, count)).length;
  return counts.some((n) => n > 0) && good >= periods.min;
}

function compares(n: number, { operator, value }: Count): boolean {
  switch (operator) {
    case 'gte':
      return n >= value;
    case 'lte':
      return n <= value;
    case 'gt':
      return n > value;
    case 'lt':
      return n < value;
    case 'eq':
      return n === value;
  }
}
