/**
 * Sessions: the rows that the store keeps, or found in events where it keeps none, where a filter leaves events out, and
 * for events without a session id. Events are read two days beyond the range on either side, to know where sessions
 * begin.
 */
import type { Range } from '../../../core/time/range.ts';
import {
  ACQUISITION_COLUMNS,
  KNOWN_KEYS,
  KNOWN_PROPERTIES,
  type KnownKey,
  TAG_KEYS,
} from '../../../core/web/session-values.ts';
import { MAX_PAUSE_MS, MAX_SESSION_MS } from '../../../core/web/web-session.ts';
import type { EventStatement } from '../../../query/event-statement.ts';
import { type ChannelRow, channelSql } from '../../../query/sessions/channel-sql.ts';
import { textFilterSql } from '../../../query/sessions/text-filter-sql.ts';
import { acquisitionSql, cutPropertySql, sessionIdSql } from '../../../stores/events/session-columns.ts';
import type { SessionKey } from '../rules/web-question.ts';
import { fromKeptRows, fromRows, fromViewRows, withMargin } from './kept-rows.ts';
import {
  fitColumns,
  fromViews,
  isPathFilter,
  pathFilterSql,
  pathSql,
  plainPathSql,
  ruledPathSql,
  webEventsSql,
} from './web-events-sql.ts';
import type { WebScope } from './web-scope.ts';

/** What was found out before, for sessions. */
export interface SessionLookups {
  /** Whether there may be sessions without an id. */
  hasLoose: boolean;
  /** The channels and sources of what first views say. */
  channels: readonly ChannelRow[];
  /** Events that begin another session because the one before would become too long. */
  breaks: readonly string[];
}

export const NO_LOOKUPS: SessionLookups = { hasLoose: false, channels: [], breaks: [] };

/** The values of sessions that a statement needs: those it shows, and those that the filters ask for. */
interface NeededValues {
  known: readonly KnownKey[];
  hasFirstView: boolean;
}

export function neededValues({ question }: WebScope, shown: readonly SessionKey[]): NeededValues {
  const keys = new Set<string>([...shown, ...question.filters.map(({ key }) => key)]);
  const known = KNOWN_KEYS.filter((key) => keys.has(key));
  const ofFirst: readonly string[] = ['channel', 'source', 'referrer', ...TAG_KEYS];
  const hasFirstView = ofFirst.some((key) => keys.has(key)) || question.settings.hidden_referrers.length > 0;
  return { known, hasFirstView };
}

/**
 * `with …, x …`: `x` has a row for each session that passes the filters; of those whose rows are kept only those that
 * overlap the range. Before it come `keyed`, the events of sessions that are found in events, and `o`, all sessions.
 */
export function withSessionsSql(
  scope: WebScope,
  range: Range,
  shown: readonly SessionKey[],
  lookups: SessionLookups,
): string {
  const needed = neededValues(scope, shown);
  const isFromEvents = !scope.hasRows || lookups.hasLoose;
  const fromEvents = isFromEvents
    ? `${keyedSql(scope, range, needed, lookups)}, s as (${groupedSql(scope, needed)}),`
    : '';
  const rows = [
    ...(scope.hasRows ? [keptRowsSql(scope, range, needed)] : []),
    ...(isFromEvents ? [foundRowsSql(scope, needed)] : []),
  ];
  return `with ${fromEvents}
    o as (${rows.join(' union all ')}),
    v as (${valuesSql(scope, needed, lookups)}),
    x as (select * from v where ${passes(scope)})`;
}

