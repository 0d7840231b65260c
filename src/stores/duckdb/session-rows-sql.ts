/** The rows of sessions, made from their events. */
import { isHotProperty } from '../../core/events/hot-properties.ts';
import { DAY_MS } from '../../core/time/units.ts';
import { ACQUISITION_COLUMNS, HIT_EVENTS, KNOWN_KEYS, KNOWN_PROPERTIES } from '../../core/web/session-values.ts';
import type { SqlBuilder } from '../events/dialect.ts';
import type { SqlValue } from '../events/event-store.ts';
import { resolvePlaceholders } from '../events/property-placeholders.ts';
import {
  acquisitionSql,
  cutPropertySql,
  isBotSql,
  isOwnSql,
  isViewSql,
  sentPathSql,
  sessionIdSql,
} from '../events/session-columns.ts';
import { duckdbDialect } from './dialect.ts';
import { duckdbJsonProperty } from './promoted-text.ts';
import { jsonPointer } from './read-properties.ts';

const ORDER = ['happened', 'id'] as const;
const IS_VIEW = 'is_view = 1';

interface Bound {
  sql: string;
  values: readonly SqlValue[];
}

/**
 * Inserts the sessions of the table `due_sessions`, from their events before `until` (ms UTC), if given.
 *
 * Views by robots and one's own are left out of most answers, as if they had not been sent. So a session with such views
 * has a row for each of the four choices that leaves it a view; `labels_included` has a bit for each choice that the row
 * is for: all four where no view has a label.
 */
export function insertSessionsSql(until: number | null): Bound {
  const sql = duckdbDialect.newStatement('e');
  const text = `insert into session_rows
    with b as (${eventsSql(sql, until)}),
    l as (select project_id, sid, bit_or(label) as labels from b group by project_id, sid),
    v as (
      select b.*, l.labels, unnest(case when l.labels = 0 then [0] else [0, 1, 2, 3] end) as choice
      from b join l on l.project_id = b.project_id and l.sid = b.sid
      where b.sid <> ''
    ),
    s as (${groupedSql(sql)})
    select ${valuesSql(sql)} from s`;
  return resolve(text, sql.values);
}

/** The days that have views without a session id, with their projects. */
export function looseDaysSql(condition: string): Bound {
  const sql = duckdbDialect.newStatement('e');
  const day = `cast(floor(${sql.ms('e.timestamp')} / ${DAY_MS}) as integer)`;
  const text = `select distinct e.project_id, ${day} from event_rows e
    where ${isViewSql(sql)} and ${sessionIdSql(sql)} = '' and ${condition}`;
  return resolve(text, sql.values);
}

/** The events with their columns for sessions. */
function eventsSql(sql: SqlBuilder, until: number | null): string {
  const isView = isViewSql(sql);
  const flag = (condition: string): string => `case when ${condition} then 1 else 0 end`;
  const columns = {
    sid: sessionIdSql(sql),
    person: 'e.person_id',
    happened: sql.ms('e.timestamp'),
    id: 'e.uuid',
    is_view: flag(isView),
    is_hit: flag(sql.isOneOf('e.event', HIT_EVENTS)),
    label: `case when ${isView} then ${flag(isBotSql(sql))} + 2 * ${flag(isOwnSql(sql))} else 0 end`,
    path: `case when ${isView} then ${sentPathSql(sql)} else '' end`,
    ...acquisitionSql(sql),
    ...Object.fromEntries(KNOWN_KEYS.map((key) => [key, cutPropertySql(sql, KNOWN_PROPERTIES[key])])),
  };
  const list = Object.entries(columns).map(([name, value]) => `${value} as ${name}`);
  const isBefore = until === null ? 'true' : `e.timestamp < ${sql.time(until)}`;
  return `select e.project_id, ${list.join(', ')} from (${JSON_VALUES} and ${isBefore}) e`;
}

/** Stands for the list of properties, until it is known. */
const PATHS = '@paths';

/** The JSON of an event is parsed once, for all properties that have no column. */
const JSON_VALUES = `
  select e.*, json_extract_string(e.properties, ${PATHS}) as json_values
  from event_rows e
  join due_sessions d on d.project_id = e.project_id and d.session = e."$session_id"
  where e.timestamp >= (select min(since) from due_sessions)`;

function groupedSql(sql: SqlBuilder): string {
  const columns = [
    'project_id',
    'sid',
    'case when labels = 0 then 15 else 1 << choice end as labels_included',
    'min(happened) as started',
    'max(happened) as ended',
    'sum(is_view) as views',
    'sum(is_hit) as hits',
    `${sql.lastRow(['person'], ORDER, 'true')} as last_event`,
    `${sql.firstRow(['path', ...ACQUISITION_COLUMNS], ORDER, IS_VIEW)} as first_view`,
    `${sql.lastRow(['path'], ORDER, IS_VIEW)} as last_view`,
    ...KNOWN_KEYS.map((key) => `${sql.firstRow([key], ORDER, `${key} <> ''`)} as known_${key}`),
  ];
  return `select ${columns.join(', ')} from v
    where (label & (3 - choice)) = 0 group by project_id, sid, labels, choice having sum(is_view) > 0`;
}

/** In the order of the table's columns. */
function valuesSql(sql: SqlBuilder): string {
  return [
    ...['project_id', 'sid', 'labels_included', 'started', 'ended', 'views', 'hits'],
    sql.rowValue('last_event', 0),
    sql.rowValue('first_view', 0),
    sql.rowValue('last_view', 0),
    ...ACQUISITION_COLUMNS.map((_, at) => sql.rowValue('first_view', at + 1)),
    ...KNOWN_KEYS.map((key) => `coalesce(${sql.rowValue(`known_${key}`, 0)}, '')`),
  ].join(', ');
}

/** Properties are read from their column, or from the list of JSON values. */
function resolve(text: string, values: readonly SqlValue[]): Bound {
  const keys: string[] = [];
  const { sql, values: bound } = resolvePlaceholders(text, values, {
    path: jsonPointer,
    fromJson: duckdbJsonProperty,
    fromColumn(_, { key }, prefix) {
      if (isHotProperty(key)) return undefined;
      if (!keys.includes(key)) keys.push(key);
      return `${prefix}json_values[${keys.indexOf(key) + 1}]`;
    },
  });
  const paths = keys.map((key) => `'${jsonPointer(key)}'`).join(', ');
  return { sql: sql.replace(PATHS, () => `[${paths}]`), values: bound };
}
