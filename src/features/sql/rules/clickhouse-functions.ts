/**
 * The functions of statements as ClickHouse has them. Names are those of the checked tree, so in DuckDB's words. One that
 * is not here cannot be called where events are in ClickHouse.
 *
 * Whole numbers are signed, as they are in DuckDB: ClickHouse has no type for a list of signed and unsigned ones.
 */
import { clickhouseText, onlyInDuckDb } from './clickhouse-text.ts';

interface ClickHouseCall {
  args: readonly string[];
  /** The text of an argument that is a constant; otherwise it fails. */
  text(index: number): string;
}

type Write = (call: ClickHouseCall) => string;

const named =
  (name: string): Write =>
  ({ args }) =>
    `${name}(${args.join(', ')})`;

const signed =
  (name: string): Write =>
  ({ args }) =>
    `toInt64(${name}(${args.join(', ')}))`;

/** `=` between two arguments and the like. */
const infix =
  (sign: string): Write =>
  ({ args: [a, b] }) =>
    `(${a} ${sign} ${b})`;

/** A backslash stands for itself. */
const like =
  (word: string): Write =>
  ({ args: [value, shape] }) =>
    `(${value} ${word} replaceAll(${shape}, '\\\\', '\\\\\\\\'))`;

const UNITS = new Set([
  'microsecond',
  'millisecond',
  'second',
  'minute',
  'hour',
  'day',
  'week',
  'month',
  'quarter',
  'year',
]);

export function unitOf(text: string): string {
  const unit = text.toLowerCase().replace(/s$/, '');
  if (!UNITS.has(unit)) throw onlyInDuckDb(`The unit ${text.slice(0, 40)}`);
  return unit;
}

/** The start of a minute, a week, a year … as a time. */
function startOf(unit: string, time: string): string {
  const name = unitOf(unit);
  const start = name === 'week' ? `toMonday(${time})` : `date_trunc('${name}', ${time})`;
  return `toDateTime64(${start}, 6, 'UTC')`;
}

const PARTS: Readonly<Record<string, (time: string) => string>> = {
  year: (t) => `toInt64(toYear(${t}))`,
  month: (t) => `toInt64(toMonth(${t}))`,
  quarter: (t) => `toInt64(toQuarter(${t}))`,
  week: (t) => `toInt64(toISOWeek(${t}))`,
  day: (t) => `toInt64(toDayOfMonth(${t}))`,
  dow: (t) => `toInt64(toDayOfWeek(${t}) % 7)`,
  isodow: (t) => `toInt64(toDayOfWeek(${t}))`,
  doy: (t) => `toInt64(toDayOfYear(${t}))`,
  isoyear: (t) => `toInt64(toISOYear(${t}))`,
  hour: (t) => `toInt64(toHour(${t}))`,
  minute: (t) => `toInt64(toMinute(${t}))`,
  second: (t) => `toInt64(toSecond(${t}))`,
  epoch: (t) => `(toUnixTimestamp64Micro(toDateTime64(${t}, 6, 'UTC')) / 1000000)`,
};

const part =
  (name: string): Write =>
  ({ args: [time = ''] }) =>
    PARTS[name]?.(time) ?? '';

function datePart({ args, text }: ClickHouseCall): string {
  const unit = text(0).toLowerCase();
  const write = PARTS[unit] ?? PARTS[unit.replace(/s$/, '')];
  if (write === undefined) throw onlyInDuckDb(`The date part ${unit.slice(0, 40)}`);
  return write(args[1] ?? '');
}

/** Halves are rounded away from zero. ClickHouse rounds them to even numbers. */
function round({ args: [value = '', digits] }: ClickHouseCall): string {
  const whole = (x: string): string => `(sign(${x}) * floor(abs(${x}) + 0.5))`;
  if (digits === undefined) return whole(value);
  return `(${whole(`(${value}) * pow(10, ${digits})`)} / pow(10, ${digits}))`;
}

