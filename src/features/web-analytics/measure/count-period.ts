/** The numbers of one period: totals, intervals and tables. */
import type { Range } from '../../../core/time/range.ts';
import { type Tick, ticksOf } from '../../../core/time/ticks.ts';
import { DAY_MS } from '../../../core/time/units.ts';
import { VIEW_EVENTS } from '../../../core/web/session-values.ts';
import { sessionBreaks } from '../../../core/web/web-session.ts';
import { NO_VALUE } from '../../../query/sessions/text-filter-sql.ts';
import { isViewSql, sessionIdSql } from '../../../stores/events/session-columns.ts';
import { boundsOf, tickOfMsSql } from '../../insights/shared/tick-sql.ts';
import type { PeriodAnswer, WebRow, WebSeries, WebTable } from '../rules/web-answers.ts';
import {
  type DerivedKey,
  SESSION_KEYS,
  type SessionKey,
  type TableKey,
  type TablePage,
} from '../rules/web-question.ts';
import { findChannels } from './acquisition-sql.ts';
import { type AskedPeriod, countKeptPeriods, isCountedByCode } from './count-kept.ts';
import { withMargin } from './kept-rows.ts';
import { isOutgrown, type KeptSite, openKeptSite } from './kept-site.ts';
import {
  longRunsSql,
  NO_LOOKUPS,
  neededValues,
  type SessionLookups,
  sessionViewsSql,
  withSessionsSql,
} from './sessions-sql.ts';
import { fromViews, isCountedView, pathFilterSql, pathSql } from './web-events-sql.ts';
import { beginStatement, isBySession, type WebQuery, type WebScope } from './web-scope.ts';

type Row = Awaited<ReturnType<WebScope['statement']['query']>>[number];

/** Looks up what sessions need. Visits that never pause for a day matter only where events have no session id. */
export async function findSessionLookups(
  query: WebQuery,
  range: Range,
  shown: readonly SessionKey[],
): Promise<SessionLookups> {
  const scope = beginStatement(query);
  const hasLoose = scope.hasRows ? await hasLooseDays(query, range) : await hasLooseViews(query, range);
  const { hasFirstView } = neededValues(scope, shown);
  const channels = hasFirstView ? await findChannels(query, range, hasLoose) : [];
  return { hasLoose, channels, breaks: hasLoose ? await findBreaks(query, range) : [] };
}

/** Whether there are views without a session id. */
async function hasLooseViews(query: WebQuery, range: Range): Promise<boolean> {
  const scope = beginStatement(query);
  const rows = await scope.statement.query(
    `select 1 as one ${fromViews(scope, withMargin(range))} and ${sessionIdSql(scope.statement.sql)} = '' limit 1`,
  );
  return rows.length > 0;
}

/** The same, where the store notes their days. */
async function hasLooseDays(query: WebQuery, range: Range): Promise<boolean> {
  const { statement } = beginStatement(query);
  const { sql } = statement;
  const { from, until } = withMargin(range);
  const [first, last] = [from, until].map((at) => sql.integer(Math.floor(at / DAY_MS)));
  const rows = await statement.query(
    `select 1 as one from loose_view_days
    where project_id = ${sql.param(statement.projectId)} and day >= ${first} and day <= ${last} limit 1`,
  );
  return rows.length > 0;
}

async function findBreaks(query: WebQuery, range: Range): Promise<string[]> {
  const scope = beginStatement(query);
  return breaksOf(await scope.statement.query(longRunsSql(scope, range)));
}

function breaksOf(rows: readonly Row[]): string[] {
  const runs = new Map<string, { uuid: string; at: number }[]>();
  for (const { run, uuid, happened } of rows) {
    const events = runs.get(String(run)) ?? [];
    runs.set(String(run), events);
    events.push({ uuid: String(uuid), at: Number(happened) });
  }
  return [...runs.values()].flatMap(sessionBreaks);
}

/** Whether an event is of a session in `x`, where sessions matter. */
export const isOfPassingSession = (scope: WebScope): string =>
  isBySession(scope) ? `concat('s', ${sessionIdSql(scope.statement.sql)}) in (select session from x)` : 'true';

