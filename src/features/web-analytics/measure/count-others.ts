/** Goals, web vitals, what is left out, and who is here now. */
import type { Range } from '../../../core/time/range.ts';
import { DAY_MS, MINUTE_MS } from '../../../core/time/units.ts';
import { VITALS, type VitalName } from '../../../core/web/web-vitals.ts';
import { NO_VALUE } from '../../../query/sessions/text-filter-sql.ts';
import {
  isBotSql,
  isOfPageSql,
  isOwnSql,
  isViewSql,
  propertyTextSql,
  sessionIdSql,
  VIEW_LABELS,
} from '../../../stores/events/session-columns.ts';
import type { GoalNumbers, LeftOut, PageVital, VitalNumbers, WebTable } from '../rules/web-answers.ts';
import type { TablePage, WebGoalQuestion } from '../rules/web-question.ts';
import { findSessionLookups, isOfPassingSession, startedIn, webRow, withViewsSql } from './count-period.ts';
import { fromAllViewRows } from './kept-rows.ts';
import { type SessionLookups, withSessionsSql } from './sessions-sql.ts';
import { pathSql } from './web-events-sql.ts';
import { beginStatement, isBySession, type WebQuery, type WebScope } from './web-scope.ts';

/** Conversions of the period's visitors. */
export async function countGoals(
  query: WebQuery,
  goals: readonly WebGoalQuestion[],
  lookups: SessionLookups,
): Promise<GoalNumbers[]> {
  if (goals.length === 0) return [];
  const { range } = query.question;
  const scope = beginStatement(query);
  const { statement } = scope;
  const conditions = goals.map((one) => isGoal(scope, one));
  const columns = goals.flatMap((_, at) => [
    `sum(is${at}) as conversions${at}`,
    `count(distinct case when is${at} = 1 then person end) as converters${at}`,
  ]);
  const flags = conditions.map((condition, at) => `case when ${condition} then 1 else 0 end as is${at}`);
  const [row] = await statement.query(
    `${withViewsSql(scope, range, lookups)}
    select ${columns.join(', ')} from (
      select e.person_id as person, ${flags.join(', ')} ${statement.from()}
      where ${statement.inProject()} and ${statement.during(range)} and (${conditions.join(' or ')})
        and ${statement.matches(query.question.accountFilter)} and e.person_id in (select person from w)
    ) g`,
  );
  return goals.map(({ id }, at) => ({
    id,
    conversions: Number(row?.[`conversions${at}`] ?? 0),
    converters: Number(row?.[`converters${at}`] ?? 0),
  }));
}

function isGoal(scope: WebScope, { goal }: WebGoalQuestion): string {
  const { statement, patterns } = scope;
  if (goal.kind === 'entity') return statement.isOf(goal.entity);
  if (!patterns.has(goal.pattern)) return 'false';
  return `(${isViewSql(statement.sql)} and ${statement.sql.matches(pathSql(scope), goal.pattern)})`;
}

const VITAL_NAMES = Object.keys(VITALS) as VitalName[];

/** Pages with fewer values say nothing. */
const MIN_PAGE_VALUES = 5;
const MAX_VITAL_PAGES = 20;

/** The vitals of a period; with filters, those of the sessions that pass. */
export async function measureVitals(query: WebQuery, lookups: SessionLookups): Promise<VitalNumbers> {
  if (!(await hasVitals(query))) return NO_VITALS;
  const scope = beginStatement(query);
  const { sql } = scope.statement;
  const columns = VITAL_NAMES.flatMap((name) => [
    `${sql.quantile(name, 0.75)} as p75_${name}`,
    `count(${name}) as n_${name}`,
  ]);
  const [row] = await scope.statement.query(`${withVitalsSql(scope, lookups)} select ${columns.join(', ')} from m`);
  const counts = new Map(VITAL_NAMES.map((name) => [name, Number(row?.[`n_${name}`] ?? 0)]));
  const pages = Math.max(...counts.values()) < MIN_PAGE_VALUES ? [] : await findWorstPages(query, lookups);
  const entries = VITAL_NAMES.map((name) => {
    const n = counts.get(name) ?? 0;
    const own = pages.filter((page) => page.name === name).map(({ path, p75, n: loads }) => ({ path, p75, n: loads }));
    return [name, { p75: n === 0 ? null : Number(row?.[`p75_${name}`]), n, pages: own }] as const;
  });
  return Object.fromEntries(entries) as VitalNumbers;
}

