import { sql } from 'kysely';
import type { EventId } from '../ingest/ingest-store.ts';
import type { RecoveryStore } from '../metadata/recovery.ts';
import { readCounts, readLogProgress, writeLogProgress } from './ingest/ingest-store.ts';
import { forgetSeen, latestProcessedAt, listProcessed } from './seen/manage-seen.ts';
import type { Sql } from './tables.ts';

export function recoveryStore(on: Sql): RecoveryStore {
  const { db, dialect } = on;
  return {
    getProgress: async () => ({ progress: await readLogProgress(on), counts: await readCounts(on) }),
    async setProgress({ progress, counts }) {
      await writeLogProgress(on, progress);
      await db.deleteFrom('eventCounters').execute();
      const rows = Object.entries(counts).map(([fate, count]) => ({ fate, count }));
      if (rows.length > 0) await db.insertInto('eventCounters').values(rows).execute();
    },
    async countLost(events) {
      await sql`insert into event_counters (fate, count) values ('stored', ${-events}), ('lost', ${events})
        on conflict (fate) do update set count = event_counters.count + excluded.count`.execute(db);
    },
    latestProcessedAt: () => latestProcessedAt(on),
    listSeen: (processed, limit) => listProcessed(on, processed, limit),
    async forgetSeen(events: readonly EventId[]) {
      if (events.length === 0) return;
      await forgetSeen(on, events);
      await sql`delete from dead_letters where (project_id, event_uuid) in
        (select project_id, uuid from ${dialect.rows({ projectId: 'integer', uuid: 'text' }, events)} r)`.execute(db);
    },
    async listOverrides() {
      const rows = await db
        .selectFrom('personMerges')
        .select(['projectId', 'sourceUuid', 'targetUuid'])
        .where('undoneAt', 'is', null)
        .orderBy('id')
        .execute();
      return rows.map(({ projectId, sourceUuid: from, targetUuid: to }) => ({
        projectId: Number(projectId),
        from,
        to,
      }));
    },
    async repeatDeletions() {
      await sql`insert into person_refilings (project_id, person_uuid, kind, ids)
        select project_id, person_uuid, 'remove', '[]' from person_deletions
        where events_removed is not null
        order by requested_at, id`.execute(db);
    },
  };
}
