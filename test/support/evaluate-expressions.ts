/** Evaluates expressions with the SQL of an engine. */
import { readText } from '../../src/core/expressions/check-expression.ts';
import { NO_FILTER } from '../../src/core/filters/property-filter.ts';
import { eventFieldSql, propertySql } from '../../src/query/expressions/event-field-sql.ts';
import { expressionSql } from '../../src/query/expressions/expression-sql.ts';
import { validPatterns } from '../../src/query/filters/valid-patterns.ts';
import type { EventStoreDeps } from '../../src/query/query-deps.ts';

export interface ExpressionTime {
  now: number;
  timezone: string;
}

/** The text of each expression for each event of the project, in the order of their times. */
export async function evaluateExpressions(
  deps: EventStoreDeps,
  projectId: number,
  expressions: readonly string[],
  time: ExpressionTime,
): Promise<(string | null)[][]> {
  const typed = expressions.map((text) => readText(text, 'events'));
  const patterns = await validPatterns(deps, NO_FILTER, typed);
  const sql = deps.dialect.newStatement('e');
  const scope = {
    ...time,
    patterns,
    column: (name: Parameters<typeof eventFieldSql>[0]) => eventFieldSql(name, 'e.person_id'),
    property: (property: Parameters<typeof propertySql>[1]) => propertySql(sql, property, undefined),
  };
  const columns = typed.map((one, i) => `${expressionSql(sql, one, scope)} as a${i}`);
  const rows = await deps.events.query(
    `select ${columns.join(', ')} from event_rows e where e.project_id = ${sql.param(projectId)} order by e.timestamp`,
    sql.values,
  );
  return rows.map((row) => expressions.map((_, i) => (row[`a${i}`] ?? null) as string | null));
}
