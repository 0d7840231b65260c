/** Reads the body of a dashboard: only the fields that were sent. */
import type { Static } from '@sinclair/typebox';
import { Failure, invalid } from '../../../core/errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../core/json/json.ts';
import type { Range } from '../../../core/time/range.ts';
import { readBooleanField } from '../../insights/rules/fields.ts';
import { readDates, readRange } from '../../insights/rules/read-dates.ts';
import { readFilter } from '../../insights/rules/read-filter.ts';
import { readPrevious } from '../../insights/trends/rules/read-trends.ts';
import type { DashboardChanges, TileChange } from '../dashboards.ts';
import type { DashboardChangeSchema } from './dashboard-schemas.ts';

type Body = Static<typeof DashboardChangeSchema>;

export function readDashboardBody(body: Body, dates: { now: number; timezone: string }): DashboardChanges {
  const changes: { [field in keyof DashboardChanges]: DashboardChanges[field] | undefined } = {
    name: body.name,
    description: body.description === null ? '' : body.description,
    pinned: body.pinned,
    deleted: body.deleted,
    filters: body.filters && readFilters(body.filters as JsonObject, dates),
    tags: body.tags,
    tiles: body.tiles?.map(readTile),
  };
  return Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
}

const FILTERS = ['date_from', 'date_to', 'explicit_date', 'compare', 'compare_to', 'properties'];

/** What all tiles obey: dates, a comparison and property filters. */
function readFilters(filters: JsonObject, dates: { now: number; timezone: string }): JsonObject {
  const given = Object.entries(filters).filter(([, value]) => value !== null && value !== '');
  const other = given.find(([name]) => !FILTERS.includes(name));
  if (other) {
    const name = JSON.stringify(other[0].slice(0, 60));
    throw invalid('filters', `A dashboard has no filter ${name}: it has ${FILTERS.join(', ')}.`);
  }
  const read = Object.fromEntries(given);
  try {
    const range = readRange(read, { ...dates, earliest: dates.now });
    readComparison(read, range, dates.timezone);
    readFilter(read['properties'], 'properties');
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    throw invalid(`filters__${error.attr ?? 'date_from'}`, error.message);
  }
  return read;
}

function readComparison(filters: JsonObject, range: Range, timezone: string): void {
  readBooleanField(filters, 'compare');
  readPrevious({ ...filters, compare: true }, range, readDates(filters), timezone);
}

function readTile(tile: NonNullable<Body['tiles']>[number], at: number): TileChange {
  const { id, insight, text, order, layouts, color, deleted } = tile;
  return {
    ...(id === undefined ? {} : { id }),
    // What a client has read has both fields, one of them null.
    ...(insight === undefined || insight === null ? {} : { insightId: readInsight(insight as Json, at) }),
    ...(text === undefined || text === null ? {} : { body: text.body }),
    ...(order === undefined ? {} : { order }),
    ...(layouts === undefined ? {} : { layouts: layouts as JsonObject }),
    ...(color === undefined ? {} : { color }),
    ...(deleted === undefined ? {} : { deleted }),
  };
}

/** Clients may send the complete insight. */
function readInsight(insight: Json, at: number): number {
  const id = isJsonObject(insight) ? insight['id'] : insight;
  if (typeof id === 'number' && Number.isSafeInteger(id)) return id;
  throw invalid(`tiles__${at}__insight`, 'A valid integer is required.');
}
