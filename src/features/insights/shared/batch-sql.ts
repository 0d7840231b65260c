import type { Actor } from '../../../core/actor.ts';
import type { Range } from '../../../core/time/range.ts';
import type { EventQuery } from '../../../query/event-query.ts';
import { actorColumn } from '../../../query/event-statement.ts';
import type { SqlBuilder } from '../../../stores/events/dialect.ts';
import type { ActorBatch } from './actor-rows.ts';

/** Whether the actor of an event belongs to the batch. */
export const batchSql = (sql: SqlBuilder, actor: Actor, { at, count }: ActorBatch): string =>
  count === 1 ? 'true' : `${sql.hashSlot(actorColumn(actor), count)} = ${sql.param(at)}`;

/** All events in the range: at least as many as a question reads. */
export async function countEventsIn(query: EventQuery, range: Range): Promise<number> {
  const statement = query.begin();
  const [row] = await statement.query(
    `select count(*) as n from event_rows e where ${statement.inProject()} and ${statement.during(range)}`,
  );
  return Number(row?.['n'] ?? 0);
}
