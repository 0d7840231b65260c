import type { Entity } from '../../../core/actions/entity.ts';
import type { EventStatement } from '../../../query/event-statement.ts';
import { anyEventNameSql } from '../../../query/filters/action-step-sql.ts';
import type { FunnelQuestion } from '../rules/question.ts';

/** `from … where …` of the events that may belong to a funnel. */
export function funnelSourceSql(statement: EventStatement, question: FunnelQuestion, join = ''): string {
  const { order, actor, range, filter } = question;
  const names = order === 'strict' ? 'true' : anyEventNameSql(statement.sql, funnelEntities(question));
  return `${statement.fromActors(actor, range, join)} and ${names} and ${statement.matches(filter)}`;
}

export const funnelEntities = ({ steps, exclusions }: FunnelQuestion): Entity[] => [
  ...steps,
  ...exclusions.map(({ entity }) => entity),
];
