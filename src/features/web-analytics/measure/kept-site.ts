/** The visitors of a site as the store numbers them: who is who now, and when they were first seen on a page. */
import type { Range } from '../../../core/time/range.ts';
import { DAY_MS } from '../../../core/time/units.ts';
import type { ColumnTable } from '../../../stores/events/event-store.ts';
import { isViewSql, sessionIdSql } from '../../../stores/events/session-columns.ts';
import { bitsFor } from '../rules/row-layout.ts';
import { withMargin } from './kept-rows.ts';
import { beginStatement, type WebQuery, type WebScope } from './web-scope.ts';

export type RowTable = 'session_rows' | 'view_rows';

export interface KeptSite {
  /** No visitor has a number as large. */
  visitorLimit: number;
  /** No code is as large. */
  codeLimit: number;
  /** How many rows the tables have, of all projects. */
  rows: Record<RowTable, number>;
  /** Reads them when it is first called. */
  visitors(): Promise<KeptVisitors>;
}

interface KeptVisitors {
  /** The number of the person that a visitor is now, by number. */
  current: Int32Array;
  /** Ms UTC, by the number of a person. */
  firstViews: Float64Array;
}

/** Also for visitors and codes that come while rows are read. */
const withSpare = (largest: number): number => Math.ceil(largest * 1.25) + 256;

/** The numbers of a site; null where a range has sessions without a row. */
export async function openKeptSite(query: WebQuery, ranges: readonly Range[]): Promise<KeptSite | null> {
  if (!query.hasRows) return null;
  const [loose, largest, rows] = await Promise.all([findLooseDays(query), findLargest(query), countAllRows(query)]);
  const touches = (range: Range): boolean => {
    const { from, until } = withMargin(range);
    return loose.some((day) => day >= Math.floor(from / DAY_MS) && day <= Math.floor(until / DAY_MS));
  };
  if (ranges.some(touches)) return null;
  const visitorLimit = withSpare(largest.visitor);
  const last = Math.max(...ranges.map(({ until }) => until));
  const earlier = loose.filter((day) => day * DAY_MS < last);
  let read: Promise<KeptVisitors> | undefined;
  return {
    visitorLimit,
    codeLimit: 2 ** bitsFor(withSpare(largest.code)),
    rows,
    visitors() {
      read ??= readVisitors(query, visitorLimit, earlier, last);
      return read;
    },
  };
}

/** `loose`: days before `last` with views without a session id. */
async function readVisitors(
  query: WebQuery,
  limit: number,
  loose: readonly number[],
  last: number,
): Promise<KeptVisitors> {
  const [visitors, merged] = await Promise.all([readNumbered(query, visitorsSql), readNumbered(query, mergedSql)]);
  const [numbers, first] = [visitors.integers('number'), visitors.doubles('first_view')];
  const current = new Int32Array(limit);
  for (let number = 0; number < limit; number++) current[number] = number;
  const [old, now] = [merged.integers('number'), merged.integers('current')];
  for (let row = 0; row < old.length; row++) current[old[row] as number] = now[row] as number;
  const firstViews = new Float64Array(limit).fill(Number.POSITIVE_INFINITY);
  const see = (person: number, at: number): void => {
    if (at < (firstViews[person] as number)) firstViews[person] = at;
  };
  for (let row = 0; row < numbers.length; row++) {
    see(current[numbers[row] as number] as number, first[row] as number);
  }
  if (loose.length > 0) {
    const seen = await readNumbered(query, (scope) => looseFirstViewsSql(scope, loose, last));
    const [persons, times] = [seen.integers('number'), seen.doubles('first_view')];
    for (let row = 0; row < persons.length; row++) see(current[persons[row] as number] as number, times[row] as number);
  }
  return { current, firstViews };
}

/** Whether there are more visitors or codes now than the site has numbers for, so that rows read since may have them. */
export async function isOutgrown(query: WebQuery, { visitorLimit, codeLimit }: KeptSite): Promise<boolean> {
  const { visitor, code } = await findLargest(query);
  return visitor >= visitorLimit || code >= codeLimit;
}

async function findLargest(query: WebQuery): Promise<{ visitor: number; code: number }> {
  const { statement } = beginStatement(query);
  const project = statement.sql.param(statement.projectId);
  const [row] = await statement.query(`select
    (select max(number) from session_visitors where project_id = ${project}) as visitor,
    (select max(code) from session_texts where project_id = ${project}) as code`);
  return { visitor: Number(row?.['visitor'] ?? 0), code: Number(row?.['code'] ?? 0) };
}

/** Known without reading them. */
async function countAllRows(query: WebQuery): Promise<KeptSite['rows']> {
  const { statement } = beginStatement(query);
  const [row] = await statement.query(
    'select (select count(*) from session_rows) as sessions, (select count(*) from view_rows) as views',
  );
  return { session_rows: Number(row?.['sessions'] ?? 0), view_rows: Number(row?.['views'] ?? 0) };
}

/** Whether a person had a view before the range. */
export const isKnownBefore = ({ firstViews }: KeptVisitors, person: number, { from }: Range): boolean =>
  (firstViews[person] as number) < from;

export function readNumbered(query: WebQuery, write: (scope: WebScope) => string): Promise<ColumnTable> {
  const scope = beginStatement(query);
  return query.queryColumns(write(scope), scope.statement.sql.values);
}

/** The days with views without a session id. */
async function findLooseDays(query: WebQuery): Promise<number[]> {
  const { statement } = beginStatement(query);
  const rows = await statement.query(
    `select distinct day from loose_view_days where project_id = ${statement.sql.param(statement.projectId)}`,
  );
  return rows.map((row) => Number(row['day']));
}

/** A person whose events were all sent under other ids has the least number of those. */
export function mergedSql({ statement }: WebScope): string {
  const project = statement.sql.param(statement.projectId);
  return `select f.number as number, coalesce(t.number, min(f.number) over (partition by o.to_id)) as current
    from person_overrides o
    join session_visitors f on f.project_id = ${project} and f.person_id = o.from_id
    left join session_visitors t on t.project_id = ${project} and t.person_id = o.to_id
    where o.project_id = ${project}`;
}

const visitorsSql = ({ statement }: WebScope): string =>
  `select s.number as number, cast(s.first_view as double) as first_view from session_visitors s
  where s.project_id = ${statement.sql.param(statement.projectId)}`;

/** When visitors were first seen on a page without a session id. */
function looseFirstViewsSql({ statement }: WebScope, days: readonly number[], until: number): string {
  const { sql } = statement;
  const project = sql.param(statement.projectId);
  const range = { from: Math.min(...days) * DAY_MS, until };
  return `select n.number as number, cast(min(${sql.ms('e.timestamp')}) as double) as first_view
    from events e
    join (
      select coalesce(o.to_id, s.person_id) as person, min(s.number) as number
      from session_visitors s left join person_overrides o on o.project_id = s.project_id and o.from_id = s.person_id
      where s.project_id = ${project} group by 1
    ) n on n.person = e.person_id
    where ${statement.inProject()} and ${statement.during(range)} and ${isViewSql(sql)} and ${sessionIdSql(sql)} = ''
    group by n.number`;
}
