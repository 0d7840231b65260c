/** Expressions at and beyond every limit, and texts that try to leave their place. Each has a value or is a `Failure`. */
import { Failure } from '../../src/core/errors.ts';
import { evaluateExpressions } from './evaluate-expressions.ts';

const repeated = (count: number, text: string, between = ''): string => Array(count).fill(text).join(between);
const nested = (depth: number, open: string, inner: string, close = ')'): string =>
  repeated(depth, open) + inner + repeated(depth, close);

const INJECTIONS = [
  "'; drop table event_rows; --",
  "') or 1=1 --",
  '$1',
  '@text(event properties 61)',
  '{p1:String}',
  '%s ?',
  '\u2028\u202e',
  '\\',
  "\\'",
  '"`',
  '/* */ -- #',
  '__proto__',
  'constructor',
];

const quote = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;

export const HOSTILE_EXPRESSIONS: readonly string[] = [
  nested(39, 'if(properties.a = 1, properties.b, ', '1'),
  nested(39, 'lower(', 'properties.a'),
  nested(39, 'toFloat(toString(', 'properties.a', '))'),
  nested(39, 'toFloat(', 'properties.a'),
  nested(39, 'toDateTime(', 'properties.a'),
  nested(39, 'round(', 'properties.a'),
  nested(39, 'abs(1 + ', 'properties.a'),
  nested(39, 'coalesce(properties.b, ', 'properties.a'),
  nested(39, 'substring(properties.a, ', '1'),
  nested(39, 'toBool(', 'properties.a'),
  nested(39, '(', 'properties.a'),
  nested(39, 'not (', 'properties.a'),
  nested(20, "splitByChar('.', ", 'properties.a', ')[1]'),
  nested(39, 'least(', 'properties.a'),
  repeated(39, 'properties.a', ' + '),
  repeated(39, 'properties.a', ' = '),
  nested(18, 'abs(1 + ', 'properties.a'),
  nested(18, 'abs(1 / ', 'properties.a'),
  repeated(400, 'properties.a = 1', ' and '),
  repeated(400, 'properties.a', ' || '),
  `properties.a in (${repeated(1900, '1', ',')})`,
  `properties.a in (${repeated(900, 'properties.b', ',').slice(0, 9900)})`,
  `concat(${repeated(900, "'x'", ',')})`,
  `multiIf(${repeated(300, "properties.a = 1, 'x', ")}'y')`,
  `case ${nested(8, 'lower(', 'properties.a')} ${repeated(100, "when 'a' then 'b'", ' ')} end`,
  `properties.a like '${repeated(900, '%a')}'`,
  `properties.a like '${repeated(9000, '_')}'`,
  `match(properties.a, '${repeated(60, '(a{1,1000}){1,1000}')}')`,
  `match(properties.a, '(((((a*)*)*)*)*)b')`,
  `match(properties.a, '\\\\p{L}{1,200}[^]]')`,
  `substring(properties.a, 1e308, 1e308)`,
  `substring(properties.a, -1e308, -1e308)`,
  `round(1e308, 10)`,
  `timestamp + interval 999 year`,
  `timestamp - interval 999 year`,
  `toStartOfWeek(timestamp + interval 999 year)`,
  `dateDiff('second', timestamp - interval 999 year, timestamp + interval 999 year)`,
  `toDateTime('1900-01-01')`,
  `toDateTime('2199-12-31 23:59:59')`,
  `replaceAll(${repeated(30, 'properties.a', ' || ')}, 'a', '${repeated(5000, 'b')}')`,
  `properties${repeated(19, '.a')}`,
  ...INJECTIONS.flatMap((text) => [
    `properties.a = ${quote(text)}`,
    `properties[${quote(text)}]`,
    `properties.a[${quote(text)}]`,
    `properties.\`${text.replaceAll('\\', '\\\\').replaceAll('`', '``')}\``,
    `properties.a like ${quote(text)}`,
    `replaceOne(properties.a, ${quote(text)}, ${quote(text)})`,
    `splitByChar(${quote(text)}, properties.a)[1]`,
    `match(properties.a, ${quote(text)})`,
  ]),
];

/** The texts of all problems that are no refusal; none is expected. */
export async function hostileProblems(
  deps: Parameters<typeof evaluateExpressions>[0],
  projectId: number,
  time: Parameters<typeof evaluateExpressions>[3],
): Promise<string[]> {
  const problems: string[] = [];
  for (const expression of HOSTILE_EXPRESSIONS) {
    try {
      await evaluateExpressions(deps, projectId, [expression], time);
    } catch (error) {
      if (!(error instanceof Failure)) problems.push(`${expression.slice(0, 80)}: ${String(error).slice(0, 200)}`);
    }
  }
  return problems;
}
