import type { OutboxStore } from '../ingest/outbox.ts';
import type { Sql } from './tables.ts';

export function outboxStore({ db }: Sql): OutboxStore {
  return {
    async listProjects() {
      const rows = await db.selectFrom('webhookOutbox').select('projectId').distinct().where('count', '>', 0).execute();
      return rows.map((row) => Number(row.projectId));
    },
    async listByProject(projectId) {
      const rows = await db
        .selectFrom('webhookOutbox')
        .select(['event', 'count', 'personUuid', 'happenedAt', 'waitingSince'])
        .where('projectId', '=', projectId)
        .where('count', '>', 0)
        .orderBy('waitingSince')
        .orderBy('event')
        .execute();
      return rows.map((row) => ({
        ...row,
        count: Number(row.count),
        happenedAt: Number(row.happenedAt),
        waitingSince: Number(row.waitingSince),
      }));
    },
    async markSent(projectId, sent, now) {
      for (const { event, count, waitingSince } of sent) {
        const row = { projectId, event };
        // Subtracts, because the processor may have added to the row. A row that was deleted and created again
        // meanwhile has another `waitingSince` and is left alone.
        await db
          .updateTable('webhookOutbox')
          .set((eb) => ({ count: eb('count', '-', count), waitingSince: now }))
          .where((eb) => eb.and(row))
          .where('waitingSince', '=', waitingSince)
          .execute();
        await db
          .deleteFrom('webhookOutbox')
          .where((eb) => eb.and(row))
          .where('count', '<=', 0)
          .execute();
      }
    },
    async delete(projectId, event) {
      await db
        .deleteFrom('webhookOutbox')
        .where('projectId', '=', projectId)
        .$if(event !== undefined, (q) => q.where('event', '=', event ?? ''))
        .execute();
    },
  };
}
