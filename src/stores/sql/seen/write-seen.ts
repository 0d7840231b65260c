/** New ids and repeats of known ones, in a chunk's transaction. */
import { sql } from 'kysely';
import type { EventId, NewSeenEvent } from '../../ingest/ingest-store.ts';
import type { Sql } from '../tables.ts';

export async function insertSeen({ db, dialect }: Sql, seen: readonly NewSeenEvent[]): Promise<void> {
  if (seen.length === 0) return;
  const columns = { projectId: 'integer', uuid: 'text', receivedAt: 'integer', processedAt: 'integer' } as const;
  await sql`
    insert into seen_events (project_id, uuid, received_at, processed_at)
    select project_id, uuid, received_at, processed_at from ${dialect.rows(columns, seen)} r
    order by project_id, uuid`.execute(db);
}

/** Counted on the row of the id; in a table of their own where it is in a block. */
export async function recordRepeats(on: Sql, repeats: readonly EventId[]): Promise<void> {
  if (repeats.length === 0) return;
  const { db, dialect } = on;
  const repeated = () => dialect.rows({ projectId: 'integer', uuid: 'text' }, repeats);
  await sql`
    update seen_events set repeats = repeats + 1
    where (project_id, uuid) in (select project_id, uuid from ${repeated()} r)`.execute(db);
  const { rows } = await sql<EventId & { repeats: number }>`
    select project_id, uuid, count(*) as repeats from ${repeated()} r
    where not exists (select 1 from seen_events s where s.project_id = r.project_id and s.uuid = r.uuid)
    group by project_id, uuid`.execute(db);
  await addRepeats(on, rows);
}

export async function addRepeats(
  { db, dialect }: Sql,
  repeats: readonly (EventId & { repeats: number })[],
): Promise<void> {
  if (repeats.length === 0) return;
  const columns = { projectId: 'integer', uuid: 'text', repeats: 'integer' } as const;
  await sql`
    insert into event_repeats (project_id, uuid, repeats)
    select project_id, uuid, repeats from ${dialect.rows(columns, repeats)} r where true
    order by project_id, uuid
    on conflict (project_id, uuid) do update set repeats = event_repeats.repeats + excluded.repeats`.execute(db);
}