/**
 * `with …` and the name of a table of the views that count: `person`, `happened`, `path`. A view counts where its session
 * passes; with a filter on pages only the views of those.
 */
export function withViewsSql(scope: WebScope, range: Range, lookups: SessionLookups): string {
  const { sql } = scope.statement;
  if (!isBySession(scope)) {
    return `with w as (
      select e.person_id as person, ${sql.ms('e.timestamp')} as happened, ${pathSql(scope)} as path ${fromViews(scope, range)}
    )`;
  }
  return `${withSessionsSql(scope, range, [], lookups)},
    w as (
      select k.person as person, k.happened as happened, k.path as path
      from (${sessionViewsSql(scope, range, lookups)}) k join x on x.session = k.session
      where ${pathFilterSql(scope, 'k.path')} and ${isNewSql(scope, range, 'k.person')}
    )`;
}

/** Whether the visitor is as new as a filter asks. */
function isNewSql(scope: WebScope, range: Range, person: string): string {
  const filters = scope.question.filters.filter(({ key }) => key === 'new');
  if (filters.length === 0) return 'true';
  const isKnown = `${person} in (${earlierVisitors(scope, range)})`;
  return filters
    .map(({ operator, values }) => (values.includes('true') === (operator !== 'is_not') ? `not ${isKnown}` : isKnown))
    .join(' and ');
}

/** Everybody with a view before the range. */
function earlierVisitors(scope: WebScope, { from }: Range): string {
  const { statement } = scope;
  return `select e.person_id ${statement.from()}
    where ${statement.inProject()} and e.timestamp < ${statement.sql.time(from)}
      and ${statement.sql.isOneOf('e.event', VIEW_EVENTS)}`;
}

/** Sessions that began in the range, as `x`. */
export const startedIn = (scope: WebScope, range: Range): string => {
  const { sql } = scope.statement;
  return `x.started >= ${sql.integer(range.from)} and x.started < ${sql.integer(range.until)}
    and ${isNewSql(scope, range, 'x.person')}`;
};

const SESSION_SUMS = { sessions: 'count(*)', bounces: 'sum(x.is_bounce)', seconds: 'sum(x.seconds)' };
const VIEW_SUMS = { views: 'count(*)' };

const TOTAL = 'total';
const TICK = 'tick';

export interface CountedPeriod extends PeriodAnswer {
  tables: Map<TableKey, WebTable>;
}

interface AskedPeriods {
  ranges: readonly Range[];
  /** Of the first period. */
  tables: readonly TableKey[];
  page: TablePage;
}

/** The site, where the rows that the store keeps tell everything about these periods. */
export const openSite = async (
  query: WebQuery,
  ranges: readonly Range[],
  tables: readonly TableKey[],
): Promise<KeptSite | null> => (tables.every(isCountedByCode) ? openKeptSite(query, ranges) : null);

/** The numbers of sessions and views of several periods, in all, by interval and by the values of the tables. */
export async function countPeriods(
  query: WebQuery,
  site: KeptSite | null,
  { ranges, tables, page }: AskedPeriods,
): Promise<CountedPeriod[]> {
  const asked = ranges.map((range, at) => ({ range, tables: at === 0 ? tables : [], page }));
  if (site !== null) {
    const counted = await countKept(query, site, () => countFromRows(query, site, asked));
    return counted ?? countPeriods(query, await openSite(query, ranges, tables), { ranges, tables, page });
  }
  const newVisitors = await countNewVisitors(query, ranges);
  const periods: CountedPeriod[] = [];
  for (const [at, period] of asked.entries()) {
    const { totals, ...rest } = await countInSql(query, period.range, period.tables, page);
    periods.push({ totals: { ...totals, newVisitors: newVisitors[at] ?? 0 }, ...rest });
  }
  return periods;
}

/** Null if visitors or texts came meanwhile, more than the site has numbers for. */
export async function countKept<T>(query: WebQuery, site: KeptSite, count: () => Promise<T>): Promise<T | null> {
  const counted = await count().then(
    (numbers) => ({ numbers }),
    (error: unknown) => ({ error }),
  );
  // Numbers that are too large for their place are counted wrong, or the engine refuses them.
  if (await isOutgrown(query, site)) return null;
  if ('error' in counted) throw counted.error;
  return counted.numbers;
}

