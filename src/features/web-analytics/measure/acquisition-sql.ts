/** The channels and sources of a range, found before the sessions (see `query/sessions/channel-sql.ts`). */
import type { Range } from '../../../core/time/range.ts';
import { type ChannelRow, channelKeysSql, channelRow } from '../../../query/sessions/channel-sql.ts';
import { acquisitionSql, CHANNEL_COLUMNS } from '../../../stores/events/session-columns.ts';
import { fromKeptRows, withMargin } from './kept-rows.ts';
import { fromViews } from './web-events-sql.ts';
import { beginStatement, type WebQuery, type WebScope } from './web-scope.ts';

/** Lists what first views say, the most frequent first; the views of a range, where it has sessions without rows. */
export async function findChannels(query: WebQuery, range: Range, hasLoose: boolean): Promise<ChannelRow[]> {
  const scope = beginStatement(query);
  const { statement } = scope;
  const said = scope.hasRows && !hasLoose ? saidInRowsSql(scope, range) : saidInViewsSql(scope, range);
  const rows = await statement.query(channelKeysSql(statement.sql, said));
  return rows.map((row) => channelRow(String(row['key']), query.question.settings.own_domains));
}

const saidInRowsSql = (scope: WebScope, range: Range): string =>
  `select ${CHANNEL_COLUMNS.map((name) => `r.${name} as ${name}`).join(', ')} ${fromKeptRows(scope, range)}`;

function saidInViewsSql(scope: WebScope, range: Range): string {
  const columns = Object.entries(acquisitionSql(scope.statement.sql)).map(([name, text]) => `${text} as ${name}`);
  return `select ${columns.join(', ')} ${fromViews(scope, withMargin(range))}`;
}