const NO_VITALS = Object.fromEntries(
  VITAL_NAMES.map((name) => [name, { p75: null, n: 0, pages: [] }]),
) as unknown as VitalNumbers;

/** Few sites send them, and asking costs a fraction of reading them. */
async function hasVitals(query: WebQuery): Promise<boolean> {
  const { statement } = beginStatement(query);
  const rows = await statement.query(
    `select 1 as one from event_rows e
    where ${statement.inProject()} and ${statement.during(query.question.range)} and e.event = '$web_vitals' limit 1`,
  );
  return rows.length > 0;
}

async function findWorstPages(query: WebQuery, lookups: SessionLookups): Promise<(PageVital & { name: string })[]> {
  const scope = beginStatement(query);
  const { sql } = scope.statement;
  const worst = VITAL_NAMES.map(
    (name) => `select * from (
      select '${name}' as name, path, ${sql.quantile(name, 0.75)} as p75, count(${name}) as n from m
      group by path having count(${name}) >= ${sql.integer(MIN_PAGE_VALUES)} order by p75 desc, path
      limit ${sql.integer(MAX_VITAL_PAGES)}
    ) ${name}_pages`,
  );
  const rows = await scope.statement.query(`${withVitalsSql(scope, lookups)} ${worst.join(' union all ')}`);
  return rows
    .map((row) => ({
      name: String(row['name']),
      path: String(row['path']),
      p75: Number(row['p75']),
      n: Number(row['n']),
    }))
    .toSorted((a, b) => b.p75 - a.p75 || (a.path < b.path ? -1 : 1));
}

/** `with …, m as (…)`: the page and the vitals of each load; only finite numbers from 0. */
function withVitalsSql(scope: WebScope, lookups: SessionLookups): string {
  const { statement, question } = scope;
  const values = VITAL_NAMES.map((name) => {
    const value = statement.number(`$web_vitals_${name}_value`);
    return `case when ${value} >= 0 and ${value} < ${statement.sql.double(1e100)} then ${value} end as ${name}`;
  });
  const sessions = isBySession(scope) ? `${withSessionsSql(scope, question.range, [], lookups)},` : 'with';
  return `${sessions} m as (
    select ${pathSql(scope)} as path, ${values.join(', ')} ${statement.from()}
    where ${statement.inProject()} and ${statement.during(question.range)} and e.event = '$web_vitals'
      and ${statement.matches(question.accountFilter)} and ${isOfPassingSession(scope)}
  )`;
}

interface ViewLabels extends LeftOut {
  /** Of visitors without cookies. */
  cookieless: number;
  views: number;
}

/** How many views have a label, whatever the filters. `isKept`: all views of the period have a row. */
export async function countLabels(query: WebQuery, isKept: boolean): Promise<ViewLabels> {
  const { question } = query;
  const { bots, own, ...counts } = isKept ? await countKeptLabels(query) : await countSentLabels(query);
  return {
    ...counts,
    bots: question.includeBots ? 0 : bots,
    own: question.includeOwn ? 0 : own,
    hidden: await countHidden(query),
  };
}

type CountedLabels = Omit<ViewLabels, 'hidden'>;

