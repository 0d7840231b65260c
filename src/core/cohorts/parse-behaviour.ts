import { actionIdOf } from '../actions/action-id.ts';
import { type Failure, invalid } from '../errors.ts';
import { readFilters } from '../filters/parse-filters.ts';
import { cohortsIn, type Filter, leavesOf, NO_FILTER } from '../filters/property-filter.ts';
import type { Json, JsonObject } from '../json/json.ts';
import { earlier, SPAN_INTERVALS, type Span, type SpanInterval, spanOf } from '../time/span.ts';
import { type Behaviour, COUNT_OPERATORS, type Count, type Deed } from './criteria.ts';

/** Each period is counted by itself, so there is an end to them; more than the days of a year is nobody's question. */
const MOST_PERIODS = 366;

export const wrong = (detail: string): Failure => invalid('filters', detail);

/** Reads `{type: "behavioral", value: <kind>, key: <event or action id>, time_value, time_interval, …}`. */
export function parseBehaviour(item: JsonObject): Behaviour {
  const common = { deed: readDeed(item, 'key', 'event_type'), within: readSpan(item, 'time_value', 'time_interval') };
  const kind = item['value'];
  switch (kind) {
    case 'performed_event':
    case 'performed_event_first_time':
      return { kind, ...common };
    case 'performed_event_multiple':
      return { kind, ...common, count: readCount(item) };
    case 'performed_event_sequence':
      return { kind, ...common, next: readDeed(item, 'seq_event', 'seq_event_type'), nextWithin: readSeqSpan(item) };
    case 'performed_event_regularly':
      return { kind, ...common, count: readCount(item), periods: readPeriods(item) };
    case 'stopped_performing_event':
      return { kind, ...common, lately: shorterThan(common.within, readSeqSpan(item)) };
    case 'restarted_performing_event':
      return { kind, ...common, lately: readSeqSpan(item) };
    default:
      throw wrong(`Behavioral criteria have a kind as value, such as performed_event, not ${shown(kind)}.`);
  }
}

const shown = (value: Json | undefined): string => (JSON.stringify(value) ?? 'nothing').slice(0, 100).toWellFormed();

function readDeed(item: JsonObject, key: string, typeKey: string): Deed {
  const filter = key === 'key' ? readEventFilter(item['event_filters']) : NO_FILTER;
  const type = item[typeKey] ?? 'events';
  if (type === 'events') return { kind: 'event', event: readEvent(item, key), filter };
  if (type === 'actions') return { kind: 'action', action: readAction(item, key), filter };
  throw wrong(`${typeKey} is "events" or "actions", not ${shown(type)}.`);
}

function readEvent(item: JsonObject, key: string): string {
  const event = item[key];
  if (typeof event === 'string' && event !== '') return event;
  throw wrong(`Behavioral criteria need the name of an event as ${key}.`);
}

function readAction(item: JsonObject, key: string): number {
  const id = actionIdOf(item[key]);
  if (id !== null) return id;
  throw wrong(`Behavioral criteria with actions need the number of an action as ${key}, not ${shown(item[key])}.`);
}

function readEventFilter(given: Json | undefined): Filter {
  if (given === undefined || given === null) return NO_FILTER;
  const filter = readFilters(given);
  const isEvents = cohortsIn(filter).length === 0 && leavesOf(filter).every(({ owner }) => owner === 'event');
  if (!isEvents) throw wrong('event_filters are filters on properties of the event.');
  return filter;
}

const readSeqSpan = (item: JsonObject): Span => readSpan(item, 'seq_time_value', 'seq_time_interval');

function readSpan(item: JsonObject, valueKey: string, intervalKey: string): Span {
  const interval = item[intervalKey];
  if (!isInterval(interval)) {
    throw wrong(`${intervalKey} is one of ${SPAN_INTERVALS.join(', ')}, not ${shown(interval)}.`);
  }
  return spanOf(readWhole(item, valueKey), interval);
}

const isInterval = (text: unknown): text is SpanInterval => (SPAN_INTERVALS as readonly unknown[]).includes(text);

/** Forms and old clients send numbers as text. */
function readWhole(item: JsonObject, key: string): number {
  const given = item[key];
  const number = typeof given === 'string' && given.trim() !== '' ? Number(given) : given;
  if (typeof number !== 'number' || !Number.isSafeInteger(number) || number <= 0) {
    throw wrong(`${key} is a whole number above 0, not ${shown(given)}.`);
  }
  return number;
}

function readCount(item: JsonObject): Count {
  const operator = OPERATORS.get(item['operator'] ?? null);
  if (operator === undefined) {
    throw wrong(`operator is one of ${COUNT_OPERATORS.join(', ')}, not ${shown(item['operator'])}.`);
  }
  return { operator, value: readWhole(item, 'operator_value') };
}

/** `exact` is what consoles send for 'equal' wherever else an operator stands. */
const OPERATORS: ReadonlyMap<Json, Count['operator']> = new Map<Json, Count['operator']>([
  [null, 'eq'],
  ['', 'eq'],
  ['exact', 'eq'],
  ...COUNT_OPERATORS.map((operator): [Json, Count['operator']] => [operator, operator]),
]);

function readPeriods(item: JsonObject): { least: number; total: number } {
  const least = readWhole(item, 'min_periods');
  const total = readWhole(item, 'total_periods');
  if (least > total) throw wrong(`min_periods (${least}) cannot be more than total_periods (${total}).`);
  if (total > MOST_PERIODS) throw wrong(`total_periods is at most ${MOST_PERIODS}, not ${total}.`);
  return { least, total };
}

/** Which of two spans is the longer may depend on the month; any moment tells well enough what was meant. */
function shorterThan(within: Span, lately: Span): Span {
  if (earlier(0, lately) < earlier(0, within))
    throw wrong('The time of seq_time_value cannot exceed that of time_value.');
  return lately;
}
