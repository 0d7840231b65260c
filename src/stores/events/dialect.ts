import type { Span } from '../../core/time/span.ts';
import type { SqlValue } from './event-store.ts';

/**
 * The words that the engines of events say differently. A question is written once as SQL text over these pieces;
 * each engine has one file that spells them.
 *
 * One `SqlBuilder` belongs to one statement: its pieces are SQL text, and every value they mention is collected to be
 * bound, so that nothing a user sent ever becomes part of the text.
 */
export interface SqlBuilder {
  /** Everything bound so far, in the order of the placeholders: the second argument of `EventStore.query`. */
  readonly values: readonly SqlValue[];
  /** Binds a value and returns its placeholder. */
  param(value: SqlValue): string;
  /** A point in time (ms UTC) to compare with `timestamp` or `created_at`. */
  time(ms: number): string;
  /**
   * The text of an event's property (see `propertyText` in `core/events`); null when it is absent or null. With `json`,
   * the name of a column of JSON text, the property is read from there: so persons and groups are asked.
   * `PERSON_PROPERTIES` means the copied persons, which the statement has to read from `person_rows` as `p`.
   */
  property(key: string, json?: string): string;
  /** The text that stands for the property in any case: `null` where it is null, empty where it is absent. */
  text(key: string, json?: string): string;
  /** The JSON text of an event's property; null when it is absent. */
  json(key: string): string;
  /** True where the event has the property with a value other than null. */
  hasProperty(key: string): string;
  /** True where the property is there, be it null. */
  hasKey(key: string, json?: string): string;
  /** True where `text` matches the pattern somewhere. The pattern is RE2's; the caller has checked that it is valid. */
  matches(text: string, pattern: string): string;
  /** True if the engine takes the pattern. Never fails. */
  isPattern(pattern: string): string;
  /** True where `text` contains `part`, whatever the case of either. */
  containsIgnoringCase(text: string, part: string): string;
  /** The number that `text` is, where all of it fits the pattern; else null. */
  number(text: string, pattern: string): string;
  /** A number that is to be compared with others as such. */
  double(value: number): string;
  /** The point in time that `text` names, to the second (see `core/filters/filter-dates.ts`); else null. */
  date(text: string): string;
  /** Many rows as one bound value: a table expression with these columns, all of them text. */
  rows<C extends string>(columns: readonly C[], rows: readonly Readonly<Record<C, string>>[]): string;
  /** What ids are ordered and compared by, so that they come in the order of their texts. */
  idOrder(id: string): string;
  /** The point in time that lies a span after `time`: months by the calendar, and its last day where one is too short. */
  addSpan(time: string, span: Span): string;
  /** True where `text` contains `part`, letter for letter. */
  contains(text: string, part: string): string;
  /** A number as a double. */
  toDouble(number: string): string;
  /**
   * A number of 64 bits in which only the bit at `place`, counted from 0, is set; there are 60 places. Others may be
   * named in branches that are not taken.
   */
  bit(place: string): string;
  /** An aggregate: the bits that are set in any of the group. */
  bitOr(bits: string): string;
  /** 1 where the bit at `place` is set, else 0. */
  bitAt(bits: string, place: string): string;
  /** How many bits are set. */
  bitCount(bits: string): string;
  /** A whole number to count or compare with. */
  integer(value: number): string;
  /** A point in time as ms UTC. */
  ms(time: string): string;
  /** How many times `divisor` goes into `value`; neither is negative. */
  quotient(value: string, divisor: string): string;
  /** An aggregate: the quantile of numbers, in proportion between two neighbours; null where there are none. */
  quantile(value: string, level: number): string;
  /** All values of a group in one text, with commas between them. */
  joinTexts(value: string): string;
  /** All values of a group as the text of a JSON list, in no order. */
  jsonList(value: string): string;
  /** A point in time as a number: ms UTC. */
  millis(time: string): string;
  /** Which of `count` slices a value falls into, counted from 0: always the same one, and about as many into each. */
  hashSlot(value: string, count: number): string;
  /** When the bucket began that `time` falls into, by the calendar of the time zone, as a point in time. */
  bucket(time: string, interval: BucketInterval, timezone: string): string;
}

/** The properties of persons, as statements read them that join `person_rows` as `p`. */
export const PERSON_PROPERTIES = 'p.properties';

export interface Dialect {
  /** Begins a statement. `table` is the alias under which it reads events, if any. */
  newStatement(table?: string): SqlBuilder;
}

/** Weeks begin on Monday. */
export type BucketInterval = 'minute' | 'hour' | 'day' | 'week' | 'month';
