/**
 * Properties of sessions as SQL, found in the events of each session. All events count, whoever sent them: what web
 * analytics leaves out by default (bots, one's own visits) is left out here by a filter.
 */
import type { Range } from '../../core/time/range.ts';
import { DAY_MS } from '../../core/time/units.ts';
import {
  SESSION_BOUNCE,
  SESSION_CHANNEL,
  SESSION_DURATION,
  SESSION_PROPERTIES,
  type SessionProperty,
  sessionProperty,
} from '../../core/web/session-properties.ts';
import { ACQUISITION_COLUMNS, HIT_EVENTS } from '../../core/web/session-values.ts';
import { DEFAULT_WEB_SETTINGS, type WebSettings } from '../../core/web/web-settings.ts';
import type { SqlBuilder } from '../../stores/events/dialect.ts';
import {
  acquisitionSql,
  CHANNEL_COLUMNS,
  cutPropertySql,
  isViewSql,
  propertyTextSql,
  sentPathSql,
  sessionIdSql,
} from '../../stores/events/session-columns.ts';
import { validPatterns } from '../filters/valid-patterns.ts';
import type { QueryDeps } from '../query-deps.ts';
import { type ChannelRow, channelKeysSql, channelRow, channelSql, patternsOfRules } from './channel-sql.ts';

/** What was looked up for the properties of sessions. */
export interface SessionSettings {
  settings: Pick<WebSettings, 'bounce_seconds' | 'channel_rules'>;
  /** Patterns of the project's own channels that the engine accepts. */
  patterns: ReadonlySet<string>;
  channels: readonly ChannelRow[];
}

export interface SessionScope {
  sql: SqlBuilder;
  projectId: number;
  sessions: SessionSettings;
}

const NO_LOOKUPS: SessionSettings = { settings: DEFAULT_WEB_SETTINGS, patterns: new Set(), channels: [] };

/** Only bounces and channels depend on the project's settings. */
export async function findSessionSettings(
  deps: QueryDeps,
  projectId: number,
  names: readonly string[],
  range: Range | null,
): Promise<SessionSettings> {
  const hasChannels = names.includes(SESSION_CHANNEL);
  if (!hasChannels && !names.includes(SESSION_BOUNCE)) return NO_LOOKUPS;
  const settings = (await deps.metadata.projects.get(projectId))?.webAnalytics ?? DEFAULT_WEB_SETTINGS;
  if (!hasChannels) return { ...NO_LOOKUPS, settings };
  const sql = deps.dialect.newStatement('e');
  const columns = acquisitionSql(sql, CHANNEL_COLUMNS);
  const said = `select ${CHANNEL_COLUMNS.map((name) => `${columns[name]} as ${name}`).join(', ')}
    ${fromEvents(sql, projectId, range)} and ${isViewSql(sql)}`;
  const rows = await deps.events.query(channelKeysSql(sql, said), sql.values);
  const values = patternsOfRules(settings.channel_rules);
  return {
    settings,
    patterns: await validPatterns(deps, { kind: 'property', owner: 'event', key: '', operator: 'regex', values }),
    channels: rows.map((row) => channelRow(String(row['key']), settings.own_domains)),
  };
}

/** The session id of an event; null where it has none. */
export const sessionSql = (sql: SqlBuilder): string => `nullif(${sessionIdSql(sql)}, '')`;

/** `from … where …`: the events of sessions, as far as they lie within a day of the range; null: of all time. */
function fromEvents(sql: SqlBuilder, projectId: number, range: Range | null): string {
  const near =
    range === null
      ? 'true'
      : `e.timestamp >= ${sql.time(range.from - DAY_MS)} and e.timestamp < ${sql.time(range.until + DAY_MS)}`;
  return `from event_rows e where e.project_id = ${sql.param(projectId)} and ${near} and ${sessionSql(sql)} is not null`;
}

/** The column of `sessionValuesSql` with a property. */
const COLUMNS: Readonly<Record<SessionProperty, string>> = {
  [SESSION_DURATION]: 'seconds',
  [SESSION_BOUNCE]: 'is_bounce',
  $pageview_count: 'pageviews',
  $screen_count: 'screens',
  $autocapture_count: 'autocaptures',
  [SESSION_CHANNEL]: 'channel',
  $entry_current_url: 'url',
  $entry_pathname: 'entry',
  $entry_hostname: 'site',
  $end_current_url: 'last_url',
  $end_pathname: 'last_path',
  $end_hostname: 'last_site',
  $entry_referring_domain: 'sent_referrer',
  $entry_utm_source: 'utm_source',
  $entry_utm_medium: 'utm_medium',
  $entry_utm_campaign: 'utm_campaign',
  $entry_utm_term: 'utm_term',
  $entry_utm_content: 'utm_content',
};

const columnOf = (name: string): string => COLUMNS[sessionProperty(name) ?? SESSION_DURATION];

