import type { Dialect } from '../../stores/events/dialect.ts';
import type { EventStore } from '../../stores/events/event-store.ts';
import type { EventId } from '../../stores/ingest/ingest-store.ts';

interface MissingDeps {
  events: Pick<EventStore, 'query'>;
  dialect: Dialect;
}

/** Those that the event store does not have. One scan of its ids: give it many at once. */
export async function listMissing({ events, dialect }: MissingDeps, ids: readonly EventId[]): Promise<EventId[]> {
  if (ids.length === 0) return [];
  const sql = dialect.newStatement();
  const wanted = sql.rows(
    ['uuid'],
    ids.map(({ uuid }) => ({ uuid })),
  );
  const rows = await events.query(
    `select e.project_id as project_id, e.uuid as uuid from event_rows e
    where e.uuid in (select cast(r.uuid as UUID) from ${wanted} r)`,
    sql.values,
  );
  const found = new Set(rows.map((row) => `${row['project_id']}:${row['uuid']}`));
  return ids.filter(({ projectId, uuid }) => !found.has(`${projectId}:${uuid}`));
}
