import type { PropertyPath } from '../../core/expressions/typed-expression.ts';
import type { SqlValue } from '../events/event-store.ts';
import { ambiguousParts, type ExpressionFunctions } from '../events/expression-functions.ts';

const PARTS = {
  year: 'toYear',
  month: 'toMonth',
  day: 'toDayOfMonth',
  weekday: 'toDayOfWeek',
  hour: 'toHour',
  minute: 'toMinute',
} as const;
/** `%M` is the name of the month. */
const FORMATS = { date: '%Y-%m-%d', time: '%Y-%m-%d %H:%i:%S' } as const;

/** `bind` binds a value. Times are 64-bit milliseconds. */
export function clickhouseFunctions(bind: (value: SqlValue) => string): ExpressionFunctions {
  const local = (time: string, timezone: string): string =>
    `fromUnixTimestamp64Milli(${time}, ${timezone === 'UTC' ? `'UTC'` : bind(timezone)})`;
  const keys = (path: PropertyPath): string => path.map((part) => bind(part)).join(', ');
  return {
    nestedProperty(json, path) {
      const text = `JSONExtract(${json}, ${keys(path)}, 'Nullable(String)')`;
      const checks = ambiguousParts(path).map(
        ({ parent, isList }) => `JSONType(${json}, ${keys(parent)}) = '${isList ? 'Array' : 'Object'}'`,
      );
      return checks.length === 0 ? text : `if(${checks.join(' and ')}, ${text}, null)`;
    },
    nullTime: () => 'cast(null as bigint)',
    nullIf: (value, other) => `nullIf(${value}, ${other})`,
    textToNumber: (text, pattern) => `toFloat64OrNull(extract(${text}, ${bind(`^(?:${pattern})$`)}))`,
    numberToText: (number) => `toString(${number} + 0)`,
    // An array of one value gives it a name.
    finite: (number) => `arrayElement(arrayMap(n -> if(isFinite(n), n, null), [${number}]), 1)`,
    lower: (text) => `lowerUTF8(${text})`,
    upper: (text) => `upperUTF8(${text})`,
    trim: (text) => `trimBoth(${text})`,
    length: (text) => `lengthUTF8(${text})`,
    substring: (text, from, count) => `substringUTF8(${text}, ${from}${count === undefined ? '' : `, ${count}`})`,
    replaceAll: (text, part, by) => `replaceAll(${text}, ${part}, ${by})`,
    replaceOne: (text, part, by) => (part === '' ? text : `replaceOne(${text}, ${bind(part)}, ${bind(by)})`),
    position: (text, part) => `positionUTF8(${text}, ${part})`,
    startsWith: (text, start) => `startsWith(${text}, ${start})`,
    endsWith: (text, end) => `endsWith(${text}, ${end})`,
    splitPart(text, separator, index) {
      const parts = `splitByString(${bind(separator)}, t)`;
      const part = `arrayElement(arrayMap(s -> toNullable(s), ${parts}), ${Number(index)})`;
      return `arrayElement(arrayMap(t -> ${part}, arrayFilter(t -> t is not null, [${text}])), 1)`;
    },
    startOfSundayWeek: (time, timezone) =>
      `(toInt64(toUnixTimestamp(toDateTime(toStartOfWeek(${local(time, timezone)}, 0), ${timezone === 'UTC' ? `'UTC'` : bind(timezone)}))) * 1000)`,
    calendarPart: (part, time, timezone) => `${PARTS[part]}(${local(time, timezone)})`,
    timeDifference(unit, from, to, timezone) {
      const zone = unit === 'second' || unit === 'minute' || unit === 'hour' ? 'UTC' : timezone;
      return `dateDiff('${unit}', ${local(from, zone)}, ${local(to, zone)})`;
    },
    timeToText: (time, timezone, format) => `formatDateTime(${local(time, timezone)}, '${FORMATS[format]}')`,
  };
}