/** The text of a property; empty where it has no value, or where there is no session. */
export function sessionTextSql(name: string, table: string): string {
  const column = `${table}.${columnOf(name)}`;
  switch (SESSION_PROPERTIES[sessionProperty(name) ?? SESSION_DURATION]) {
    case 'Numeric':
      return `coalesce(cast(${column} as varchar), '')`;
    case 'Boolean':
      return `coalesce(case ${column} when 1 then 'true' when 0 then 'false' end, '')`;
    case 'String':
      return `coalesce(${column}, '')`;
  }
}

/** The number of a property; bounces are 1, other sessions 0. */
export const sessionNumberSql = (name: string, table: string): string => `${table}.${columnOf(name)}`;

const ORDER = ['happened', 'id'] as const;
const IS_VIEW = 'is_view = 1';
const LAST_VIEW = ['last_path', 'last_url', 'last_site'] as const;

/** A table with a row for each session: `session`, and columns for the properties with these names. */
export function sessionValuesSql(scope: SessionScope, range: Range | null, names: readonly string[]): string {
  const { sql, projectId } = scope;
  const wanted = new Set(names.map(columnOf));
  const ofFirst = firstViewColumns(wanted);
  const ofLast = LAST_VIEW.filter((name) => wanted.has(name));
  const counted = Object.entries(COUNTED).filter(
    ([name]) => wanted.has(name) || (name === 'hits' && wanted.has('is_bounce')),
  );
  const count = (events: readonly string[]): string => `case when ${sql.isOneOf('e.event', events)} then 1 else 0 end`;
  const ofEvents: Record<string, string> = {
    session: sessionSql(sql),
    happened: sql.ms('e.timestamp'),
    ...Object.fromEntries(counted.map(([name, events]) => [name, count(events)])),
    ...(ofFirst.length + ofLast.length > 0
      ? {
          id: sql.idOrder('e.uuid'),
          is_view: `case when ${isViewSql(sql)} then 1 else 0 end`,
          ...viewColumns(sql, [...ofFirst, ...ofLast]),
        }
      : {}),
  };
  const events = `select ${Object.entries(ofEvents)
    .map(([name, text]) => `${text} as ${name}`)
    .join(', ')}
    ${fromEvents(sql, projectId, range)}`;
  const length = sql.quotient('(max(happened) - min(happened))', sql.integer(1000));
  const grouped = `select session, ${[
    `${length} as seconds`,
    ...counted.map(([name]) => `sum(${name}) as ${name}`),
    ...(ofFirst.length > 0 ? [`${sql.firstRow(ofFirst, ORDER, IS_VIEW)} as first_view`] : []),
    ...(ofLast.length > 0 ? [`${sql.lastRow(ofLast, ORDER, IS_VIEW)} as last_view`] : []),
  ].join(', ')} from (${events}) b group by session`;
  const unpacked = (row: string, columns: readonly string[]): string[] =>
    columns.map((name, at) => `coalesce(${sql.rowValue(row, at)}, '') as ${name}`);
  const values = `select ${[
    'session',
    'seconds',
    ...counted.map(([name]) => name),
    ...unpacked('first_view', ofFirst),
    ...unpacked('last_view', ofLast),
  ].join(', ')} from (${grouped}) g`;
  return `(${withDerived(scope, values, wanted)})`;
}

/** Events that are counted. */
const COUNTED: Readonly<Record<string, readonly string[]>> = {
  pageviews: ['$pageview'],
  screens: ['$screen'],
  autocaptures: ['$autocapture'],
  hits: HIT_EVENTS,
};

function firstViewColumns(wanted: ReadonlySet<string>): string[] {
  const all = ['entry', ...ACQUISITION_COLUMNS];
  return wanted.has('channel') ? all : all.filter((name) => wanted.has(name));
}

/** What a view says. */
function viewColumns(sql: SqlBuilder, names: readonly string[]): Record<string, string> {
  const ofFirst = ACQUISITION_COLUMNS.filter((name) => names.includes(name));
  const others: Record<string, () => string> = {
    entry: () => sentPathSql(sql),
    last_path: () => sentPathSql(sql),
    last_url: () => propertyTextSql(sql, '$current_url'),
    last_site: () => cutPropertySql(sql, '$host'),
  };
  const rest = names.flatMap((name) => (others[name] === undefined ? [] : [[name, others[name]()] as const]));
  return { ...acquisitionSql(sql, ofFirst), ...Object.fromEntries(rest) };
}

/** With channel and bounce, where they are wanted. */
function withDerived({ sql, sessions }: SessionScope, values: string, wanted: ReadonlySet<string>): string {
  const { settings, channels, patterns } = sessions;
  const named = wanted.has('channel') ? channelSql({ sql, settings, patterns }, `(${values}) u`, channels) : values;
  if (!wanted.has('is_bounce')) return named;
  const isBounce = `case when hits <= 1 and seconds < ${sql.integer(settings.bounce_seconds)} then 1 else 0 end`;
  return `select *, ${isBounce} as is_bounce from (${named}) h`;
}