async function countKeptLabels(query: WebQuery): Promise<CountedLabels> {
  const scope = beginStatement(query);
  const from = (): string => fromAllViewRows(scope, query.question.range);
  // Most views have no label: blocks of these are not read, and all rows of a block are counted without it, too.
  const rows = await scope.statement.query(
    `select 0 as label, count(*) as n ${from()}
    union all select w.label as label, count(*) as n ${from()} and w.label > 0 group by w.label`,
  );
  const sum = (isCounted: (label: number) => boolean): number =>
    rows.filter((row) => isCounted(Number(row['label']))).reduce((total, row) => total + Number(row['n']), 0);
  return {
    bots: sum((label) => (label & VIEW_LABELS.bot) > 0),
    own: sum((label) => (label & VIEW_LABELS.bot) === 0 && (label & VIEW_LABELS.own) > 0),
    cookieless: sum((label) => (label & VIEW_LABELS.cookieless) > 0),
    views: sum((label) => label === 0),
  };
}

async function countSentLabels(query: WebQuery): Promise<CountedLabels> {
  const scope = beginStatement(query);
  const { statement, question } = scope;
  const { sql } = statement;
  const [bot, own] = [isBotSql(statement.sql), isOwnSql(statement.sql)];
  const sum = (condition: string): string => `sum(case when ${condition} then 1 else 0 end)`;
  const [row] = await statement.query(
    `select ${sum(bot)} as bots, ${sum(`not (${bot}) and ${own}`)} as own, count(*) as views,
      ${sum(sql.functions.startsWith('e.distinct_id', `'cookieless_'`))} as cookieless
    from event_rows e
    where ${statement.inProject()} and ${statement.during(question.range)} and ${isViewSql(statement.sql)}`,
  );
  const number = (name: string): number => Number(row?.[name] ?? 0);
  return { bots: number('bots'), own: number('own'), cookieless: number('cookieless'), views: number('views') };
}

/** Views of sessions from hidden referrers. */
async function countHidden(query: WebQuery): Promise<number> {
  const { question } = query;
  const { hidden_referrers: hidden } = question.settings;
  if (hidden.length === 0) return 0;
  const settings = { ...question.settings, hidden_referrers: [] };
  const filters = [{ key: 'referrer', operator: 'exact', values: hidden } as const];
  const own: WebQuery = { ...query, question: { ...question, filters, eventFilters: [], settings } };
  const lookups = await findSessionLookups(own, question.range, []);
  const scope = beginStatement(own);
  const [row] = await scope.statement.query(
    `${withSessionsSql(scope, question.range, [], lookups)}
    select sum(x.views) as n from x where ${startedIn(scope, question.range)}`,
  );
  return Number(row?.['n'] ?? 0);
}

/** Views by robots, by name. */
export async function countBots(query: WebQuery, { limit, offset, search }: TablePage): Promise<WebTable> {
  const { statement, question } = beginStatement(query);
  const { sql } = statement;
  const name = propertyTextSql(statement.sql, '$bot_name');
  const isFound = search === '' ? 'true' : sql.containsIgnoringCase(name, search);
  const rows = await statement.query(
    `select g.*, count(*) over () as total from (
      select case when ${name} = '' then ${sql.param(NO_VALUE)} else ${name} end as value,
        count(distinct e.person_id) as visitors, count(*) as views
      ${statement.from()}
      where ${statement.inProject()} and ${statement.during(question.range)} and ${isViewSql(statement.sql)}
        and ${isBotSql(statement.sql)} and ${isFound}
      group by 1
    ) g order by visitors desc, views desc, value limit ${sql.integer(limit)} offset ${sql.integer(offset)}`,
  );
  return { rows: rows.map(webRow), total: Number(rows[0]?.['total'] ?? 0) };
}

const LIVE_MS = 5 * MINUTE_MS;
const MAX_LIVE_PAGES = 50;

const liveRange = (now: number): Range => ({ from: now - LIVE_MS + 1, until: now + 1 });

/** Whether an event is of a session or a page. */
const isOfVisit = ({ sql }: WebScope['statement']): string => `(${sessionIdSql(sql)} <> '' or ${isOfPageSql(sql)})`;

