import type { PropertyPath } from '../../core/expressions/typed-expression.ts';

/**
 * Functions of expressions that the engines spell differently; the rest is in `query/expressions/`. Arguments and results
 * are SQL. All return null for null. Numbers are doubles, texts are counted in characters.
 */
export interface ExpressionFunctions {
  /** A property within properties; `json` is the column with the JSON. */
  nestedProperty(json: string, path: PropertyPath): string;
  nullTime(): string;
  /** Null where both are equal, else the first. */
  nullIf(value: string, other: string): string;
  /** Null where the text does not fit the pattern. */
  textToNumber(text: string, pattern: string): string;
  /** As in JSON; whole numbers have no decimals. */
  numberToText(number: string): string;
  /** Null for infinite numbers and those that are none. */
  finite(number: string): string;
  lower(text: string): string;
  upper(text: string): string;
  /** Without spaces at both ends. */
  trim(text: string): string;
  length(text: string): string;
  /** The positions are whole numbers from 1; `count` from 0. */
  substring(text: string, from: string, count?: string): string;
  replaceAll(text: string, part: string, by: string): string;
  replaceOne(text: string, part: string, by: string): string;
  /** 0 where the part is not there. */
  position(text: string, part: string): string;
  startsWith(text: string, start: string): string;
  endsWith(text: string, end: string): string;
  /** Null where there are fewer parts. */
  splitPart(text: string, separator: string, index: number): string;
  startOfSundayWeek(time: string, timezone: string): string;
  /** Of the calendar in the time zone; Monday is 1. */
  calendarPart(part: CalendarPart, time: string, timezone: string): string;
  /** How many boundaries of the unit lie between two times. */
  timeDifference(unit: DifferenceUnit, from: string, to: string, timezone: string): string;
  /** `2024-01-31`, or `2024-01-31 10:00:00`. */
  timeToText(time: string, timezone: string, format: 'date' | 'time'): string;
}

export type CalendarPart = 'year' | 'month' | 'day' | 'weekday' | 'hour' | 'minute';
export type DifferenceUnit = 'second' | 'minute' | 'hour' | 'day' | 'week' | 'month' | 'year';

const isIndex = (part: string | number): boolean => typeof part === 'number' || /^\d+$/.test(part);

/** The places in a path where lists and objects could be confused, with what has to be there. */
export const ambiguousParts = (path: PropertyPath): { parent: PropertyPath; isList: boolean }[] =>
  path.flatMap((part, at) => {
    const [key, ...rest] = path.slice(0, at) as [string, ...(string | number)[]];
    return at > 0 && isIndex(part) ? [{ parent: [key, ...rest], isList: typeof part === 'number' }] : [];
  });
