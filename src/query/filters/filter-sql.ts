/** Property filters as SQL, with the same meaning as `core/filters/matches.ts`. */
import { invalid } from '../../core/errors.ts';
import type { CohortFilter } from '../../core/filters/cohort-filter.ts';
import { dateSpan } from '../../core/filters/filter-dates.ts';
import { isJsonText, NUMBER_PATTERN, parseNumber } from '../../core/filters/matches.ts';
import type { ExpressionFilter, Filter, FilterOwner, PropertyFilter } from '../../core/filters/property-filter.ts';
import type { SqlBuilder } from '../../stores/events/dialect.ts';

export interface FilterScope {
  /** The column with the properties as JSON; the event's own properties, with their columns, if absent. */
  json?: string;
  /** The SQL of the value itself instead, whatever the key: a text, empty where there is none. */
  text?: string;
  /** Patterns that the engine accepts (see `validPatterns`); others match nothing. */
  patterns: ReadonlySet<string>;
  /** A filter on something else, such as the event's person; undefined if it is on these properties. */
  related?(filter: PropertyFilter): string | undefined;
  /** Membership in a cohort; filters on cohorts are rejected without it. */
  cohort?(filter: CohortFilter): string;
  /** Expressions are rejected without it. */
  expression?(filter: ExpressionFilter): string;
}

const ALWAYS = 'true';
const NEVER = 'false';

/** A condition that is true or false, never null. */
export function filterSql(sql: SqlBuilder, filter: Filter, scope: FilterScope): string {
  if (filter.kind === 'property') {
    const related = scope.related?.(filter);
    if (related !== undefined) return related;
    if (!OWN.includes(filter.owner))
      throw invalid('properties', `Filters of type ${filter.owner} are not supported here.`);
    return ownPropertySql(sql, filter, scope);
  }
  if (filter.kind === 'cohort') {
    if (scope.cohort === undefined) throw invalid('properties', 'Filters on cohorts are not supported here.');
    return scope.cohort(filter);
  }
  if (filter.kind === 'expression') {
    if (scope.expression === undefined) throw invalid('properties', 'Expressions are not supported here.');
    return scope.expression(filter);
  }
  if (filter.filters.length === 0) return ALWAYS;
  return `(${filter.filters.map((inner) => filterSql(sql, inner, scope)).join(` ${filter.kind} `)})`;
}

const OWN: readonly FilterOwner[] = ['event', 'person'];

/** A filter on the properties of the scope, whatever its owner. */
export function ownPropertySql(sql: SqlBuilder, filter: PropertyFilter, scope: FilterScope): string {
  const { key, operator, values } = filter;
  switch (operator) {
    case 'is_set':
      return isSet(sql, key, scope);
    case 'is_not_set':
      return `(not ${isSet(sql, key, scope)})`;
    case 'exact':
      return exact(sql, filter, scope);
    case 'is_not':
      return `(not ${exact(sql, filter, scope)})`;
    case 'icontains':
      return anyOf(contains(sql, filter, scope));
    case 'not_icontains':
      return `(not ${anyOf(contains(sql, filter, scope))})`;
    case 'regex':
      return anyOf(valid(filter, scope).map((pattern) => sql.matches(textOf(sql, key, scope), pattern)));
    case 'not_regex':
      // With an invalid pattern it is unknown what should be left out, so nothing matches.
      if (valid(filter, scope).length < values.length) return NEVER;
      return `(not ${anyOf(values.map((pattern) => sql.matches(textOf(sql, key, scope), pattern)))})`;
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
      return numbers(sql, filter, scope, SIGNS[operator]);
    case 'is_date_exact':
    case 'is_date_after':
    case 'is_date_before':
      return dates(sql, filter, scope);
  }
}

const SIGNS = { gt: '>', gte: '>=', lt: '<', lte: '<=' } as const;

const anyOf = (conditions: readonly string[]): string =>
  conditions.length === 0 ? NEVER : `(${conditions.join(' or ')})`;

const valid = ({ values }: PropertyFilter, { patterns }: FilterScope): string[] =>
  values.filter((pattern) => patterns.has(pattern));

/** `null` where it is null, empty where it is absent. */
const textOf = (sql: SqlBuilder, key: string, { json, text }: FilterScope): string => text ?? sql.text(key, json);

const isSet = (sql: SqlBuilder, key: string, { json, text }: FilterScope): string =>
  text === undefined ? sql.hasKey(key, json) : `(${text} <> '')`;

/** Where the text `null` does not matter: saves reading the JSON of events without the property again. */
const plainTextOf = (sql: SqlBuilder, key: string, { json, text }: FilterScope): string =>
  text ?? `coalesce(${sql.property(key, json)}, '')`;

function exact(sql: SqlBuilder, { key, values }: PropertyFilter, scope: FilterScope): string {
  if (values.length === 0) return NEVER;
  const hasNull = values.some((value) => value === 'null' || value === '');
  const text = hasNull ? textOf(sql, key, scope) : plainTextOf(sql, key, scope);
  const plain = values.filter((value) => !isJsonText(value)).map((value) => sql.param(value));
  const json = values.filter(isJsonText).map((value) => sql.param(value.replaceAll(' ', '')));
  return anyOf([
    ...(plain.length > 0 ? [`${text} in (${plain.join(', ')})`] : []),
    ...(json.length > 0 ? [`replace(${text}, ' ', '') in (${json.join(', ')})`] : []),
  ]);
}

function contains(sql: SqlBuilder, { key, values }: PropertyFilter, scope: FilterScope): string[] {
  return values.map((value) => {
    const mayMeanNull = 'null'.includes(value.toLowerCase());
    return sql.containsIgnoringCase((mayMeanNull ? textOf : plainTextOf)(sql, key, scope), value);
  });
}

function numbers(sql: SqlBuilder, { key, values }: PropertyFilter, scope: FilterScope, sign: string): string {
  const bounds = values.map(parseNumber).filter((bound) => bound !== null);
  if (bounds.length === 0) return NEVER;
  const number = sql.number(`replace(${plainTextOf(sql, key, scope)}, ' ', '')`, NUMBER_PATTERN);
  return anyOf(bounds.map((bound) => `coalesce(${number} ${sign} ${sql.double(bound)}, false)`));
}

function dates(sql: SqlBuilder, { key, operator, values }: PropertyFilter, scope: FilterScope): string {
  const spans = values.map(dateSpan).filter((span) => span !== null);
  if (spans.length === 0) return NEVER;
  const date = sql.date(plainTextOf(sql, key, scope));
  const condition = ({ from, to }: { from: number; to: number }): string => {
    if (operator === 'is_date_after') return `${date} >= ${sql.time(to)}`;
    if (operator === 'is_date_before') return `${date} < ${sql.time(from)}`;
    return `${date} >= ${sql.time(from)} and ${date} < ${sql.time(to)}`;
  };
  return anyOf(spans.map((span) => `coalesce(${condition(span)}, false)`));
}
