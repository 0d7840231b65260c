import type { Range } from '../../../core/time/range.ts';
import type { EventQuery } from '../../../query/event-query.ts';
import { idsSql, joinPersonsSql } from '../../../query/persons-sql.ts';
import type { AddedSince, SqlStatement } from '../../../stores/events/event-changes.ts';

/**
 * The persons of added events and of those in `passed`, and all who were merged or changed, before and after; their `id`,
 * of at most `limit`.
 */
export function changedPersonsStatement(
  query: EventQuery,
  { isAdded, persons }: AddedSince,
  passed: Range,
  limit: number,
): SqlStatement {
  const statement = query.begin();
  const { sql } = statement;
  const events = (condition: string): string =>
    `select e.person_id as id from event_rows e where ${statement.inProject()} and ${condition}`;
  const keys = [
    events(isAdded),
    ...(passed.until > passed.from ? [events(statement.during(passed))] : []),
    idsSql(sql, persons),
  ];
  const text = `select p.person_id as id from (${keys.join(' union ')}) k ${joinPersonsSql(sql, query.projectId, 'k.id')}
    union ${idsSql(sql, persons)}
    limit ${sql.integer(limit)}`;
  return { sql: text, values: sql.values };
}