/** Whole weeks, but the starts of other units that were passed. */
function difference({ args: [, from, to], text }: ClickHouseCall): string {
  const unit = unitOf(text(0));
  const count = `toInt64(dateDiff('${unit === 'week' ? 'day' : unit}', ${from}, ${to}))`;
  return unit === 'week' ? `intDiv(${count}, 7)` : count;
}

const interval =
  (unit: string): Write =>
  ({ args }) =>
    `toInterval${unit}(${args.join(', ')})`;

/** The pointer `/a/b` as arguments. */
function pointerKeys(pointer: string): string {
  if (!pointer.startsWith('/')) throw onlyInDuckDb('A JSON path other than keys');
  return pointer
    .slice(1)
    .split('/')
    .map((key) => clickhouseText(key.replaceAll('~1', '/').replaceAll('~0', '~')))
    .join(', ');
}

const jsonText: Write = ({ args: [json], text }) => `JSONExtract(${json}, ${pointerKeys(text(1))}, 'Nullable(String)')`;
const jsonRaw: Write = ({ args: [json], text }) => `nullIf(JSONExtractRaw(${json}, ${pointerKeys(text(1))}), '')`;

/** By default, a dot matches line breaks in ClickHouse. */
const pattern = (regex: string): string => `concat('(?-s)', ${regex})`;

const hash =
  (name: string): Write =>
  ({ args }) =>
    `lower(hex(${name}(${args.join(', ')})))`;

const division: Write = ({ args: [a, b] }) => `intDivOrNull(${a}, ${b})`;
const remainder: Write = ({ args: [a, b] }) => `moduloOrNull(${a}, ${b})`;

const matches: Write = ({ args: [value, regex = ''] }) => `toBool(match(${value}, ${pattern(regex)}))`;

function replaceMatches({ args: [value, regex = '', by], text, args }: ClickHouseCall): string {
  const isAll = args.length > 3 && text(3) === 'g';
  if (args.length > 3 && !isAll) throw onlyInDuckDb('An option of regexp_replace other than g');
  return `${isAll ? 'replaceRegexpAll' : 'replaceRegexpOne'}(${value}, ${pattern(regex)}, ${by})`;
}

const sameNames = (names: string): Record<string, Write> =>
  Object.fromEntries(names.split(/\s+/).map((name) => [name, named(name)]));

