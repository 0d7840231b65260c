import type { Entity } from '../../../core/actions/entity.ts';
import type { AskedEvents } from '../../../query/asked-events.ts';
import { anyEventNameSql } from '../../../query/filters/action-step-sql.ts';
import type { SqlBuilder } from '../../../stores/events/dialect.ts';
import type { FunnelQuestion } from '../rules/question.ts';

/** `from … where …` of the events that a funnel may look at. */
export function funnelSourceSql(sql: SqlBuilder, asked: AskedEvents, question: FunnelQuestion, also = ''): string {
  const { order, actor, range, filter } = question;
  const names = order === 'strict' ? 'true' : anyEventNameSql(sql, funnelEntities(question));
  return `${asked.source(sql, actor, range, also)} and ${names} and ${asked.holds(sql, filter)}`;
}

export const funnelEntities = ({ steps, exclusions }: FunnelQuestion): Entity[] => [
  ...steps,
  ...exclusions.map(({ entity }) => entity),
];
