import { type Failure, invalid } from '../errors.ts';
import { readFilters } from '../filters/parse-filters.ts';
import { cohortFiltersIn, type Filter, NO_FILTER, propertyFiltersIn } from '../filters/property-filter.ts';
import type { Json, JsonObject } from '../json/json.ts';
import { parseId } from '../parse-id.ts';
import { SPAN_INTERVALS, type Span, type SpanInterval, subtractSpan, toSpan } from '../time/span.ts';
import { type Behaviour, type BehaviourEvent, COUNT_OPERATORS, type Count } from './criteria.ts';

/** Each period is counted by itself in SQL, so their number is limited: the days of a leap year. */
const MAX_PERIODS = 366;

export const invalidFilters = (detail: string): Failure => invalid('filters', detail);

/** Reads `{type: "behavioral", value: <kind>, key: <event or action id>, time_value, time_interval, …}`. */
export function parseBehaviour(item: JsonObject): Behaviour {
  const common = {
    performed: readBehaviourEvent(item, 'key', 'event_type'),
    within: readSpan(item, 'time_value', 'time_interval'),
  };
  const kind = item['value'];
  switch (kind) {
    case 'performed_event':
    case 'performed_event_first_time':
      return { kind, ...common };
    case 'performed_event_multiple':
      return { kind, ...common, count: readCount(item) };
    case 'performed_event_sequence':
      return {
        kind,
        ...common,
        next: readBehaviourEvent(item, 'seq_event', 'seq_event_type'),
        nextWithin: readSeqSpan(item),
      };
    case 'performed_event_regularly':
      return { kind, ...common, count: readCount(item), periods: readPeriods(item) };
    case 'stopped_performing_event':
      return { kind, ...common, recent: requireShorter(common.within, readSeqSpan(item)) };
    case 'restarted_performing_event':
      return { kind, ...common, recent: readSeqSpan(item) };
    default:
      throw invalidFilters(
        `Behavioral criteria have a kind as value, such as performed_event, not ${quoteJson(kind)}.`,
      );
  }
}

const quoteJson = (value: Json | undefined): string =>
  (JSON.stringify(value) ?? 'nothing').slice(0, 100).toWellFormed();

function readBehaviourEvent(item: JsonObject, key: string, typeKey: string): BehaviourEvent {
  const filter = key === 'key' ? readEventFilter(item['event_filters']) : NO_FILTER;
  const type = item[typeKey] ?? 'events';
  if (type === 'events') return { kind: 'event', event: readEvent(item, key), filter };
  if (type === 'actions') return { kind: 'action', action: readAction(item, key), filter };
  throw invalidFilters(`${typeKey} is "events" or "actions", not ${quoteJson(type)}.`);
}

function readEvent(item: JsonObject, key: string): string {
  const event = item[key];
  if (typeof event === 'string' && event !== '') return event;
  throw invalidFilters(`Behavioral criteria need the name of an event as ${key}.`);
}

function readAction(item: JsonObject, key: string): number {
  const id = parseId(item[key]);
  if (id !== null) return id;
  throw invalidFilters(
    `Behavioral criteria with actions need the number of an action as ${key}, not ${quoteJson(item[key])}.`,
  );
}

function readEventFilter(given: Json | undefined): Filter {
  if (given === undefined || given === null) return NO_FILTER;
  const filter = readFilters(given);
  const isEvents =
    cohortFiltersIn(filter).length === 0 && propertyFiltersIn(filter).every(({ owner }) => owner === 'event');
  if (!isEvents) throw invalidFilters('event_filters are filters on properties of the event.');
  return filter;
}

const readSeqSpan = (item: JsonObject): Span => readSpan(item, 'seq_time_value', 'seq_time_interval');

function readSpan(item: JsonObject, valueKey: string, intervalKey: string): Span {
  const interval = item[intervalKey];
  if (!isInterval(interval)) {
    throw invalidFilters(`${intervalKey} is one of ${SPAN_INTERVALS.join(', ')}, not ${quoteJson(interval)}.`);
  }
  return toSpan(readPositiveInteger(item, valueKey), interval);
}

const isInterval = (text: unknown): text is SpanInterval => (SPAN_INTERVALS as readonly unknown[]).includes(text);

/** Forms and old clients send numbers as text. */
function readPositiveInteger(item: JsonObject, key: string): number {
  const given = item[key];
  const number = typeof given === 'string' && given.trim() !== '' ? Number(given) : given;
  if (typeof number !== 'number' || !Number.isSafeInteger(number) || number <= 0) {
    throw invalidFilters(`${key} is a whole number above 0, not ${quoteJson(given)}.`);
  }
  return number;
}

function readCount(item: JsonObject): Count {
  const operator = OPERATORS.get(item['operator'] ?? null);
  if (operator === undefined) {
    throw invalidFilters(`operator is one of ${COUNT_OPERATORS.join(', ')}, not ${quoteJson(item['operator'])}.`);
  }
  return { operator, value: readPositiveInteger(item, 'operator_value') };
}

/** Consoles send `exact` for 'equal', as in property filters. */
const OPERATORS: ReadonlyMap<Json, Count['operator']> = new Map<Json, Count['operator']>([
  [null, 'eq'],
  ['', 'eq'],
  ['exact', 'eq'],
  ...COUNT_OPERATORS.map((operator): [Json, Count['operator']] => [operator, operator]),
]);

function readPeriods(item: JsonObject): { min: number; total: number } {
  const min = readPositiveInteger(item, 'min_periods');
  const total = readPositiveInteger(item, 'total_periods');
  if (min > total) throw invalidFilters(`min_periods (${min}) cannot be more than total_periods (${total}).`);
  if (total > MAX_PERIODS) throw invalidFilters(`total_periods is at most ${MAX_PERIODS}, not ${total}.`);
  return { min, total };
}

/** Which of two spans is longer may depend on the month; comparing them at one moment is good enough. */
function requireShorter(within: Span, recent: Span): Span {
  if (subtractSpan(0, recent) < subtractSpan(0, within))
    throw invalidFilters('The time of seq_time_value cannot exceed that of time_value.');
  return recent;
}
