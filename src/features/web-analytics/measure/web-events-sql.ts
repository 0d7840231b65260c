/**
 * The events that make sessions: those with a session id, and those of a page. Both engines read them as `b`:
 * `person`, `happened` (ms UTC), `id` (the order of equal times), `sid` (empty for none), `is_view`, `is_hit`, `path`, and
 * what the statement asks for.
 */
import type { Range } from '../../../core/time/range.ts';
import { HIT_EVENTS } from '../../../core/web/session-values.ts';
import { NO_VALUE, textFilterSql } from '../../../query/sessions/text-filter-sql.ts';
import {
  isBotSql,
  isOfPageSql,
  isOwnSql,
  isViewSql,
  sentPathSql,
  sessionIdSql,
} from '../../../stores/events/session-columns.ts';
import type { WebScope } from './web-scope.ts';

/** The page of a view, by the project's rules. */
export const pathSql = (scope: WebScope): string => ruledPathSql(scope, sentPathSql(scope.statement.sql));

/** The same of a path that was sent. */
export function ruledPathSql({ statement: { sql }, question, patterns }: WebScope, sent: string): string {
  const rules = question.settings.path_rules.filter(({ pattern }) => patterns.has(pattern));
  const path = rules.reduce((text, { pattern, replacement }) => sql.replaceMatches(text, pattern, replacement), sent);
  return `coalesce(nullif(${path}, ''), ${sql.param(NO_VALUE)})`;
}

/** Views with a label that the question leaves out count as not sent. */
function isCounted({ statement, question }: WebScope): string {
  const left = [
    ...(question.includeBots ? [] : [isBotSql(statement.sql)]),
    ...(question.includeOwn ? [] : [isOwnSql(statement.sql)]),
  ];
  return left.length === 0 ? 'true' : `(not ${isViewSql(statement.sql)} or not (${left.join(' or ')}))`;
}

/** Whether a view is counted, by itself. */
export const isCountedView = (scope: WebScope): string =>
  `(${isCounted(scope)} and ${scope.statement.matches(scope.question.accountFilter)})`;

/** `from … where …`: the views of a range that are counted. */
export const fromViews = (scope: WebScope, range: Range): string =>
  `${fromEvents(scope, range)} and ${isViewSql(scope.statement.sql)}`;

function fromEvents(scope: WebScope, range: Range): string {
  const { statement } = scope;
  return `${statement.from()}
    where ${statement.inProject()} and ${statement.during(range)} and ${isCountedView(scope)}`;
}

/** A column of `b`, by name. */
type EventColumns = Readonly<Record<string, string>>;

/** The conditions of the question that events answer: `fit0`, … and `saw` for pages. */
export function fitColumns(scope: WebScope): EventColumns {
  const { statement, question } = scope;
  const flag = (condition: string): string => `case when ${condition} then 1 else 0 end`;
  const fits = question.eventFilters.map((filter, at) => [`fit${at}`, flag(statement.matches(filter))] as const);
  return Object.fromEntries(fits);
}

export const isPathFilter = ({ key }: { key: string }): boolean => key === 'path';

/** Whether a view of `path` is asked for. */
export function pathFilterSql(scope: WebScope, path: string): string {
  const filters = scope.question.filters.filter(isPathFilter);
  if (filters.length === 0) return 'true';
  const text = plainPathSql(scope, path);
  return `(${filters.map((one) => textFilterSql(scope, text, one)).join(' and ')})`;
}

/** Empty for pages without a path, as other values are. */
export const plainPathSql = ({ statement: { sql } }: WebScope, path: string): string =>
  `case when ${path} = ${sql.param(NO_VALUE)} then '' else ${path} end`;

/** `b`. */
export function webEventsSql(scope: WebScope, range: Range, columns: EventColumns): string {
  const { statement } = scope;
  const { sql } = statement;
  const own: EventColumns = {
    person: 'e.person_id',
    happened: sql.ms('e.timestamp'),
    id: sql.idOrder('e.uuid'),
    sid: sessionIdSql(sql),
    is_view: `case when ${isViewSql(statement.sql)} then 1 else 0 end`,
    is_hit: `case when ${sql.isOneOf('e.event', HIT_EVENTS)} then 1 else 0 end`,
    path: `case when ${isViewSql(statement.sql)} then ${pathSql(scope)} else '' end`,
    ...columns,
  };
  const list = Object.entries(own).map(([name, text]) => `${text} as ${name}`);
  return `select ${list.join(', ')} ${fromEvents(scope, range)}
    and (${sessionIdSql(sql)} <> '' or ${isViewSql(statement.sql)} or ${isOfPageSql(sql)})`;
}