export async function countLive(query: WebQuery, now: number): Promise<number> {
  const { statement } = beginStatement(query);
  const [row] = await statement.query(
    `select count(distinct e.person_id) as n ${statement.from()}
    where ${statement.inProject()} and ${statement.during(liveRange(now))} and ${isOfVisit(statement)}
      and not (${isBotSql(statement.sql)})`,
  );
  return Number(row?.['n'] ?? 0);
}

export interface LivePage {
  path: string;
  country: string;
  at: number;
}

/** The last pages, newest first. */
export async function listLivePages(query: WebQuery, now: number): Promise<LivePage[]> {
  const scope = beginStatement(query);
  const { statement } = scope;
  const { sql } = statement;
  const rows = await statement.query(
    `select ${pathSql(scope)} as path, ${propertyTextSql(statement.sql, '$geoip_country_code')} as country,
      ${sql.ms('e.timestamp')} as happened
    ${statement.from()}
    where ${statement.inProject()} and ${statement.during(liveRange(now))} and ${isViewSql(statement.sql)}
      and not (${isBotSql(statement.sql)})
    order by happened desc, ${sql.idOrder('e.uuid')} desc limit ${sql.integer(MAX_LIVE_PAGES)}`,
  );
  return rows.map((row) => ({
    path: String(row['path']),
    country: String(row['country']),
    at: Number(row['happened']),
  }));
}

export interface SiteStatus {
  /** Ms UTC; null where there is no view. */
  lastView: number | null;
  hosts: string[];
  /** Of the views of the last 30 days; null where there is none. */
  withCountry: number | null;
  withSession: number | null;
  cookieless: number | null;
}

const MAX_HOSTS = 50;

export async function describeSite(query: WebQuery, now: number): Promise<SiteStatus> {
  const range = { from: now - 30 * DAY_MS, until: now + DAY_MS };
  const { statement } = beginStatement(query);
  const { sql } = statement;
  const share = (condition: string): string => `sum(case when ${condition} then 1 else 0 end)`;
  const [row] = await statement.query(
    `select count(*) as views, ${share(`${propertyTextSql(statement.sql, '$geoip_country_code')} <> ''`)} as countries,
      ${share(`${sessionIdSql(statement.sql)} <> ''`)} as sessions,
      ${share(sql.functions.startsWith('e.distinct_id', `'cookieless_'`))} as cookieless
    ${statement.from()} where ${statement.inProject()} and ${statement.during(range)} and ${isViewSql(statement.sql)}`,
  );
  const views = Number(row?.['views'] ?? 0);
  const part = (name: string): number | null => (views === 0 ? null : Number(row?.[name] ?? 0) / views);
  return {
    lastView: await findLastView(query),
    hosts: await listHosts(query, range),
    withCountry: part('countries'),
    withSession: part('sessions'),
    cookieless: part('cookieless'),
  };
}

export async function findLastView(query: WebQuery): Promise<number | null> {
  const { statement } = beginStatement(query);
  const { sql } = statement;
  const [row] = await statement.query(
    `select max(${sql.ms('e.timestamp')}) as last from event_rows e
    where ${statement.inProject()} and ${isViewSql(statement.sql)}`,
  );
  return typeof row?.['last'] === 'number' ? row['last'] : null;
}

async function listHosts(query: WebQuery, range: Range): Promise<string[]> {
  const { statement } = beginStatement(query);
  const host = propertyTextSql(statement.sql, '$host');
  const rows = await statement.query(
    `select host, count(*) as n from (
      select ${host} as host from event_rows e
      where ${statement.inProject()} and ${statement.during(range)} and ${isViewSql(statement.sql)}
    ) h where host <> '' group by host order by n desc, host limit ${statement.sql.integer(MAX_HOSTS)}`,
  );
  return rows.map((row) => String(row['host']));
}
