/** The sessions and persons behind a number. */
import type { Page } from '../../../stores/metadata/page.ts';
import type { WebSession } from '../rules/web-answers.ts';
import type { SessionKey } from '../rules/web-question.ts';
import { findSessionLookups, startedIn, withViewsSql } from './count-period.ts';
import { withSessionsSql } from './sessions-sql.ts';
import { beginStatement, type WebQuery } from './web-scope.ts';

const LISTED = ['channel', 'source', 'entry', 'exit', 'device', 'browser', 'country'] as const satisfies SessionKey[];

/** Newest first. */
export async function listSessions(query: WebQuery, { limit, offset }: Page): Promise<WebSession[]> {
  const { range } = query.question;
  const lookups = await findSessionLookups(query, range, LISTED);
  const scope = beginStatement(query);
  const { sql } = scope.statement;
  const rows = await scope.statement.query(
    `${withSessionsSql(scope, range, LISTED, lookups)}
    select x.session as session, cast(x.person as varchar) as person, x.started as started, x.ended as ended,
      x.seconds as seconds, x.views as views, x.is_bounce as is_bounce, ${LISTED.map((key) => `x.${key} as ${key}`).join(', ')}
    from x where ${startedIn(scope, range)}
    order by x.started desc, x.session limit ${sql.integer(limit)} offset ${sql.integer(offset)}`,
  );
  return rows.map((row) => ({
    // Sessions without an id of their own get one from person and order; `s` and `p` tell them apart.
    session: String(row['session']),
    person: String(row['person']),
    started: Number(row['started']),
    ended: Number(row['ended']),
    seconds: Number(row['seconds']),
    views: Number(row['views']),
    isBounce: Number(row['is_bounce']) === 1,
    values: Object.fromEntries(LISTED.map((key) => [key, String(row[key] ?? '')])),
  }));
}

/** Ids of the visitors of the period, in their order. */
export async function listVisitors(query: WebQuery, { limit, offset }: Page): Promise<string[]> {
  const { range } = query.question;
  const lookups = await findSessionLookups(query, range, []);
  const scope = beginStatement(query);
  const { sql } = scope.statement;
  const rows = await scope.statement.query(
    `${withViewsSql(scope, range, lookups)}
    select distinct cast(w.person as varchar) as person from w order by person
    limit ${sql.integer(limit)} offset ${sql.integer(offset)}`,
  );
  return rows.map((row) => String(row['person']));
}
