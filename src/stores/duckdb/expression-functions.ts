import type { PropertyPath } from '../../core/expressions/typed-expression.ts';
import type { SqlValue } from '../events/event-store.ts';
import { ambiguousParts, type ExpressionFunctions } from '../events/expression-functions.ts';
import { jsonPointer } from './read-properties.ts';

const PARTS = { year: 'year', month: 'month', day: 'day', weekday: 'isodow', hour: 'hour', minute: 'minute' } as const;
const FORMATS = { date: '%Y-%m-%d', time: '%Y-%m-%d %H:%M:%S' } as const;

/** `bind` binds a value. */
export function duckdbFunctions(bind: (value: SqlValue) => string): ExpressionFunctions {
  const local = (time: string, timezone: string): string =>
    timezone === 'UTC' ? time : `timezone(${bind(timezone)}, timezone('UTC', ${time}))`;
  const instant = (time: string, timezone: string): string =>
    timezone === 'UTC' ? time : `timezone('UTC', timezone(${bind(timezone)}, ${time}))`;
  const pointer = (path: PropertyPath): string => bind(pointerTo(path));
  return {
    nestedProperty(json, path) {
      const text = `json_extract_string(${json}, ${pointer(path)})`;
      const checks = ambiguousParts(path).map(
        ({ parent, isList }) => `json_type(${json}, ${pointer(parent)}) = '${isList ? 'ARRAY' : 'OBJECT'}'`,
      );
      return checks.length === 0 ? text : `(case when ${checks.join(' and ')} then ${text} end)`;
    },
    nullTime: () => 'cast(null as timestamp)',
    // `nullif` is a macro that writes its argument twice: nested, it takes exponential time.
    nullIf: (value, other) => `list_extract(list_filter([${value}], lambda n: n is distinct from ${other}), 1)`,
    textToNumber: (text, pattern) => `try_cast(regexp_extract(${text}, ${bind(`^(?:${pattern})$`)}) as double)`,
    numberToText: (number) => `regexp_replace(cast(to_json(${number} + 0) as varchar), '\\.0$', '')`,
    finite: (number) => `list_extract(list_filter([${number}], lambda n: isfinite(n)), 1)`,
    lower: (text) => `lower(${text})`,
    upper: (text) => `upper(${text})`,
    trim: (text) => `trim(${text})`,
    length: (text) => `length(${text})`,
    substring: (text, from, count) => `substring(${text}, ${from}${count === undefined ? '' : `, ${count}`})`,
    replaceAll: (text, part, by) => `replace(${text}, ${part}, ${by})`,
    replaceOne: (text, part, by) =>
      part === ''
        ? text
        : `regexp_replace(${text}, ${bind(part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'))}, ${bind(by.replaceAll('\\', '\\\\'))})`,
    position: (text, part) => `strpos(${text}, ${part})`,
    startsWith: (text, start) => `starts_with(${text}, ${start})`,
    endsWith: (text, end) => `ends_with(${text}, ${end})`,
    splitPart: (text, separator, index) => `list_extract(string_split(${text}, ${bind(separator)}), ${Number(index)})`,
    startOfSundayWeek: (time, timezone) =>
      instant(`(date_trunc('week', ${local(time, timezone)} + interval 1 day) - interval 1 day)`, timezone),
    calendarPart: (part, time, timezone) => `extract('${PARTS[part]}' from ${local(time, timezone)})`,
    timeDifference(unit, from, to, timezone) {
      if (unit === 'second' || unit === 'minute' || unit === 'hour') return `date_diff('${unit}', ${from}, ${to})`;
      const [start, end] = [local(from, timezone), local(to, timezone)];
      if (unit !== 'week') return `date_diff('${unit}', ${start}, ${end})`;
      return `(date_diff('day', date_trunc('week', ${start}), date_trunc('week', ${end})) / 7)`;
    },
    timeToText: (time, timezone, format) => `strftime(${local(time, timezone)}, '${FORMATS[format]}')`,
  };
}

/** Positions are counted from 0 in pointers. */
const pointerTo = (path: PropertyPath): string =>
  path.map((part) => (typeof part === 'number' ? `/${part - 1}` : jsonPointer(part))).join('');
