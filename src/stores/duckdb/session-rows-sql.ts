/** The rows of sessions, made from their events. */
import { isHotProperty } from '../../core/events/hot-properties.ts';
import { DAY_MS } from '../../core/time/units.ts';
import {
  ACQUISITION_COLUMNS,
  HIT_EVENTS,
  KNOWN_KEYS,
  KNOWN_PROPERTIES,
  READ_EVENTS,
  TAG_KEYS,
  VIEW_EVENTS,
} from '../../core/web/session-values.ts';
import type { SqlBuilder } from '../events/dialect.ts';
import type { SqlValue } from '../events/event-store.ts';
import { resolvePlaceholders } from '../events/property-placeholders.ts';
import {
  acquisitionSql,
  channelKeySql,
  cutPropertySql,
  isBotSql,
  isOwnSql,
  isViewSql,
  readNumbersSql,
  readPathSql,
  sentPathSql,
  sessionIdSql,
  VIEW_LABELS,
  validReadSql,
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

/** The texts of sessions that have a number (`session_texts`), in the order of their columns. */
export const CODED_KEYS = ['channel', 'entry', 'exit', ...TAG_KEYS, ...KNOWN_KEYS] as const;

/** Events that count where they have no session id, too. */
export const LOOSE_EVENTS: readonly string[] = [...new Set([...VIEW_EVENTS, ...READ_EVENTS])];

const LEFT_OUT_LABELS = VIEW_LABELS.bot | VIEW_LABELS.own;

/** The first view of persons without one. */
const NEVER = Number.MAX_SAFE_INTEGER;

/** Ms UTC; null for no limit. No event of the sessions is earlier than `since`; those after `until` are left out. */
interface MadeRange {
  since: number | null;
  until: number | null;
}

/**
 * The statements that make the rows of the sessions in the table `due_sessions`, from their events in the range.
 *
 * Views by robots and one's own are left out of most answers, as if they had not been sent. So a session with such views
 * has a row for each of the four choices that leaves it a view; `labels_included` has a bit for each choice that the row
 * is for: all four where no view has a label. Its views have a row each, with their label, and so has each event that
 * tells how a page was read. A session without a view has a row for no choice, which says from when on its events are to
 * be read if a view follows.
 */
export function makeSessionsSql(range: MadeRange): Bound[] {
  const events = duckdbDialect.newStatement('e');
  const sessions = duckdbDialect.newStatement('e');
  const reads = duckdbDialect.newStatement('e');
  return [
    resolve(`create or replace temp table session_events as ${eventsSql(events, range)}`, events.values),
    resolve(`create or replace temp table made_sessions as ${sessionsSql(sessions)}`, sessions.values),
    ...[NEW_TEXTS, NEW_VISITORS, EARLIER_VIEWS, SESSION_ROWS, VIEW_ROWS].map((sql) => ({ sql, values: [] })),
    resolve(readRowsSql(reads), reads.values),
  ];
}

function sessionsSql(sql: SqlBuilder): string {
  return `with l as (select number, bit_or(label & ${LEFT_OUT_LABELS}) as labels from session_events group by number),
    v as (
      select b.*, l.labels, unnest(case when l.labels = 0 then [0] else [0, 1, 2, 3] end) as choice
      from session_events b join l on l.number = b.number
      where b.sid <> ''
    ),
    s as (${groupedSql(sql)}),
    r as (select ${valuesSql(sql)} from s)
    select *, ${channelKeySql(sql)} as channel, row_number() over () as made from r`;
}

const NEW_TEXTS = `
  insert into session_texts
  select t.project_id, coalesce(l.last, 0) + row_number() over (partition by t.project_id), t.text
  from (
    select project_id, unnest([${CODED_KEYS.join(', ')}]) as text from made_sessions
    union
    select project_id, path as text from session_events where is_view = 1 and sid <> ''
    union
    select project_id, read_path as text from session_events where read_path <> '' and sid <> ''
  ) t
  left join (select project_id, max(code) as last from session_texts group by project_id) l
    on l.project_id = t.project_id
  where not exists (select 1 from session_texts k where k.project_id = t.project_id and k.text = t.text)`;

/** When the persons of these events were first seen on a page, in them. */
const FIRST_VIEWS = `
  select project_id, person, coalesce(min(happened) filter (where is_view = 1), ${NEVER}) as first_view
  from session_events where sid <> '' group by project_id, person`;

const NEW_VISITORS = `
  insert into session_visitors
  select n.project_id, coalesce(l.last, 0) + row_number() over (partition by n.project_id), n.person, n.first_view
  from (${FIRST_VIEWS}) n
  left join (select project_id, max(number) as last from session_visitors group by project_id) l
    on l.project_id = n.project_id
  where not exists (select 1 from session_visitors k where k.project_id = n.project_id and k.person_id = n.person)`;

const EARLIER_VIEWS = `
  update session_visitors set first_view = n.first_view from (${FIRST_VIEWS}) n
  where session_visitors.project_id = n.project_id and session_visitors.person_id = n.person
    and session_visitors.first_view > n.first_view`;

const SESSION_ROWS = `
  insert into session_rows
  select m.* exclude (channel, made, number), m.number, v.number, ${CODED_KEYS.map((_, at) => `c.code${at}`).join(', ')}
  from made_sessions m
  join session_visitors v on v.project_id = m.project_id and v.person_id = m.person
  join (
    select made, ${CODED_KEYS.map((_, at) => `max(case when key = ${at} then code end) as code${at}`).join(', ')}
    from (
      select project_id, made, unnest([${CODED_KEYS.join(', ')}]) as text,
        unnest([${CODED_KEYS.map((_, at) => at).join(', ')}]) as key
      from made_sessions
    ) u
    join session_texts t on t.project_id = u.project_id and t.text = u.text
    group by made
  ) c on c.made = m.made`;

/** One join after the other: the planner would pair all visitors with all texts, since both are of the same project. */
const VIEW_ROWS = `
  insert into view_rows
  with e as materialized (
    select s.project_id, s.number as session, v.number as visitor, s.path, s.label, s.happened
    from session_events s
    join session_visitors v on v.project_id = s.project_id and v.person_id = s.person
    where s.is_view = 1 and s.sid <> ''
  )
  select e.project_id, e.session, e.visitor, t.code, e.label, e.happened
  from e join session_texts t on t.project_id = e.project_id and t.text = e.path
  order by e.happened`;

function readRowsSql(sql: SqlBuilder): string {
  const { seconds, share } = validReadSql(sql);
  return `insert into read_rows
    select s.project_id, s.number, t.code, s.read_label, s.happened, ${seconds}, ${share}
    from session_events s join session_texts t on t.project_id = s.project_id and t.text = s.read_path
    where s.read_path <> '' and s.sid <> ''
    order by s.happened`;
}

/** Visitors whose earliest view was removed, or may have been: what is left tells. */
export const REPAIR_FIRST_VIEWS = `
  update session_visitors set first_view = n.first_view
  from (
    select s.project_id, s.number, coalesce(min(w.happened), ${NEVER}) as first_view
    from (select project_id, number from session_visitors where first_view is null) s
    left join view_rows w on w.project_id = s.project_id and w.visitor = s.number
    group by s.project_id, s.number
  ) n
  where session_visitors.project_id = n.project_id and session_visitors.number = n.number`;

/** Of the rows of a session, the one that no view is left out of. */
const WITH_ALL_VIEWS = 1 << LEFT_OUT_LABELS;

/**
 * Sessions whose rows are not what their events give (`project_id` and `session`), apart from those that are known to be
 * stale. Compares when they were, how many views and hits they have, and how many views have a row and tell how a page
 * was read. Rows of views and reads of no session are found as one with an empty id.
 */
export function differingSessionsSql(limit: number): Bound {
  const sql = duckdbDialect.newStatement('e');
  const isView = `sum(${flag(isViewSql(sql))})`;
  const happened = sql.ms('e.timestamp');
  const reads = `sum(${flag(`${readPathSql(sql)} <> ''`)})`;
  const columns = ['started', 'ended', 'views', 'hits', 'view_rows', 'read_rows'];
  const text = `
    with counted as (
      select e.project_id, ${sessionIdSql(sql)} as session, min(${happened}) as started, max(${happened}) as ended,
        ${isView} as views, sum(${flag(sql.isOneOf('e.event', HIT_EVENTS))}) as hits, ${isView} as view_rows,
        ${reads} as read_rows
      from event_rows e where coalesce(e."$session_id", '') <> '' group by all
    ), kept as (
      select r.project_id, r.session, r.started, r.ended, r.views, r.hits, coalesce(v.count, 0) as view_rows,
        coalesce(w.count, 0) as read_rows
      from session_rows r
      left join (select session, count(*) as count from view_rows group by session) v on v.session = r.number
      left join (select session, count(*) as count from read_rows group by session) w on w.session = r.number
      where (r.labels_included & ${WITH_ALL_VIEWS}) <> 0 or r.labels_included = 0
    )
    select project_id, session
    from (select * from counted where session <> '') c full join kept k using (project_id, session)
    where (${columns.map((name) => `c.${name} is distinct from k.${name}`).join(' or ')})
      and (project_id, session) not in (select project_id, session from stale_sessions)
    union all
    select distinct project_id, '' from (
      select project_id, session from view_rows union all select project_id, session from read_rows
    ) where session not in (select number from session_rows)
    limit ${Math.trunc(limit)}`;
  return { sql: text, values: sql.values };
}

/** Nothing is left of what only removed sessions said. */
export const DELETE_UNUSED: readonly string[] = [
  `delete from session_texts where (project_id, code) not in (
    select project_id, unnest([${CODED_KEYS.map((key) => `${key}_code`).join(', ')}]) from session_rows
    union all select project_id, page from view_rows
    union all select project_id, page from read_rows)`,
  `delete from session_visitors where (project_id, number) not in (
    select project_id, visitor from session_rows union all select project_id, visitor from view_rows)`,
];

/** The days that have views, or leaves, without a session id, with their projects. */
export function looseDaysSql(condition: string): Bound {
  const sql = duckdbDialect.newStatement('e');
  const day = `cast(floor(${sql.ms('e.timestamp')} / ${DAY_MS}) as integer)`;
  const text = `select distinct e.project_id, ${day} from event_rows e
    where ${sql.isOneOf('e.event', LOOSE_EVENTS)} and ${sessionIdSql(sql)} = '' and ${condition}`;
  return resolve(text, sql.values);
}

const flag = (condition: string): string => `case when ${condition} then 1 else 0 end`;

function labelSql(sql: SqlBuilder): string {
  const isCookieless = sql.functions.startsWith('e.distinct_id', `'cookieless_'`);
  const { bot, own, cookieless } = VIEW_LABELS;
  return `${bot} * ${flag(isBotSql(sql))} + ${own} * ${flag(isOwnSql(sql))} + ${cookieless} * ${flag(isCookieless)}`;
}

/** The events with their columns for sessions. */
function eventsSql(sql: SqlBuilder, { since, until }: MadeRange): string {
  const isView = isViewSql(sql);
  const read = readNumbersSql(sql);
  const columns = {
    sid: sessionIdSql(sql),
    person: 'e.person_id',
    happened: sql.ms('e.timestamp'),
    id: 'e.uuid',
    is_view: flag(isView),
    is_hit: flag(sql.isOneOf('e.event', HIT_EVENTS)),
    label: `case when ${isView} then ${labelSql(sql)} else 0 end`,
    path: `case when ${isView} then ${sentPathSql(sql)} else '' end`,
    read_path: readPathSql(sql),
    read_label: `case when ${sql.isOneOf('e.event', READ_EVENTS)} then ${labelSql(sql)} else 0 end`,
    seconds: read.seconds,
    share: read.share,
    ...acquisitionSql(sql),
    ...Object.fromEntries(KNOWN_KEYS.map((key) => [key, cutPropertySql(sql, KNOWN_PROPERTIES[key])])),
  };
  const list = Object.entries(columns).map(([name, value]) => `${value} as ${name}`);
  // As numbers in the text, so that the engine skips blocks of other times: properties are slow to read.
  const limits = [
    'true',
    ...(since === null ? [] : [`e.timestamp >= make_timestamp_ms(${Math.trunc(since)})`]),
    ...(until === null ? [] : [`e.timestamp < make_timestamp_ms(${Math.trunc(until)})`]),
  ];
  return `select e.project_id, e.number, ${list.join(', ')} from (${JSON_VALUES} where ${limits.join(' and ')}) e`;
}

/** Stands for the list of properties, until it is known. */
const PATHS = '@paths';

/** The JSON of an event is parsed once, for all properties that have no column. */
const JSON_VALUES = `
  select e.*, d.number, json_extract_string(e.properties, ${PATHS}) as json_values
  from event_rows e
  join due_sessions d on d.project_id = e.project_id and d.session = e."$session_id"`;

function groupedSql(sql: SqlBuilder): string {
  const columns = [
    'project_id',
    'number',
    'sid',
    'case when sum(is_view) = 0 then 0 when labels = 0 then 15 else 1 << choice end as labels_included',
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
    where (label & (${LEFT_OUT_LABELS} - choice)) = 0 group by project_id, number, sid, labels, choice
    having sum(is_view) > 0 or labels = 0`;
}

/** In the order of the table's columns. */
function valuesSql(sql: SqlBuilder): string {
  const text = (row: string, index: number): string => `coalesce(${sql.rowValue(row, index)}, '')`;
  const first = ACQUISITION_COLUMNS.map((name, at) => `${text('first_view', at + 1)} as ${name}`);
  const known = KNOWN_KEYS.map((key) => `${text(`known_${key}`, 0)} as ${key}`);
  return [
    ...['project_id', 'sid', 'labels_included', 'started', 'ended', 'views', 'hits'],
    `${sql.rowValue('last_event', 0)} as person`,
    `${text('first_view', 0)} as entry`,
    `${text('last_view', 0)} as exit`,
    ...first,
    ...known,
    'number',
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