/** The views of sessions in a range, after `withSessionsSql`: `person`, `happened`, `path`, `session`. */
export function sessionViewsSql(scope: WebScope, range: Range, { hasLoose }: SessionLookups): string {
  const { sql } = scope.statement;
  const found = (): string => `select person, happened, path, session from keyed
    where is_view = 1 and happened >= ${sql.integer(range.from)} and happened < ${sql.integer(range.until)}`;
  if (!scope.hasRows) return found();
  const id = sessionIdSql(sql);
  const kept = `select e.person_id as person, ${sql.ms('e.timestamp')} as happened, ${pathSql(scope)} as path,
      concat('s', ${id}) as session
    ${fromViews(scope, range)} and ${id} <> ''`;
  return hasLoose ? `${kept} union all ${found()}` : kept;
}

/** `b as (…), keyed as (…)`: events with the key of their session; where rows are kept, only those without an id. */
function keyedSql(
  scope: WebScope,
  range: Range,
  needed: NeededValues,
  { breaks }: Pick<SessionLookups, 'breaks'>,
): string {
  const { statement, hasRows } = scope;
  const { sql } = statement;
  const columns = {
    ...Object.fromEntries(needed.known.map((key) => [key, cutPropertySql(sql, KNOWN_PROPERTIES[key])])),
    ...(needed.hasFirstView ? acquisitionSql(sql) : {}),
    ...fitColumns(scope),
  };
  const names = ['person', 'happened', 'id', 'sid', 'is_view', 'is_hit', 'path', ...Object.keys(columns)].join(', ');
  const withId = `select ${names}, concat('s', sid) as session from b where sid <> '' union all`;
  const isLoose = hasRows ? `and ${sessionIdSql(sql)} = ''` : '';
  return `b as (${webEventsSql(scope, withMargin(range), columns)} ${isLoose}),
    keyed as (
      ${hasRows ? '' : withId}
      select ${names}, concat('p', cast(person as varchar), ' ', cast(run as varchar)) as session
      from (${runsSql(statement, breaks)}) r
    )`;
}

/** Events without a session id: `run` numbers those of a person that belong together. */
function runsSql({ sql }: EventStatement, breaks: readonly string[]): string {
  const inOrder = 'partition by person order by happened, id';
  const isBreak =
    breaks.length === 0
      ? 'false'
      : `cast(id as varchar) in (select uuid from ${sql.rows(
          ['uuid'],
          breaks.map((uuid) => ({ uuid })),
        )} w)`;
  const previous = `max(happened) over (${inOrder} rows between 1 preceding and 1 preceding)`;
  const begins = `row_number() over (${inOrder}) = 1 or happened - ${previous} > ${sql.integer(MAX_PAUSE_MS)} or ${isBreak}`;
  return `select *, sum(begins) over (${inOrder} rows between unbounded preceding and current row) as run
    from (select *, case when ${begins} then 1 else 0 end as begins from b where sid = '') o`;
}

/** The runs that are longer than a session may be, with their events in order. */
export const longRunsSql = (scope: WebScope, range: Range): string => {
  const { sql } = scope.statement;
  return `with b as (${webEventsSql(scope, withMargin(range), {})}),
    o as (${runsSql(scope.statement, [])}),
    l as (
      select person as long_person, run as long_run from o group by person, run
      having max(happened) - min(happened) > ${sql.integer(MAX_SESSION_MS)}
    )
    select concat(cast(o.person as varchar), ' ', cast(o.run as varchar)) as run, cast(o.id as varchar) as uuid,
      o.happened as happened
    from o join l on l.long_person = o.person and l.long_run = o.run
    order by 1, 3, 2 limit ${sql.integer(MAX_LONG_EVENTS)}`;
};

/** Of a robot that never pauses; beyond that its sessions stay long. */
const MAX_LONG_EVENTS = 500_000;

const ORDER = ['happened', 'id'] as const;
const IS_VIEW = 'is_view = 1';

