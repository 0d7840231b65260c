/** Parses the insight query of a person's property timeline. */

import { Failure, invalid } from '../../../core/errors.ts';
import { parseFilters, readFilters } from '../../../core/filters/parse-filters.ts';
import { type Filter, propertyFiltersIn } from '../../../core/filters/property-filter.ts';
import { isJsonObject, type Json } from '../../../core/json/json.ts';
import { parseJson } from '../../../core/json/parse-json.ts';
import { parseId } from '../../../core/parse-id.ts';
import type { Interval } from '../../../core/time/interval.ts';
import { type Query, queryText, queryTexts } from '../../../http/paging.ts';
import type { EventSelection } from '../history/timeline-events.ts';
import type { TimelineDates } from '../rules/timeline-range.ts';

interface TimelineRequest {
  /** Null: all events count. */
  selection: EventSelection | null;
  keys: string[];
  dates: TimelineDates;
}

/** Displays with one number instead of one per interval. */
const AGGREGATED_DISPLAYS = new Set(['ActionsTable', 'ActionsPie', 'ActionsBarValue', 'WorldMap', 'BoldNumber']);
const INTERVALS: Readonly<Record<string, Interval>> = {
  minute: 'hour',
  hour: 'hour',
  day: 'day',
  week: 'week',
  month: 'month',
};

export function readTimelineQuery(query: Query): TimelineRequest {
  const [events, actions] = [readList(query, 'events'), readList(query, 'actions')];
  const filters = [parseFilters(queryTexts(query, 'properties')), ...[...events, ...actions].flatMap(filtersOf)];
  return {
    selection: readEventSelection(events, actions),
    keys: [...new Set([...filters.flatMap(personKeys), ...breakdownKeys(query)])].sort(),
    dates: {
      dateFrom: queryText(query, 'date_from') || undefined,
      dateTo: queryText(query, 'date_to') || undefined,
      interval: readInterval(queryText(query, 'interval') || 'day'),
      explicit: /^(y|yes|t|true|on|1)$/i.test(queryText(query, 'explicit_date') ?? ''),
      isSeries: !AGGREGATED_DISPLAYS.has(queryText(query, 'display') ?? ''),
    },
  };
}

function readInterval(text: string): Interval {
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

/** All events count if none is named, or if one entry means any event. */
function readEventSelection(events: readonly Json[], actions: readonly Json[]): EventSelection | null {
  const names = events.map(idOf);
  if (names.includes(null) || events.length + actions.length === 0) return null;
  return {
    events: names.map((id) => (typeof id === 'string' ? id : JSON.stringify(id))),
    actions: actions.map((one) => {
      const id = parseId(idOf(one));
      if (id === null) throw invalid('actions', 'Use the id of an action.');
      return id;
    }),
  };
}

const idOf = (one: Json): Json => (isJsonObject(one) ? (one['id'] ?? null) : one);

function filtersOf(one: Json): Filter[] {
  const filters = isJsonObject(one) ? one['properties'] : undefined;
  return filters === undefined || filters === null ? [] : [readFilters(filters)];
}

const personKeys = (filter: Filter): string[] =>
  propertyFiltersIn(filter).flatMap(({ owner, key }) => (owner === 'person' ? [key] : []));

function breakdownKeys(query: Query): string[] {
  const text = queryText(query, 'breakdown');
  if (!text || queryText(query, 'breakdown_type') !== 'person') return [];
  return text.trimStart().startsWith('[') ? readList(query, 'breakdown').map(String) : [text];
}
