/** How pages are read: for how long, how far, and how often a session ends there. */
import {
  isBotSql,
  isOwnSql,
  readNumbersSql,
  readPathSql,
  validReadSql,
} from '../../../stores/events/session-columns.ts';
import type { PageEngagement } from '../rules/web-answers.ts';
import { findSessionLookups, isOfPassingSession, startedIn } from './count-period.ts';
import { withSessionsSql } from './sessions-sql.ts';
import { ruledPathSql } from './web-events-sql.ts';
import { beginStatement, isBySession, type WebQuery, type WebScope } from './web-scope.ts';

/** The sessions that ended on each of these pages. */
export async function countExits(query: WebQuery, paths: readonly string[]): Promise<Map<string, number>> {
  if (paths.length === 0) return new Map();
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

export const NOT_READ: Reads = { timeOnPage: null, scrollDepth: null };

/** By path, from events. */
export async function measureReads(query: WebQuery, paths: readonly string[]): Promise<Map<string, Reads>> {
  if (paths.length === 0) return new Map();
  const { range, accountFilter } = query.question;
  const lookups = await findSessionLookups(query, range, []);
  const scope = beginStatement(query);
  const { statement } = scope;
  const { sql } = statement;
  const [sent, told, valid] = [readPathSql(sql), readNumbersSql(sql), validReadSql(sql)];
  const reads = `select ${ruledPathSql(scope, sent)} as path, ${told.seconds} as seconds, ${told.share} as share
    ${statement.from()}
    where ${statement.inProject()} and ${statement.during(range)} and ${sent} <> '' and not (${isLeftOut(scope)})
      and ${statement.matches(accountFilter)} and ${isOfPassingSession(scope)}`;
  const rows = await statement.query(
    `${isBySession(scope) ? withSessionsSql(scope, range, [], lookups) : ''}
    select path, avg(${valid.seconds}) as time_on_page, avg(${valid.share}) as scroll_depth
    from (${reads}) t where ${sql.isOneOf('path', paths)} group by path`,
  );
  const number = (value: unknown): number | null => (typeof value === 'number' ? value : null);
  return new Map(
    rows.map((row) => [
      String(row['path']),
      { timeOnPage: number(row['time_on_page']), scrollDepth: number(row['scroll_depth']) },
    ]),
  );
}