/** What sessions need that all have a row. */
export async function findKeptLookups(query: WebQuery, range: Range): Promise<SessionLookups> {
  const { hasFirstView } = neededValues(beginStatement(query), []);
  return { ...NO_LOOKUPS, channels: hasFirstView ? await findChannels(query, range, false) : [] };
}

async function countFromRows(
  query: WebQuery,
  site: KeptSite,
  periods: readonly { range: Range; tables: readonly TableKey[]; page: TablePage }[],
): Promise<CountedPeriod[]> {
  const asked: AskedPeriod[] = [];
  for (const period of periods) asked.push({ ...period, lookups: await findKeptLookups(query, period.range) });
  return countKeptPeriods(query, site, asked);
}

/** All but the new visitors, who are counted for several periods at once. */
interface SqlPeriod extends Omit<CountedPeriod, 'totals'> {
  totals: Omit<PeriodAnswer['totals'], 'newVisitors'>;
}

async function countInSql(
  query: WebQuery,
  range: Range,
  tables: readonly TableKey[],
  page: TablePage,
): Promise<SqlPeriod> {
  const ticks = ticksOf(range, query.question.interval, query.question.timezone);
  const keys = tables.filter((key) => key !== 'page');
  const shown = keys.filter(isSessionKey);
  const lookups = await findSessionLookups(query, range, shown);
  const ofSessions = await sessionRows(query, range, { keys, ticks, page, lookups });
  const ofViews = await viewRows(query, range, { hasPages: tables.includes('page'), ticks, page, lookups });
  const [sessions, views] = [rowOf(ofSessions, TOTAL), rowOf(ofViews, TOTAL)];
  return {
    totals: {
      sessions: number(sessions, 'sessions'),
      visitors: number(sessions, 'visitors'),
      bounces: number(sessions, 'bounces'),
      seconds: number(sessions, 'seconds'),
      views: number(views, 'views'),
      viewers: number(views, 'visitors'),
    },
    series: seriesOf(ticks, ofSessions, ofViews),
    tables: new Map(tables.map((key) => [key, tableOf(key === 'page' ? ofViews : ofSessions, key)])),
  };
}

/** One table of the question's period, alone. */
export async function countTableInSql(query: WebQuery, key: TableKey, page: TablePage): Promise<WebTable> {
  const { range } = query.question;
  const lookups = await findSessionLookups(query, range, isSessionKey(key) ? [key] : []);
  const asked = { ticks: [], page, lookups };
  const rows =
    key === 'page'
      ? await viewRows(query, range, { ...asked, hasPages: true })
      : await sessionRows(query, range, { ...asked, keys: [key] });
  return tableOf(rows, key);
}

/** The interval of a time, where intervals are asked for. */
const tickValue = ({ statement }: WebScope, ticks: readonly Tick[], ms: string): Readonly<Record<string, string>> =>
  ticks.length === 0 ? {} : { [TICK]: tickOfMsSql(statement.sql, ms, boundsOf(ticks)) };

interface RowOptions {
  ticks: readonly Tick[];
  page: TablePage;
  lookups: SessionLookups;
}

async function sessionRows(
  query: WebQuery,
  range: Range,
  { keys, ticks, page, lookups }: RowOptions & { keys: readonly (SessionKey | DerivedKey)[] },
): Promise<Row[]> {
  const scope = beginStatement(query);
  const { statement } = scope;
  const values: Record<string, string> = {
    ...tickValue(scope, ticks, 'x.started'),
    ...Object.fromEntries(
      keys.map((key) => [key, isSessionKey(key) ? shownSql(scope, key) : derivedSql(scope, range, key)]),
    ),
  };
  const counted = { table: 'x', where: startedIn(scope, range), sums: SESSION_SUMS, second: 'sessions' } as const;
  return statement.query(
    `${withSessionsSql(scope, range, keys.filter(isSessionKey), lookups)} ${rankedSql(scope, values, counted, page)}`,
  );
}

const isSessionKey = (key: TableKey): key is SessionKey => SESSION_KEYS.some((one) => one === key);

