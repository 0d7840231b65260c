/** Reads the question that an insight asks about one person's properties. */
import { Failure, invalid } from '../core/errors.ts';
import { isJsonObject, type Json } from '../core/events/json.ts';
import { parseJson } from '../core/events/parse-json.ts';
import { parseFilters, readFilters } from '../core/properties/parse-filters.ts';
import { type Filter, leavesOf } from '../core/properties/property-filter.ts';
import type { RangeInterval, RangeQuestion } from '../core/time/date-range.ts';
import { type Query, queryText } from './paging.ts';

export interface TimelineRequest {
  events: string[] | undefined;
  keys: string[];
  range: Pick<RangeQuestion, 'dateFrom' | 'dateTo' | 'interval' | 'isExplicit' | 'isSeries'>;
}

/** Displays of one number instead of one for each interval. */
const AGGREGATED = new Set(['ActionsTable', 'ActionsPie', 'ActionsBarValue', 'WorldMap', 'BoldNumber']);
const INTERVALS: Readonly<Record<string, RangeInterval>> = {
  minute: 'hour',
  hour: 'hour',
  day: 'day',
  week: 'week',
  month: 'month',
};

export function readTimeline(query: Query): TimelineRequest {
  const series = readList(query, 'events');
  if (readList(query, 'actions').length > 0) throw invalid('actions', 'Actions are not supported here; name events.');
  const filters = [parseFilters(queryText(query, 'properties')), ...series.flatMap(filtersOf)];
  return {
    events: namesOf(series),
    keys: [...new Set([...filters.flatMap(personKeys), ...breakdownKeys(query)])].sort(),
    range: {
      dateFrom: queryText(query, 'date_from') || undefined,
      dateTo: queryText(query, 'date_to') || undefined,
      interval: readInterval(queryText(query, 'interval') || 'day'),
      isExplicit: /^(y|yes|t|true|on|1)$/i.test(queryText(query, 'explicit_date') ?? ''),
      isSeries: !AGGREGATED.has(queryText(query, 'display') ?? ''),
    },
  };
}

function readInterval(text: string): RangeInterval {
  const interval = Object.hasOwn(INTERVALS, text) ? INTERVALS[text] : undefined;
  if (!interval) throw invalid('interval', `"${text.slice(0, 100)}" is not a valid choice.`, 'invalid_choice');
  return interval;
}

function readList(query: Query, name: string): Json[] {
  const text = queryText(query, name);
  if (!text) return [];
  try {
    const list = parseJson(text);
    if (Array.isArray(list)) return list;
  } catch (cause) {
    throw new Failure('invalid', 'Expected a JSON list.', { attr: name, cause });
  }
  throw invalid(name, 'Expected a JSON list.');
}

/** Undefined where all events count: none is named, or one entry stands for any. */
function namesOf(series: readonly Json[]): string[] | undefined {
  const ids = series.map((one) => (isJsonObject(one) ? (one['id'] ?? null) : one));
  if (ids.length === 0 || ids.includes(null)) return undefined;
  return ids.map((id) => (typeof id === 'string' ? id : JSON.stringify(id)));
}

function filtersOf(one: Json): Filter[] {
  const filters = isJsonObject(one) ? one['properties'] : undefined;
  return filters === undefined || filters === null ? [] : [readFilters(filters)];
}

const personKeys = (filter: Filter): string[] =>
  leavesOf(filter).flatMap(({ owner, key }) => (owner === 'person' ? [key] : []));

function breakdownKeys(query: Query): string[] {
  const text = queryText(query, 'breakdown');
  if (!text || queryText(query, 'breakdown_type') !== 'person') return [];
  return text.trimStart().startsWith('[') ? readList(query, 'breakdown').map(String) : [text];
}
