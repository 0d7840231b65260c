import type { Span } from '../../core/time/span.ts';
import type { SqlValue } from './event-store.ts';
import type { ExpressionFunctions } from './expression-functions.ts';

/**
 * SQL that differs between the event engines. A query is written once with these pieces; each engine implements them.
 *
 * One `SqlBuilder` belongs to one statement. It returns SQL text and collects all values to be bound, so that user input
 * never becomes part of the text.
 */
export interface SqlBuilder {
  /** The values bound so far, in the order of the placeholders: the second argument of `EventStore.query`. */
  readonly values: readonly SqlValue[];
  /** Binds a value and returns its placeholder. */
  param(value: SqlValue): string;
  /** A point in time (ms UTC) to compare with `timestamp` or `created_at`. */
  time(ms: number): string;
  /**
   * The text of a property (see `propertyText` in `core/events`); null if it is absent or null. `json` names a column of
   * JSON text to read from instead of the event's properties, as for persons and groups. `PERSON_PROPERTIES` stands for
   * the mirrored persons, which the statement must join as `person_rows p`.
   */
  property(key: string, json?: string): string;
  /** Like `property`, but never null: 'null' for null, '' if absent. */
  text(key: string, json?: string): string;
  /** The JSON text of an event's property; null if absent. */
  json(key: string): string;
  /** True if the event has the property, not null. */
  hasProperty(key: string): string;
  /** True if the property is present, even if null. */
  hasKey(key: string, json?: string): string;
  /** True if `text` contains a match. The caller has checked that the RE2 pattern is valid. */
  matches(text: string, pattern: string): string;
  /** True if the engine accepts the pattern. Never fails. */
  isPattern(pattern: string): string;
  /** The text of the pattern's first group, empty where nothing matches. Only for patterns of our own. */
  capture(text: string, pattern: string): string;
  /** Replaces all matches; `\\1` in the replacement is the first group. The caller has checked the pattern. */
  replaceMatches(text: string, pattern: string, replacement: string): string;
  /** True if `text` contains `part`, ignoring case. */
  containsIgnoringCase(text: string, part: string): string;
  /** `text` as a number if all of it matches the pattern, else null. */
  number(text: string, pattern: string): string;
  /** A bound double. */
  double(value: number): string;
  /** `text` as a point in time, to the second (see `core/filters/filter-dates.ts`), else null. */
  date(text: string): string;
  /** A table expression over rows that are bound as one value; all columns are text. */
  rows<C extends string>(columns: readonly C[], rows: readonly Readonly<Record<C, string>>[]): string;
  /** An expression that sorts and compares ids as their texts. */
  idOrder(id: string): string;
  /** `time` plus a span; months by the calendar, clamped to the last day of a shorter month. */
  addSpan(time: string, span: Span): string;
  /** True if `text`, which is not null, is one of these. */
  isOneOf(text: string, values: readonly string[]): string;
  /** True if `text` contains `part`, case-sensitive. */
  contains(text: string, part: string): string;
  /** Casts to double. */
  toDouble(number: string): string;
  /** A 64-bit integer with only the bit at `place` (0 to 59) set. Other places may occur in branches not taken. */
  bit(place: string): string;
  /** Aggregate: bitwise OR. */
  bitOr(bits: string): string;
  /** Number of set bits. */
  bitCount(bits: string): string;
  /** A bound integer. */
  integer(value: number): string;
  /** A point in time as an integer, ms UTC. */
  ms(time: string): string;
  /** A point in time in the engine's own type for it, with the zone UTC: for files that others read. */
  timestamp(time: string): string;
  /** Milliseconds UTC as a point in time. */
  timeOfMs(ms: string): string;
  /** Integer division of values that are not negative. */
  quotient(value: string, divisor: string): string;
  /** Aggregate: these values, never null, of the row that is first by `order` among those that fit the condition. */
  firstRow(values: readonly string[], order: readonly string[], condition: string): string;
  /** The same of the last row. */
  lastRow(values: readonly string[], order: readonly string[], condition: string): string;
  /** One of the values of `firstRow` or `lastRow`, from 0. */
  rowValue(row: string, index: number): string;
  /** Aggregate: quantile with linear interpolation; null for no rows. */
  quantile(value: string, level: number): string;
  /** Aggregate: all values as one text, separated by commas. */
  joinTexts(value: string): string;
  /** Aggregate: all values as the text of a JSON array, in no order. */
  jsonList(value: string): string;
  /** A stable hash of the value, from 0 to `count` − 1, evenly distributed. */
  hashSlot(value: string, count: number): string;
  /** The size of an event's texts, about, in bytes; `event` is an alias of `events` or `event_rows`. */
  eventBytes(event: string): string;
  /** A text of an event whose row may be shortened. */
  wholeText(event: string, name: 'properties' | 'elements_chain'): string;
  /** The start of the bucket that contains `time`, in the calendar of the time zone. */
  bucket(time: string, interval: BucketInterval, timezone: string): string;
  /** For expressions. */
  readonly functions: ExpressionFunctions;
}

/** The persons' properties in statements that join `person_rows p`. */
export const PERSON_PROPERTIES = 'p.properties';

export interface Dialect {
  /** `table` is the alias of events in the statement, if any. */
  newStatement(table?: string): SqlBuilder;
}

/** Weeks begin on Monday. */
export type BucketInterval = 'minute' | 'hour' | 'day' | 'week' | 'month';
