/**
 * What `{filters}` stands for, as a condition on `events`. It is part of the statement, so it is checked with it.
 *
 * Comparisons mean what they mean in insights (`core/filters/matches.ts`): text against text, an absent property is empty.
 */
import { dateSpan } from '../../../core/filters/filter-dates.ts';
import { parseNumber } from '../../../core/filters/matches.ts';
import type { Filter, PropertyFilter } from '../../../core/filters/property-filter.ts';
import { SqlRefusal } from './refusal.ts';

type BindValue = (value: string | number) => string;

const NEVER = 'false';

export function filtersSql(filter: Filter, bind: BindValue): string {
  if (filter.kind === 'property') return propertySql(filter, bind);
  if (filter.kind === 'cohort') throw unsupported('Cohorts');
  if (filter.kind === 'expression') throw unsupported('Expressions');
  if (filter.filters.length === 0) return 'true';
  return `(${filter.filters.map((one) => filtersSql(one, bind)).join(` ${filter.kind} `)})`;
}

const unsupported = (what: string): SqlRefusal =>
  new SqlRefusal('bad_parameter', `${what} are not supported in filters.properties; write them in the statement.`);

function propertySql({ owner, key, operator, values }: PropertyFilter, bind: BindValue): string {
  if (owner !== 'event' && owner !== 'person') throw unsupported(`Properties of a ${owner}`);
  const quoted = `"${key.replaceAll('"', '""')}"`;
  const value = owner === 'person' ? `person.properties.${quoted}` : `properties.${quoted}`;
  const text = `coalesce(${value}, '')`;
  const not = (condition: string): string => `(not ${condition})`;
  const contains = () => anyOf(values.map((part) => `contains(lower(${text}), ${bind(part.toLowerCase())})`));
  const matches = () => anyOf(values.map((pattern) => `regexp_matches(${text}, ${bind(pattern)})`));
  const equals = () => (values.length === 0 ? NEVER : `(${text} in (${values.map(bind).join(', ')}))`);
  switch (operator) {
    case 'exact':
      return equals();
    case 'is_not':
      return not(equals());
    case 'icontains':
      return contains();
    case 'not_icontains':
      return not(contains());
    case 'regex':
      return matches();
    case 'not_regex':
      return not(matches());
    case 'is_set':
      return `(${value} is not null)`;
    case 'is_not_set':
      return `(${value} is null)`;
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
      return compare(`toFloat(${value})`, SIGNS[operator], values, bind);
    default:
      return dates(`try_cast(${value} as timestamp)`, operator, values, bind);
  }
}

const SIGNS = { gt: '>', gte: '>=', lt: '<', lte: '<=' } as const;

const anyOf = (conditions: readonly string[]): string =>
  conditions.length === 0 ? NEVER : `(${conditions.join(' or ')})`;

function compare(number: string, sign: string, values: readonly string[], bind: BindValue): string {
  const bounds = values.map(parseNumber).filter((bound) => bound !== null);
  return anyOf(bounds.map((bound) => `coalesce(${number} ${sign} cast(${bind(bound)} as double), false)`));
}

function dates(date: string, operator: string, values: readonly string[], bind: BindValue): string {
  const spans = values.map(dateSpan).filter((span) => span !== null);
  const time = (ms: number): string => timeSql(ms, bind);
  return anyOf(
    spans.map(({ from, to }) => {
      if (operator === 'is_date_after') return `coalesce(${date} >= ${time(to)}, false)`;
      if (operator === 'is_date_before') return `coalesce(${date} < ${time(from)}, false)`;
      return `coalesce(${date} >= ${time(from)} and ${date} < ${time(to)}, false)`;
    }),
  );
}

export const timeSql = (ms: number, bind: BindValue): string =>
  `cast(${bind(new Date(ms).toISOString().slice(0, -1))} as timestamp)`;
