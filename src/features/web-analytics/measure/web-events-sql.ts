/**
 * The events that make sessions: those with a session id, and those of a page. Both engines read them as `b`:
 * `person`, `happened` (ms UTC), `id` (the order of equal times), `sid` (empty for none), `is_view`, `is_hit`, `path`, and
 * what the statement asks for.
 */
import type { Range } from '../../../core/time/range.ts';
import { MAX_SESSION_ID_LENGTH, NO_SESSION_IDS } from '../../../core/web/web-session.ts';
import type { EventStatement } from '../../../query/event-statement.ts';
import { NO_VALUE, textFilterSql } from './text-filter-sql.ts';
import type { WebScope } from './web-scope.ts';

export const VIEW_EVENTS = ['$pageview', '$screen'] as const;
/** More than one of these, and a session is no bounce. */
const HIT_EVENTS = [...VIEW_EVENTS, '$autocapture'] as const;

/** Longer values are cut: they could not be asked for. */
const MAX_VALUE_LENGTH = 200;
const MAX_PATH_LENGTH = 400;

const WEB_ADDRESS = '^(https?://)';
const PATH_OF_URL = '^https?://[^/?#]*([^?#]*)';
const HOST_OF_URL = '^[a-zA-Z][a-zA-Z0-9+.-]*://([^/?#]*)';
/** Hosts of machines that only their owner reaches. */
const LOCAL_HOST = '(?i)^(localhost|127\\.0\\.0\\.1|\\[::1\\]|.*\\.local|.*\\.test)(:\\d*)?$';

/** The text of a property; empty where it is absent. */
export const propertyTextSql = ({ sql }: EventStatement, key: string): string => `coalesce(${sql.property(key)}, '')`;

/** The same, cut. */
export const cutPropertySql = (statement: EventStatement, key: string): string =>
  cutSql(statement, propertyTextSql(statement, key));

export const cutSql = ({ sql }: EventStatement, text: string, length = MAX_VALUE_LENGTH): string =>
  sql.functions.substring(text, '1', String(length));

export const isView = ({ sql }: EventStatement): string => sql.isOneOf('e.event', VIEW_EVENTS);

/** The valid session id of an event; empty where it has none. Ids are no objects and no lists. */
export function sessionIdSql(statement: EventStatement): string {
  const { sql } = statement;
  const text = propertyTextSql(statement, '$session_id');
  const { length, lower, startsWith } = sql.functions;
  const isNone = [
    `${text} = ''`,
    `${length(text)} > ${MAX_SESSION_ID_LENGTH}`,
    sql.isOneOf(lower(text), NO_SESSION_IDS),
    startsWith(text, `'{'`),
    startsWith(text, `'['`),
  ];
  return `case when ${isNone.join(' or ')} then '' else ${text} end`;
}

/** The page of a view, by the project's rules. */
export function pathSql(scope: WebScope): string {
  const { statement, question, patterns } = scope;
  const { sql } = statement;
  const [url, name, screen] = ['$current_url', '$pathname', '$screen_name'].map((key) =>
    propertyTextSql(statement, key),
  );
  const ofUrl = sql.capture(`${url}`, PATH_OF_URL);
  const page = `case when ${name} <> '' then ${name} when ${ofUrl} <> '' then ${ofUrl}
    when ${sql.capture(`${url}`, WEB_ADDRESS)} <> '' then '/' else '' end`;
  const raw = `case when e.event = '$screen' then ${screen} else ${page} end`;
  const cut = cutSql(statement, raw, MAX_PATH_LENGTH);
  const rules = question.settings.path_rules.filter(({ pattern }) => patterns.has(pattern));
  const path = rules.reduce((text, { pattern, replacement }) => sql.replaceMatches(text, pattern, replacement), cut);
  return `coalesce(nullif(${path}, ''), ${sql.param(NO_VALUE)})`;
}

/** The referring host as it was sent. */
export function referrerSql(statement: EventStatement): string {
  const { sql } = statement;
  const [domain, referrer] = [propertyTextSql(statement, '$referring_domain'), propertyTextSql(statement, '$referrer')];
  const host = sql.capture(referrer, HOST_OF_URL);
  const other = `case when ${sql.functions.startsWith(referrer, `'android-app://'`)} or ${host} = '' then ${referrer} else ${host} end`;
  return cutSql(statement, `case when ${domain} <> '' then ${domain} else ${other} end`);
}

export const isBot = (statement: EventStatement): string => `${propertyTextSql(statement, '$is_bot')} = 'true'`;

export const isOwn = (statement: EventStatement): string =>
  `(${propertyTextSql(statement, '$internal_visit')} = 'true' or ${statement.sql.capture(propertyTextSql(statement, '$host'), LOCAL_HOST)} <> '')`;

/** Views with a label that the question leaves out count as not sent. */
function isCounted({ statement, question }: WebScope): string {
  const left = [
    ...(question.includeBots ? [] : [isBot(statement)]),
    ...(question.includeOwn ? [] : [isOwn(statement)]),
  ];
  return left.length === 0 ? 'true' : `(not ${isView(statement)} or not (${left.join(' or ')}))`;
}

/** `from … where …`: the views of a range that are counted. */
export const fromViews = (scope: WebScope, range: Range): string =>
  `${fromEvents(scope, range)} and ${isView(scope.statement)}`;

function fromEvents(scope: WebScope, range: Range): string {
  const { statement, question } = scope;
  return `${statement.from()}
    where ${statement.inProject()} and ${statement.during(range)} and ${isCounted(scope)}
      and ${statement.matches(question.accountFilter)}`;
}

/** A column of `b`, by name. */
export type EventColumns = Readonly<Record<string, string>>;

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
  const isPage = ['$current_url', '$pathname', '$screen_name'].map((key) => `${propertyTextSql(statement, key)} <> ''`);
  const own: EventColumns = {
    person: 'e.person_id',
    happened: sql.ms('e.timestamp'),
    id: sql.idOrder('e.uuid'),
    sid: sessionIdSql(statement),
    is_view: `case when ${isView(statement)} then 1 else 0 end`,
    is_hit: `case when ${sql.isOneOf('e.event', HIT_EVENTS)} then 1 else 0 end`,
    path: `case when ${isView(statement)} then ${pathSql(scope)} else '' end`,
    ...columns,
  };
  const list = Object.entries(own).map(([name, text]) => `${text} as ${name}`);
  return `select ${list.join(', ')} ${fromEvents(scope, range)}
    and (${sessionIdSql(statement)} <> '' or ${isView(statement)} or ${isPage.join(' or ')})`;
}
