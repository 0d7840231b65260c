import { NO_PLACEHOLDERS } from '../features/sql/rules/prepare-text.ts';
import type { StatementWarning } from '../features/sql/rules/statement-warnings.ts';
import { readRows } from '../features/sql/sql-rows.ts';
import { chosenProject, ownerOf } from './lookups.ts';
import type { Operation } from './operation.ts';

interface SqlStatement {
  project: number | null;
  sql: string;
  /** Rows at most. */
  limit: number;
}

interface SqlRows {
  columns: string[];
  rows: unknown[][];
  hasMore: boolean;
  warnings: StatementWarning[];
}

/** What an operator runs is as limited as what users run. */
export const runSql: Operation<SqlStatement, SqlRows> = async (deps, { project, sql, limit }, { signal }) => {
  const { id, organizationId } = await chosenProject(deps.metadata, project);
  const owner = await ownerOf(deps.metadata, organizationId);
  await deps.whenProcessed();
  const rows = { byDefault: limit, max: limit, isChosen: true };
  const query = { sql, placeholders: NO_PLACEHOLDERS, rows, refresh: true };
  const answer = await deps.sql.run(id, owner.user.id, query, signal);
  const { columns, hasMore, warnings } = answer;
  return { columns, rows: await readRows(answer), hasMore, warnings };
};