/** A row for each session with a view. */
function groupedSql(scope: WebScope, { known, hasFirstView }: NeededValues): string {
  const { sql } = scope.statement;
  const first = ['path', ...(hasFirstView ? ACQUISITION_COLUMNS : [])];
  const { filters, eventFilters } = scope.question;
  const columns = [
    'session',
    'min(happened) as started',
    'max(happened) as ended',
    'sum(is_view) as views',
    'sum(is_hit) as hits',
    `${sql.lastRow(['person'], ORDER, 'true')} as last_event`,
    `${sql.firstRow(first, ORDER, IS_VIEW)} as first_view`,
    `${sql.lastRow(['path'], ORDER, IS_VIEW)} as last_view`,
    ...known.map((key) => `${sql.firstRow([key], ORDER, `${key} <> ''`)} as known_${key}`),
    ...eventFilters.map((_, at) => `max(fit${at}) as has_fit${at}`),
    ...(filters.some(isPathFilter)
      ? [`max(case when ${IS_VIEW} and ${pathFilterSql(scope, 'path')} then 1 else 0 end) as saw`]
      : []),
  ];
  return `select ${columns.join(', ')} from keyed group by session having sum(is_view) > 0`;
}

/** Seconds between the first and the last event, a day at most. */
const secondsSql = ({ sql }: EventStatement): string =>
  `least(${sql.quotient('(ended - started)', sql.integer(1000))}, ${sql.integer(MAX_SESSION_MS / 1000)})`;

/** Sessions found in events, as `o`. */
function foundRowsSql(scope: WebScope, { known, hasFirstView }: NeededValues): string {
  const { statement, question } = scope;
  const { sql } = statement;
  const columns = [
    ...['session', 'started', 'ended', 'views', 'hits'],
    `${secondsSql(statement)} as seconds`,
    `${sql.rowValue('last_event', 0)} as person`,
    `${sql.rowValue('first_view', 0)} as entry`,
    `${sql.rowValue('last_view', 0)} as exit`,
    ...known.map((key) => `${knownSql(scope, key, `coalesce(${sql.rowValue(`known_${key}`, 0)}, '')`)} as ${key}`),
    ...(hasFirstView ? ACQUISITION_COLUMNS.map((name, at) => `${sql.rowValue('first_view', at + 1)} as ${name}`) : []),
    ...question.eventFilters.map((_, at) => `has_fit${at}`),
    ...(question.filters.some(isPathFilter) ? ['saw'] : []),
  ];
  return `select ${columns.join(', ')} from s`;
}

/** The rows of sessions that the store keeps, with the same columns. */
function keptRowsSql(scope: WebScope, range: Range, { known, hasFirstView }: NeededValues): string {
  const { statement, question } = scope;
  const columns = [
    `concat('s', r.session) as session, r.started as started, r.ended as ended, r.views as views, r.hits as hits`,
    `${secondsSql(statement)} as seconds`,
    'coalesce(m.to_id, r.person_id) as person',
    `${ruledPathSql(scope, 'r.entry')} as entry`,
    `${ruledPathSql(scope, 'r.exit')} as exit`,
    ...known.map((key) => `${knownSql(scope, key, `r.${key}`)} as ${key}`),
    ...(hasFirstView ? ACQUISITION_COLUMNS.map((name) => `r.${name} as ${name}`) : []),
    ...(question.filters.some(isPathFilter) ? [`${sawSql(scope, range)} as saw`] : []),
  ];
  return `select ${columns.join(', ')} ${fromKeptRows(scope, range)}`;
}

/**
 * `with …, x …`: the kept sessions that overlap the range and pass the filters, with the numbers that stand for their
 * visitor and their texts (`visitor`, and `codes`); for questions whose sessions all have a row.
 */
