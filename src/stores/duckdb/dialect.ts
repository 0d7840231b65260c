import { DATE_PATTERNS, DATE_PREFIX_LENGTH } from '../../core/filters/filter-dates.ts';
import type { Span } from '../../core/time/span.ts';
import type { BucketInterval, Dialect, SqlBuilder } from '../events/dialect.ts';
import type { PropertyReading } from '../events/property-placeholders.ts';
import { PropertySql } from '../events/property-sql.ts';
import { readableJson } from '../events/readable-json.ts';
import { duckdbFunctions } from './expression-functions.ts';
import { largeEventBytesSql, wholeTextSql } from './large-events-sql.ts';
import { duckdbJsonProperty } from './promoted-text.ts';
import { jsonPointer } from './read-properties.ts';

export const duckdbDialect: Dialect = { newStatement: (table) => new DuckDbSql(table) };

class DuckDbSql extends PropertySql implements SqlBuilder {
  readonly functions = duckdbFunctions((value) => this.param(value));

  time(ms: number): string {
    return `make_timestamp_ms(${this.param(Math.trunc(ms))})`;
  }

  json(key: string): string {
    return `cast(json_extract(${this.prefix}properties, ${this.param(jsonPointer(key))}) as varchar)`;
  }

  protected readFrom(json: string, reading: PropertyReading, key: string): string {
    return duckdbJsonProperty(reading, json, this.param(jsonPointer(key)));
  }

  matches(text: string, pattern: string): string {
    return `regexp_matches(${text}, ${this.param(pattern)})`;
  }

  isPattern(pattern: string): string {
    // `try` catches errors of constant expressions only.
    return `(try(regexp_matches('', ${this.param(pattern)})) is not null)`;
  }

  /** Part of the text, since a bound pattern is compiled anew for every row. */
  capture(text: string, pattern: string): string {
    return `regexp_extract(${text}, '${pattern.replaceAll("'", "''")}', 1)`;
  }

  replaceMatches(text: string, pattern: string, replacement: string): string {
    return `regexp_replace(${text}, ${this.param(pattern)}, ${this.param(replacement)}, 'g')`;
  }

  containsIgnoringCase(text: string, part: string): string {
    return `contains(lower(${text}), lower(${this.param(part)}))`;
  }

  number(text: string, pattern: string): string {
    return `case when regexp_full_match(${text}, ${this.param(pattern)}) then try_cast(${text} as double) end`;
  }

  double(value: number): string {
    return `cast(${this.param(String(value))} as double)`;
  }

  date(text: string): string {
    const whole = this.#wholeDate(text);
    return `coalesce(${whole}, ${this.#wholeDate(`left(${text}, ${DATE_PREFIX_LENGTH})`)})`;
  }

  #wholeDate(text: string): string {
    const { iso, european, seconds } = DATE_PATTERNS;
    const fits = (pattern: string): string => `regexp_full_match(${text}, ${this.param(pattern)})`;
    // A cast to a timestamp without a zone would ignore the zone in the text.
    return `case
      when ${fits(iso)} then date_trunc('second', timezone('UTC', try_cast(${text} as timestamptz)))
      when ${fits(european)} then try_strptime(${text}, '%d/%m/%Y')
      when ${fits(seconds)} then make_timestamp_ms(cast(${text} as bigint) * 1000)
    end`;
  }

  rows<C extends string>(columns: readonly C[], rows: readonly Readonly<Record<C, string>>[]): string {
    const picked = rows.map((row) => Object.fromEntries(columns.map((name, i) => [`c${i}`, readableJson(row[name])])));
    const shape = Object.fromEntries(columns.map((_, i) => [`c${i}`, 'VARCHAR']));
    const names = columns.map((name, i) => `x.c${i} as "${name}"`).join(', ');
    const list = `from_json(${this.param(readableJson(JSON.stringify(picked)))}, '[${JSON.stringify(shape)}]')`;
    return `(select ${names} from (select unnest(${list}) as x))`;
  }

  eventBytes(event: string): string {
    return largeEventBytesSql(event);
  }

  wholeText(event: string, name: 'properties' | 'elements_chain'): string {
    return wholeTextSql(event, name);
  }

  idOrder(id: string): string {
    return id;
  }

  addSpan(time: string, { months, ms }: Span): string {
    return `(${time} + to_months(${this.param(months)}::integer) + to_milliseconds(${this.param(ms)}))`;
  }

  /** A function is computed once for each entry of a column's dictionary; `in` compares the text of every row. */
  isOneOf(text: string, values: readonly string[]): string {
    return `list_contains([${values.map((value) => this.param(value)).join(', ')}], ${text})`;
  }

  contains(text: string, part: string): string {
    return `contains(${text}, ${this.param(part)})`;
  }

  bit(place: string): string {
    return `(cast(1 as bigint) << ${place})`;
  }

  bitOr(bits: string): string {
    return `bit_or(${bits})`;
  }

  bitCount(bits: string): string {
    return `bit_count(${bits})`;
  }

  toDouble(number: string): string {
    return `cast(${number} as double)`;
  }

  integer(value: number): string {
    return `cast(${this.param(value)} as bigint)`;
  }

  ms(time: string): string {
    return `epoch_ms(${time})`;
  }

  timestamp(time: string): string {
    return `timezone('UTC', ${time})`;
  }

  timeOfMs(ms: string): string {
    return `make_timestamp_ms(${ms})`;
  }

  quotient(value: string, divisor: string): string {
    return `(${value} // ${divisor})`;
  }

  firstRow(values: readonly string[], order: readonly string[], condition: string): string {
    return `arg_min(${structOf(values)}, row(${order.join(', ')})) filter (where ${condition})`;
  }

  lastRow(values: readonly string[], order: readonly string[], condition: string): string {
    return `arg_max(${structOf(values)}, row(${order.join(', ')})) filter (where ${condition})`;
  }

  rowValue(row: string, index: number): string {
    return `struct_extract(${row}, 'v${Number(index)}')`;
  }

  quantile(value: string, level: number): string {
    return `quantile_cont(${value}, ${Number(level)})`;
  }

  joinTexts(value: string): string {
    return `string_agg(cast(${value} as varchar), ',')`;
  }

  jsonList(value: string): string {
    return `cast(to_json(list(${value})) as varchar)`;
  }

  hashSlot(value: string, count: number): string {
    return `(hash(${value}) % cast(${this.param(count)} as ubigint))`;
  }

  bucket(time: string, interval: BucketInterval, timezone: string): string {
    // A time zone costs about a microsecond per event in ICU: ten times as much as the rest.
    if (timezone === 'UTC') return `date_trunc('${interval}', ${time})`;
    const zone = this.param(timezone);
    const local = `timezone(${zone}, timezone('UTC', ${time}))`;
    const start = `date_trunc('${interval}', ${local})`;
    // Subtracted from the instant: when clocks go back, two hours have the same local time.
    if (interval === 'minute' || interval === 'hour') return `(${time} - (${local} - ${start}))`;
    return `timezone('UTC', timezone(${zone}, ${start}))`;
  }
}

const structOf = (values: readonly string[]): string =>
  `struct_pack(${values.map((value, at) => `v${at} := ${value}`).join(', ')})`;
