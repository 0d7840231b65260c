/**
 * Sessions, computed from events when they are asked for: so late events, merged persons and deletions need no repair,
 * and both engines agree. Events are read two days beyond the range on either side, to know where sessions begin.
 */
import type { Range } from '../../../core/time/range.ts';
import { DAY_MS } from '../../../core/time/units.ts';
import {
  ACQUISITION_COLUMNS,
  KNOWN_KEYS,
  KNOWN_PROPERTIES,
  type KnownKey,
  TAG_KEYS,
} from '../../../core/web/session-values.ts';
import { MAX_PAUSE_MS, MAX_SESSION_MS } from '../../../core/web/web-session.ts';
import type { EventStatement } from '../../../query/event-statement.ts';
import { acquisitionSql, cutPropertySql } from '../../../stores/events/session-columns.ts';
import type { SessionKey } from '../rules/web-question.ts';
import { type ChannelRow, channelSql } from './acquisition-sql.ts';
import { textFilterSql } from './text-filter-sql.ts';
import { fitColumns, isPathFilter, pathFilterSql, plainPathSql, webEventsSql } from './web-events-sql.ts';
import type { WebScope } from './web-scope.ts';

const MARGIN_MS = 2 * DAY_MS;

export const withMargin = ({ from, until }: Range): Range => ({ from: from - MARGIN_MS, until: until + MARGIN_MS });

/** What was found out before, for sessions. */
export interface SessionLookups {
  /** The channels and sources of what first views say. */
  channels: readonly ChannelRow[];
  /** Events that begin another session because the one before would become too long. */
  breaks: readonly string[];
}

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

/** `with b …, keyed …, s …, x …`: `x` has a row for each session that passes the filters, whenever it began. */
export function withSessionsSql(
  scope: WebScope,
  range: Range,
  shown: readonly SessionKey[],
  lookups: SessionLookups,
): string {
  const needed = neededValues(scope, shown);
  return `with ${keyedSql(scope, range, needed, lookups)},
    s as (${groupedSql(scope, needed)}),
    v as (${valuesSql(scope, needed, lookups)}),
    x as (select * from v where ${passes(scope)})`;
}

/** `b as (…), keyed as (…)`: every event with the key of its session. */
function keyedSql(
  scope: WebScope,
  range: Range,
  needed: NeededValues,
  { breaks }: Pick<SessionLookups, 'breaks'>,
): string {
  const { statement } = scope;
  const columns = {
    ...Object.fromEntries(needed.known.map((key) => [key, cutPropertySql(statement.sql, KNOWN_PROPERTIES[key])])),
    ...(needed.hasFirstView ? acquisitionSql(statement.sql) : {}),
    ...fitColumns(scope),
  };
  const names = ['person', 'happened', 'id', 'sid', 'is_view', 'is_hit', 'path', ...Object.keys(columns)].join(', ');
  return `b as (${webEventsSql(scope, withMargin(range), columns)}),
    keyed as (
      select ${names}, concat('s', sid) as session from b where sid <> ''
      union all
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

/** The values of each session. */
function valuesSql(scope: WebScope, { known, hasFirstView }: NeededValues, { channels }: SessionLookups): string {
  const { statement, question } = scope;
  const { sql } = statement;
  const flags = [
    ...question.eventFilters.map((_, at) => `has_fit${at}`),
    ...(question.filters.some(isPathFilter) ? ['saw'] : []),
  ];
  const seconds = `least(${sql.quotient('(ended - started)', sql.integer(1000))}, ${sql.integer(MAX_SESSION_MS / 1000)})`;
  const columns = [
    ...['session', 'started', 'ended', 'views', 'hits'],
    `${seconds} as seconds`,
    `${sql.rowValue('last_event', 0)} as person`,
    `${sql.rowValue('first_view', 0)} as entry`,
    `${sql.rowValue('last_view', 0)} as exit`,
    ...known.map((key) => `${knownSql(scope, key)} as ${key}`),
    ...(hasFirstView ? ACQUISITION_COLUMNS.map((name, at) => `${sql.rowValue('first_view', at + 1)} as ${name}`) : []),
    ...flags,
  ];
  const own = `select ${columns.join(', ')} from s`;
  const joined = hasFirstView ? channelSql(scope, own, channels) : own;
  const isBounce = `case when hits <= 1 and seconds < ${sql.integer(question.settings.bounce_seconds)} then 1 else 0 end`;
  return `select *, ${isBounce} as is_bounce from (${joined}) j`;
}

const SCREEN_SIZES = [
  [576, '< 576'],
  [992, '< 992'],
  [1440, '< 1440'],
] as const;

function knownSql({ statement }: WebScope, key: KnownKey): string {
  const { sql } = statement;
  const text = `coalesce(${sql.rowValue(`known_${key}`, 0)}, '')`;
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
