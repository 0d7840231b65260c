/**
 * A promoted column has a property as text: null if it is missing, a mark if it is null, else its text (see
 * `propertyText`). A text that starts with the mark gets a second one, so that all values stay distinct.
 *
 * Few columns have marks, and reading one without marks is faster: hence two ways to read.
 */
import { propertyText } from '../../core/events/hot-properties.ts';
import type { Json } from '../../core/json/json.ts';
import type { PropertyReading } from '../events/property-placeholders.ts';

const MARK = '\u0001';
const MARK_SQL = 'chr(1)';

/**
 * The value of a row that is not filled yet. Differs from all texts, where a mark follows the mark. A literal, since it is
 * the default of columns: DuckDB cannot replay a journal that drops a column of a table with a function in a default.
 */
export const PENDING_SQL = `'${MARK}?'`;

export function duckdbPromotedText(properties: Readonly<Record<string, Json>>, key: string): string | null {
  if (!Object.hasOwn(properties, key)) return null;
  const text = propertyText(properties[key]);
  if (text === null) return MARK;
  return isMarked(text) ? MARK + text : text;
}

export const isMarked = (text: string | null): boolean => text?.startsWith(MARK) === true;

export const isMarkedSql = (column: string): string => `starts_with(${column}, ${MARK_SQL})`;

/** `duckdbPromotedText` in SQL. */
export function promotedTextSql(json: string, pointer: string): string {
  const text = `json_extract_string(${json}, ${pointer})`;
  return `coalesce(
    case when starts_with(${text}, ${MARK_SQL}) then ${MARK_SQL} || ${text} else ${text} end,
    case when json_exists(${json}, ${pointer}) then ${MARK_SQL} end
  )`;
}

/** From JSON; `value` is a column that already holds the property's text, if any. */
export function duckdbJsonProperty(reading: PropertyReading, json: string, pointer: string, value?: string): string {
  const own = value ?? `json_extract_string(${json}, ${pointer})`;
  const exists = `json_exists(${json}, ${pointer})`;
  if (reading === 'key') return exists;
  return reading === 'value' ? own : `coalesce(${own}, case when ${exists} then 'null' else '' end)`;
}

/** The same from a promoted column. */
export function duckdbPromotedProperty(reading: PropertyReading, column: string, hasMarks: boolean): string {
  if (reading === 'key') return `(${column} is not null)`;
  const value = hasMarks
    ? `case when ${isMarkedSql(column)} then nullif(substr(${column}, 2), '') else ${column} end`
    : column;
  if (reading === 'value') return `(${value})`;
  return hasMarks
    ? `coalesce(${value}, case when ${column} is null then '' else 'null' end)`
    : `coalesce(${value}, '')`;
}
