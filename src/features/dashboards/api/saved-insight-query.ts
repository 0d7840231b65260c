/** Reads the query parameters of the list of saved insights. */

import { invalid } from '../../../core/errors.ts';
import { parseDate } from '../../../core/time/parse-date.ts';
import { DAY_MS } from '../../../core/time/units.ts';
import { type Query, queryText } from '../../../http/paging.ts';
import type { Project } from '../../../stores/metadata/accounts.ts';
import type { SavedInsightOrder, SavedInsightQuery } from '../list-saved-insights.ts';

interface ListContext {
  userId: number;
  now: number;
  project: Project;
}

export function readSavedInsightQuery(query: Query, { userId, now, project }: ListContext): SavedInsightQuery {
  const text = (name: string): string | undefined => queryText(query, name) || undefined;
  const createdBy = query['user'] !== undefined ? userId : readId(text('created_by'), 'created_by');
  const date = (name: string): number | undefined => readDate(text(name), name, now, project.timezone);
  const question = {
    saved: readSwitch(query, 'saved'),
    favorited: readSwitch(query, 'favorited'),
    createdBy,
    insight: text('insight'),
    search: text('search'),
    shortId: text('short_id'),
    from: date('date_from'),
    to: date('date_to'),
    dashboards: readIds(text('dashboards')),
    order: readOrder(text('order')),
  };
  return Object.fromEntries(Object.entries(question).filter(([, value]) => value !== undefined));
}

/** Present means true, unless it is false, 0 or no. */
function readSwitch(query: Query, name: string): boolean | undefined {
  const value = queryText(query, name)?.toLowerCase();
  return value === undefined ? undefined : !['false', '0', 'no'].includes(value);
}

function readId(text: string | undefined, attr: string): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw invalid(attr, `${attr} has to be the number of a user.`);
}

function readDate(text: string | undefined, attr: string, now: number, timezone: string): number | undefined {
  if (text === undefined) return undefined;
  const date = parseDate(text, now, timezone);
  if (date === undefined) throw invalid(attr, `${attr} is not a date: use 2024-01-31, an ISO time, or -7d.`);
  // Until the end of the day.
  return attr === 'date_to' && /^\d{4}-\d\d-\d\d$/.test(text) ? date + DAY_MS - 1 : date;
}

function readIds(text: string | undefined): number[] | undefined {
  if (text === undefined) return undefined;
  try {
    const list = [JSON.parse(text) as unknown].flat();
    if (list.every((id) => Number.isSafeInteger(id))) return list as number[];
  } catch {
    // Thrown below.
  }
  throw invalid('dashboards', 'dashboards has to be a JSON list of numbers.');
}

const ORDERS: Readonly<Record<string, SavedInsightOrder['by']>> = {
  name: 'name',
  created_at: 'createdAt',
  last_modified_at: 'lastModifiedAt',
  updated_at: 'updatedAt',
  my_last_viewed_at: 'viewedAt',
};

/** An unknown order means the default. */
function readOrder(text = ''): SavedInsightOrder | undefined {
  const name = text.replace(/^-/, '');
  const by = Object.hasOwn(ORDERS, name) ? ORDERS[name] : undefined;
  return by === undefined ? undefined : { by, descending: text.startsWith('-') };
}