const shownSql = ({ statement }: WebScope, key: SessionKey): string =>
  `case when x.${key} = '' then ${statement.sql.param(NO_VALUE)} else x.${key} end`;

/** `1 09`: Mondays from nine to ten, in the project's time zone. New visitors are `true`, as in filters. */
function derivedSql(scope: WebScope, range: Range, key: DerivedKey): string {
  if (key === 'new') return `case when x.person in (${earlierVisitors(scope, range)}) then 'false' else 'true' end`;
  const { sql } = scope.statement;
  const [weekday, hour] = (['weekday', 'hour'] as const).map((part) =>
    sql.functions.calendarPart(part, sql.timeOfMs('x.started'), scope.question.timezone),
  );
  const digits = `cast(cast(${hour} as bigint) as varchar)`;
  return `concat(cast(cast(${weekday} as bigint) as varchar), ' ', case when ${hour} < 10 then '0' else '' end, ${digits})`;
}

async function viewRows(
  query: WebQuery,
  range: Range,
  { hasPages, ticks, page, lookups }: RowOptions & { hasPages: boolean },
): Promise<Row[]> {
  const scope = beginStatement(query);
  const values = {
    ...tickValue(scope, ticks, 'w.happened'),
    ...(hasPages ? { page: 'w.path' } : {}),
  };
  const counted = { table: 'w', where: 'true', sums: VIEW_SUMS, second: 'views' } as const;
  return scope.statement.query(`${withViewsSql(scope, range, lookups)} ${rankedSql(scope, values, counted, page)}`);
}

interface Counted {
  table: string;
  where: string;
  /** Sums of a visitor's rows, by name. */
  sums: Readonly<Record<string, string>>;
  /** By which rows with as many visitors are ordered. */
  second: 'sessions' | 'views';
}

/**
 * A row for each table and value, ranked; of tables only the page. Each session or view is counted once for every table:
 * by visitor first, so that visitors need not be told apart again. That costs the engines half as much as grouping sets
 * with `count(distinct)`.
 */
function rankedSql(
  scope: WebScope,
  values: Readonly<Record<string, string>>,
  { table, where, sums, second }: Counted,
  { limit, offset, search, order }: TablePage,
): string {
  const { sql } = scope.statement;
  const names = Object.keys(values);
  const isFound =
    search === '' ? 'true' : `(g.name in ('${TOTAL}', '${TICK}') or ${sql.containsIgnoringCase('g.value', search)})`;
  const isShown = `g.name in ('${TOTAL}', '${TICK}') or (g.place > ${sql.integer(offset)} and g.place <= ${sql.integer(offset + limit)})`;
  const columns = names.map((one) => `cast(${values[one]} as varchar) as by_${one}`);
  const tables = sql.rows(
    ['name'],
    [...names, TOTAL].map((name) => ({ name })),
  );
  const value = `case t.name ${names.map((one) => `when '${one}' then ${table}.by_${one}`).join(' ')} else '' end`;
  const ofVisitors = `select t.name as name, ${value} as value, ${table}.person as person,
      ${Object.entries(sums)
        .map(([name, sum]) => `${sum} as ${name}`)
        .join(', ')}
    from (select ${table}.*, ${columns.join(', ')} from ${table} where ${where}) ${table} cross join ${tables} t
    group by 1, 2, 3`;
  const grouped = `select v.name as name, v.value as value, count(*) as visitors,
      ${Object.keys(sums)
        .map((name) => `sum(v.${name}) as ${name}`)
        .join(', ')}
    from (${ofVisitors}) v group by 1, 2`;
  const ranked = `select g.*, row_number() over (partition by g.name order by ${orderSql(order, second)}) as place,
      count(*) over (partition by g.name) as total
    from (${grouped}) g where ${isFound}`;
  return `select * from (${ranked}) g where ${isShown} order by g.name, g.place`;
}

function orderSql(order: TablePage['order'], second: Counted['second']): string {
  if (order === 'value') return 'g.value';
  const column = order.endsWith('visitors') ? 'visitors' : second;
  const other = column === 'visitors' ? second : 'visitors';
  const direction = order.startsWith('-') ? 'desc' : 'asc';
  return `g.${column} ${direction}, g.${other} ${direction}, g.value`;
}

