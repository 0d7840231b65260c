/** The rows of sessions that the store keeps, and the range of events that tells as much. */
import type { Range } from '../../../core/time/range.ts';
import { DAY_MS } from '../../../core/time/units.ts';
import type { WebScope } from './web-scope.ts';

const MARGIN_MS = 2 * DAY_MS;

export const withMargin = ({ from, until }: Range): Range => ({ from: from - MARGIN_MS, until: until + MARGIN_MS });

/** `from … where …`: the rows of a range, for the views that the question counts. */
export function fromKeptRows({ statement, question }: WebScope, { from, until }: Range): string {
  const { sql } = statement;
  const choice = (question.includeBots ? 1 : 0) + (question.includeOwn ? 2 : 0);
  return `from session_rows r
    left join person_overrides m on m.project_id = r.project_id and m.from_id = r.person_id
    where r.project_id = ${sql.param(statement.projectId)} and ${sql.bitAt('r.labels_included', String(choice))} = 1
      and r.ended >= ${sql.integer(from)} and r.started < ${sql.integer(until)}`;
}
