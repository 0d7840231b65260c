/** How pages are read: for how long, how far, and how often a session ends there. */

import { cutPathSql, isBotSql, isOwnSql } from '../../../stores/events/session-columns.ts';
import type { PageEngagement } from '../rules/web-answers.ts';
import { findSessionLookups, isOfPassingSession, startedIn } from './count-period.ts';
import { withSessionsSql } from './sessions-sql.ts';
import { ruledPathSql } from './web-events-sql.ts';
import { beginStatement, isBySession, type WebQuery, type WebScope } from './web-scope.ts';

/** SDKs tell about a page with the next one, or when it is left. */
const TELLING_EVENTS = ['$pageview', '$pageleave'] as const;
/** Longer is no visit. */
const MAX_SECONDS = 86_400;

/** By path, for these paths. */
export async function measurePages(query: WebQuery, paths: readonly string[]): Promise<Map<string, PageEngagement>> {
  if (paths.length === 0) return new Map();
  const [exits, reads] = [await countExits(query, paths), await measureReads(query, paths)];
  return new Map(
    paths.map((path) => [
      path,
      { exits: exits.get(path) ?? 0, ...(reads.get(path) ?? { timeOnPage: null, scrollDepth: null }) },
    ]),
  );
}

async function countExits(query: WebQuery, paths: readonly string[]): Promise<Map<string, number>> {
  const { range } = query.question;
  const lookups = await findSessionLookups(query, range, []);
  const scope = beginStatement(query);
  const rows = await scope.statement.query(
    `${withSessionsSql(scope, range, [], lookups)}
    select x.exit as path, count(*) as n from x
    where ${startedIn(scope, range)} and ${scope.statement.sql.isOneOf('x.exit', paths)} group by x.exit`,
  );
  return new Map(rows.map((row) => [String(row['path']), Number(row['n'])]));
}

/** Whether an event has a label that the question leaves out. */
const isLeftOut = ({ statement: { sql }, question }: WebScope): string =>
  ['false', ...(question.includeBots ? [] : [isBotSql(sql)]), ...(question.includeOwn ? [] : [isOwnSql(sql)])].join(
    ' or ',
  );

type Reads = Omit<PageEngagement, 'exits'>;

async function measureReads(query: WebQuery, paths: readonly string[]): Promise<Map<string, Reads>> {
  const { range, accountFilter } = query.question;
  const lookups = await findSessionLookups(query, range, []);
  const scope = beginStatement(query);
  const { statement } = scope;
  const { sql } = statement;
  const seconds = statement.number('$prev_pageview_duration');
  const share = statement.number('$prev_pageview_max_content_percentage');
  const sent = cutPathSql(sql, '$prev_pageview_pathname');
  const path = ruledPathSql(scope, sent);
  const told = `select ${path} as path, ${seconds} as seconds, ${share} as share ${statement.from()}
    where ${statement.inProject()} and ${statement.during(range)} and ${sql.isOneOf('e.event', TELLING_EVENTS)}
      and ${sent} <> '' and not (${isLeftOut(scope)}) and ${statement.matches(accountFilter)} and ${isOfPassingSession(scope)}`;
  const isValid = `seconds >= 0 and seconds <= ${sql.double(MAX_SECONDS)}`;
  const rows = await statement.query(
    `${isBySession(scope) ? withSessionsSql(scope, range, [], lookups) : ''}
    select path, avg(case when ${isValid} then seconds end) as time_on_page,
      avg(case when share < 0 then ${sql.double(0)} when share > 1 then ${sql.double(1)} else share end) as scroll_depth
    from (${told}) t where ${sql.isOneOf('path', paths)} group by path`,
  );
  const number = (value: unknown): number | null => (typeof value === 'number' ? value : null);
  return new Map(
    rows.map((row) => [
      String(row['path']),
      { timeOnPage: number(row['time_on_page']), scrollDepth: number(row['scroll_depth']) },
    ]),
  );
}