export const CLICKHOUSE_FUNCTIONS: ReadonlyMap<string, Write> = new Map(
  Object.entries<Write>({
    ...sameNames('abs ceil floor trunc sign sqrt cbrt exp log2 log10 pow greatest least pi radians degrees'),
    ...sameNames('sin cos tan asin acos atan atan2 ascii'),
    ceiling: named('ceil'),
    ln: named('log'),
    log: ({ args: [a, b] }) => (b === undefined ? `log10(${a})` : `(log(${b}) / log(${a}))`),
    power: named('pow'),
    round,
    mod: remainder,
    isnan: named('isNaN'),
    isinf: named('isInfinite'),
    isfinite: named('isFinite'),
    '+': ({ args: [a, b] }) => (b === undefined ? `(${a})` : `(${a} + ${b})`),
    '-': ({ args: [a, b] }) => (b === undefined ? `negate(${a})` : `(${a} - ${b})`),
    '*': infix('*'),
    '/': infix('/'),
    '//': division,
    '%': remainder,
    '**': named('pow'),
    '^': named('pow'),
    '||': ({ args }) => `concat(${args.map((arg) => `toString(${arg})`).join(', ')})`,
    '&': named('bitAnd'),
    '|': named('bitOr'),
    '~~': like('like'),
    '!~~': like('not like'),
    '~~*': like('ilike'),
    '!~~*': like('not ilike'),
    '->>': ({ args: [json, key] }) => `JSONExtract(${json}, ${key}, 'Nullable(String)')`,
    lower: named('lowerUTF8'),
    upper: named('upperUTF8'),
    length: signed('lengthUTF8'),
    strlen: signed('length'),
    len: signed('length'),
    array_length: signed('length'),
    substring: named('substringUTF8'),
    substr: named('substringUTF8'),
    left: named('leftUTF8'),
    right: named('rightUTF8'),
    trim: named('trimBoth'),
    ltrim: named('trimLeft'),
    rtrim: named('trimRight'),
    replace: named('replaceAll'),
    reverse: named('reverseUTF8'),
    concat: ({ args }) => `concat(${args.map((arg) => `ifNull(toString(${arg}), '')`).join(', ')}, '')`,
    contains: ({ args: [a, b] }) => `(position(${a}, ${b}) > 0)`,
    starts_with: named('startsWith'),
    prefix: named('startsWith'),
    ends_with: named('endsWith'),
    suffix: named('endsWith'),
    position: signed('positionUTF8'),
    strpos: signed('positionUTF8'),
    instr: signed('positionUTF8'),
    split_part: ({ args: [value, separator, index] }) =>
      `arrayElement(splitByString(${separator}, ${value}), ${index})`,
    string_split: ({ args: [value, separator] }) => `splitByString(${separator}, ${value})`,
    split: ({ args: [value, separator] }) => `splitByString(${separator}, ${value})`,
    regexp_matches: matches,
    regexp_full_match: ({ args: [value, regex] }) => `toBool(match(${value}, concat('(?-s)^(?:', ${regex}, ')$')))`,
    regexp_extract: ({ args: [value, regex = '', group = '0'] }) =>
      `regexpExtract(${value}, ${pattern(regex)}, ${group})`,
    regexp_replace: replaceMatches,
    md5: hash('MD5'),
    sha256: hash('SHA256'),
    nullif: named('nullIf'),
    ifnull: named('ifNull'),
    isnull: named('isNull'),
    if: named('if'),
    date_trunc: ({ args: [, time = ''], text }) => startOf(text(0), time),
    datetrunc: ({ args: [, time = ''], text }) => startOf(text(0), time),
    date_part: datePart,
    datepart: datePart,
    date_diff: difference,
    datediff: difference,
    date_add: infix('+'),
    ...Object.fromEntries(Object.keys(PARTS).map((name) => [name, part(name)])),
    dayofmonth: part('day'),
    dayofweek: part('dow'),
    weekday: part('dow'),
    dayofyear: part('doy'),
    weekofyear: part('week'),
    epoch_ms: ({ args: [time] }) => `toUnixTimestamp64Milli(toDateTime64(${time}, 3, 'UTC'))`,
    last_day: ({ args: [time] }) => `toLastDayOfMonth(${time})`,
    now: () => `now64(6, 'UTC')`,
    current_timestamp: () => `now64(6, 'UTC')`,
    get_current_timestamp: () => `now64(6, 'UTC')`,
    today: () => `today()`,
    current_date: () => `today()`,
    to_seconds: interval('Second'),
    to_minutes: interval('Minute'),
    to_hours: interval('Hour'),
    to_days: interval('Day'),
    to_weeks: interval('Week'),
    to_months: interval('Month'),
    to_years: interval('Year'),
    json_extract_string: jsonText,
    json_extract: jsonRaw,
    list_value: ({ args }) => `[${args.join(', ')}]`,
    list_contains: named('has'),
    list_has: named('has'),
    array_contains: named('has'),
    array_has: named('has'),
    list_extract: named('arrayElementOrNull'),
    list_element: named('arrayElementOrNull'),
    array_extract: named('arrayElementOrNull'),
    list_sort: named('arraySort'),
    list_sum: named('arraySum'),
    list_avg: named('arrayAvg'),
    list_min: named('arrayMin'),
    list_max: named('arrayMax'),
    list_concat: named('arrayConcat'),
    list_transform: ({ args: [list, lambda] }) => `arrayMap(${lambda}, ${list})`,
    list_apply: ({ args: [list, lambda] }) => `arrayMap(${lambda}, ${list})`,
    list_filter: ({ args: [list, lambda] }) => `arrayFilter(${lambda}, ${list})`,
    array_to_string: ({ args: [list, separator] }) => `arrayStringConcat(${list}, ${separator})`,
    unnest: named('arrayJoin'),
  }),
);
