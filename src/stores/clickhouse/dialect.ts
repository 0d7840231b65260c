/**
 * The ClickHouse dialect. Points in time are 64-bit milliseconds (see `schema.ts`), so time functions are mostly plain
 * arithmetic. Settings in `connection.ts` define the handling of nulls.
 */
import { compilePattern, MAX_PATTERN_LENGTH } from '../../core/filters/compile-pattern.ts';
import type { Span } from '../../core/time/span.ts';
import type { BucketInterval, Dialect, SqlBuilder } from '../events/dialect.ts';
import type { PropertyReading } from '../events/property-placeholders.ts';
import { PropertySql } from '../events/property-sql.ts';
import { readableJson } from '../events/readable-json.ts';
import { bucketSql, dateSql } from './date-sql.ts';
import { clickhouseFunctions } from './expression-functions.ts';
import { clickhouseJsonProperty } from './property-sql.ts';

export const clickhouseDialect: Dialect = { newStatement: (table) => new ClickHouseSql(table) };

class ClickHouseSql extends PropertySql implements SqlBuilder {
  readonly functions = clickhouseFunctions((value) => this.param(value));

  time(ms: number): string {
    return this.param(Math.trunc(ms));
  }

  json(key: string): string {
    return `nullIf(JSONExtractRaw(${this.prefix}properties, ${this.param(key)}), '')`;
  }

  protected readFrom(json: string, reading: PropertyReading, key: string): string {
    return clickhouseJsonProperty(reading, json, this.param(key));
  }

  /** By default, a dot matches line breaks in ClickHouse. */
  matches(text: string, pattern: string): string {
    return `match(${text}, ${this.param(`(?-s)${pattern}`)})`;
  }

  /** ClickHouse cannot test a pattern without failing; `compilePattern` follows the same rules. */
  isPattern(pattern: string): string {
    return String(compilePattern(pattern, MAX_PATTERN_LENGTH) !== null);
  }

  capture(text: string, pattern: string): string {
    return `extract(${text}, ${this.param(`(?-s)${pattern}`)})`;
  }

  replaceMatches(text: string, pattern: string, replacement: string): string {
    return `replaceRegexpAll(${text}, ${this.param(`(?-s)${pattern}`)}, ${this.param(replacement)})`;
  }

  containsIgnoringCase(text: string, part: string): string {
    return `(position(lowerUTF8(${text}), lowerUTF8(${this.param(part)})) > 0)`;
  }

  number(text: string, pattern: string): string {
    return `if(match(${text}, ${this.param(`^(?:${pattern})$`)}), toFloat64OrNull(${text}), null)`;
  }

  double(value: number): string {
    return `toFloat64(${this.param(Number.isFinite(value) ? String(value) : value > 0 ? 'inf' : '-inf')})`;
  }

  date(text: string): string {
    return dateSql(text, (value) => this.param(value));
  }

  rows<C extends string>(columns: readonly C[], rows: readonly Readonly<Record<C, string>>[]): string {
    const json = JSON.stringify(rows.map((row) => columns.map((name) => row[name])));
    const type = `Array(Tuple(${columns.map(() => 'String').join(', ')}))`;
    const names = columns.map((name, i) => `tupleElement(x, ${i + 1}) as "${name}"`).join(', ');
    return `(select ${names} from (select arrayJoin(JSONExtract(${this.param(readableJson(json))}, '${type}')) as x))`;
  }

  /** ClickHouse compares the second half of UUIDs first. */
  eventBytes(event: string): string {
    return `(length(${event}.properties) + length(${event}.elements_chain))`;
  }

  /** Rows are never shortened. */
  wholeText(event: string, name: 'properties' | 'elements_chain'): string {
    return `${event}.${name}`;
  }

  idOrder(id: string): string {
    return `toString(${id})`;
  }

  addSpan(time: string, { months, ms }: Span): string {
    if (months === 0) return `(${time} + ${this.integer(ms)})`;
    const moved = `addMonths(fromUnixTimestamp64Milli(${time}, 'UTC'), ${this.integer(months)})`;
    return `(toUnixTimestamp64Milli(${moved}) + ${this.integer(ms)})`;
  }

  isOneOf(text: string, values: readonly string[]): string {
    return `${text} in (${values.map((value) => this.param(value)).join(', ')})`;
  }

  contains(text: string, part: string): string {
    return `(position(${text}, ${this.param(part)}) > 0)`;
  }

  /** Branches not taken are evaluated too, and a shift out of range would be an error. */
  bit(place: string): string {
    return `bitShiftLeft(toInt64(1), least(greatest(${place}, 0), 63))`;
  }

  bitOr(bits: string): string {
    return `groupBitOr(${bits})`;
  }

  bitCount(bits: string): string {
    return `toInt64(bitCount(${bits}))`;
  }

  toDouble(number: string): string {
    return `toFloat64(${number})`;
  }

  integer(value: number): string {
    return this.param(Math.trunc(value));
  }

  ms(time: string): string {
    return time;
  }

  timestamp(time: string): string {
    return `fromUnixTimestamp64Milli(${time}, 'UTC')`;
  }

  timeOfMs(ms: string): string {
    return ms;
  }

  quotient(value: string, divisor: string): string {
    return `intDiv(${value}, ${divisor})`;
  }

  firstRow(values: readonly string[], order: readonly string[], condition: string): string {
    return `argMinIf(tuple(${values.join(', ')}), tuple(${order.join(', ')}), ${condition})`;
  }

  lastRow(values: readonly string[], order: readonly string[], condition: string): string {
    return `argMaxIf(tuple(${values.join(', ')}), tuple(${order.join(', ')}), ${condition})`;
  }

  rowValue(row: string, index: number): string {
    return `tupleElement(${row}, ${Number(index) + 1})`;
  }

  quantile(value: string, level: number): string {
    return `quantileExactInclusive(${Number(level)})(${value})`;
  }

  joinTexts(value: string): string {
    return `arrayStringConcat(groupArray(toString(${value})), ',')`;
  }

  jsonList(value: string): string {
    return `toJSONString(groupArray(${value}))`;
  }

  hashSlot(value: string, count: number): string {
    return `toInt64(cityHash64(${value}) % toUInt64(${this.param(count)}))`;
  }

  bucket(time: string, interval: BucketInterval, timezone: string): string {
    return bucketSql(time, interval, timezone === 'UTC' ? null : this.param(timezone));
  }
}