/** How many visitors of each of these periods are new. Without filters in one pass over the views. */
async function countNewVisitors(query: WebQuery, ranges: readonly Range[]): Promise<number[]> {
  if (!isBySession(query)) {
    const scope = beginStatement(query);
    const [row] = await scope.statement.query(newOfViewsSql(scope, ranges));
    return ranges.map((_, at) => Number(row?.[`n${at}`] ?? 0));
  }
  const counts: number[] = [];
  for (const range of ranges) {
    const lookups = await findSessionLookups(query, range, []);
    const scope = beginStatement(query);
    const [row] = await scope.statement.query(newOfSessionsSql(scope, range, lookups));
    counts.push(Number(row?.['n'] ?? 0));
  }
  return counts;
}

const newOfSessionsSql = (scope: WebScope, range: Range, lookups: SessionLookups): string =>
  `${withViewsSql(scope, range, lookups)}
  select count(distinct w.person) as n from w where w.person not in (${earlierVisitors(scope, range)})`;

/** The first view of all counts, even one that is left out otherwise. */
function newOfViewsSql(scope: WebScope, ranges: readonly Range[]): string {
  const { statement, hasRows } = scope;
  const { sql } = statement;
  const ms = sql.ms('e.timestamp');
  const isCounted = isCountedView(scope);
  const isHere = ranges.map(
    ({ from, until }) => `${ms} >= ${sql.integer(from)} and ${ms} < ${sql.integer(until)} and ${isCounted}`,
  );
  const last = Math.max(...ranges.map(({ until }) => until));
  const columns = ranges.map((_, at) => `is_here${at}`);
  // Merged persons are few: they are joined to the persons, not to the views.
  const persons = `select e.person_id as person, min(${ms}) as first_view,
      ${columns.map((name, at) => `max(case when ${isHere[at]} then 1 else 0 end) as ${name}`).join(', ')}
    ${hasRows ? 'from event_rows e' : statement.from()}
    where ${statement.inProject()} and e.timestamp < ${sql.time(last)} and ${isViewSql(sql)}
    group by e.person_id`;
  const sums = ranges.map(
    ({ from }, at) => `sum(case when first_view >= ${sql.integer(from)} then is_here${at} else 0 end) as n${at}`,
  );
  return `select ${sums.join(', ')} from (${hasRows ? mergedSql(scope, persons, columns) : persons}) p`;
}

const mergedSql = ({ statement }: WebScope, persons: string, columns: readonly string[]): string =>
  `select min(first_view) as first_view, ${columns.map((name) => `max(${name}) as ${name}`).join(', ')}
  from (${persons}) r
  left join person_overrides m on m.from_id = r.person and m.project_id = ${statement.sql.param(statement.projectId)}
  group by coalesce(m.to_id, r.person)`;

const rowOf = (rows: readonly Row[], name: string): Row | undefined => rows.find((row) => row['name'] === name);

const number = (row: Row | undefined, name: string): number => Number(row?.[name] ?? 0);

function seriesOf(ticks: readonly Tick[], sessions: readonly Row[], views: readonly Row[]): WebSeries {
  const line = (rows: readonly Row[], name: string): number[] => {
    const found = new Map(rows.filter((row) => row['name'] === TICK).map((row) => [Number(row['value']), row]));
    return ticks.map((_, at) => number(found.get(at), name));
  };
  return {
    visitors: line(views, 'visitors'),
    views: line(views, 'views'),
    sessions: line(sessions, 'sessions'),
    bounces: line(sessions, 'bounces'),
    seconds: line(sessions, 'seconds'),
  };
}

const tableOf = (rows: readonly Row[], key: TableKey): WebTable => {
  const own = rows.filter((row) => row['name'] === key);
  return { rows: own.map(webRow), total: number(own[0], 'total') };
};

export const webRow = (row: Row): WebRow => {
  const optional = (name: string): number | null => (row[name] === undefined ? null : number(row, name));
  return {
    value: String(row['value']),
    visitors: number(row, 'visitors'),
    sessions: optional('sessions'),
    views: optional('views'),
    bounces: optional('bounces'),
    seconds: optional('seconds'),
  };
};