export function withNumberedSessionsSql(
  scope: WebScope,
  range: Range,
  { codes, hasRules }: { codes: readonly string[]; hasRules: boolean },
  lookups: SessionLookups,
): string {
  const needed = neededValues(scope, []);
  const { statement, question } = scope;
  const isPage = (key: string): boolean => question.filters.some((one) => one.key === key);
  const columns = [
    ...['number', 'visitor', 'started', 'ended', 'hits', ...codes].map((name) => `r.${name} as ${name}`),
    `${secondsSql(statement)} as seconds`,
    ...(['entry', 'exit'] as const)
      .filter((key) => isPage(key) || (hasRules && key === 'entry'))
      .map((key) => `${ruledPathSql(scope, `r.${key}`)} as ${key}`),
    ...needed.known.map((key) => `${knownSql(scope, key, `r.${key}`)} as ${key}`),
    ...(needed.hasFirstView || hasRules ? ACQUISITION_COLUMNS.map((name) => `r.${name} as ${name}`) : []),
    ...(question.filters.some(isPathFilter) ? [`${sawRowsSql(scope, range)} as saw`] : []),
  ];
  return `with o as (select ${columns.join(', ')} ${fromRows(scope, range)}),
    v as (${valuesSql(scope, needed, lookups)}),
    x as (select * from v where ${passes(scope)})`;
}

/** The codes of pages that filters on pages ask for. */
export function pageCodesSql(scope: WebScope): string {
  const { statement } = scope;
  return `select t.code from session_texts t where t.project_id = ${statement.sql.param(statement.projectId)}
    and ${pathFilterSql(scope, ruledPathSql(scope, 't.text'))}`;
}

/** Whether a kept session saw a page that the filters ask for. */
const sawRowsSql = (scope: WebScope, range: Range): string =>
  `case when r.number in (select w.session ${fromViewRows(scope, withMargin(range))} and w.page in (${pageCodesSql(scope)}))
    then 1 else 0 end`;

/** Whether the session saw a page that the filters ask for. */
function sawSql(scope: WebScope, range: Range): string {
  const { sql } = scope.statement;
  const views = `select ${sessionIdSql(sql)} as sid, ${pathSql(scope)} as path ${fromViews(scope, withMargin(range))}`;
  return `case when r.session in (select sid from (${views}) q where ${pathFilterSql(scope, 'path')}) then 1 else 0 end`;
}

/** With channel and bounce. */
function valuesSql(scope: WebScope, { hasFirstView }: NeededValues, { channels }: SessionLookups): string {
  const { statement, question } = scope;
  const joined = hasFirstView ? channelSql(scope, 'o', channels) : 'select * from o';
  const limit = statement.sql.integer(question.settings.bounce_seconds);
  const isBounce = `case when hits <= 1 and seconds < ${limit} then 1 else 0 end`;
  return `select *, ${isBounce} as is_bounce from (${joined}) j`;
}

const SCREEN_SIZES = [
  [576, '< 576'],
  [992, '< 992'],
  [1440, '< 1440'],
] as const;

export function knownSql({ statement }: WebScope, key: KnownKey, text: string): string {
  const { sql } = statement;
  if (key !== 'screen_size') return text;
  const width = statement.numberIn(text);
  const sizes = SCREEN_SIZES.map(([limit, name]) => `when ${width} < ${sql.double(limit)} then '${name}'`);
  return `case when ${width} is null then '' ${sizes.join(' ')} else '1440 or more' end`;
}

function passes(scope: WebScope): string {
  const { question, statement } = scope;
  const { sql } = statement;
  const ofValues = question.filters
    .filter(({ key }) => key !== 'path' && key !== 'new')
    .map((filter) => textFilterSql(scope, isPage(filter.key) ? plainPathSql(scope, filter.key) : filter.key, filter));
  const hidden = question.settings.hidden_referrers;
  return [
    'true',
    ...ofValues,
    ...question.eventFilters.map((_, at) => `has_fit${at} = 1`),
    ...(question.filters.some(isPathFilter) ? ['saw = 1'] : []),
    ...(hidden.length === 0 ? [] : [`not ${sql.isOneOf('referrer', hidden)}`]),
  ].join(' and ');
}

const isPage = (key: string): boolean => key === 'entry' || key === 'exit';
