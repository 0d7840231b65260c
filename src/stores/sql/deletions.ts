import type { Selectable } from 'kysely';
import type { DeletionStore, PersonDeletion } from '../metadata/deletions.ts';
import { paged } from './paging.ts';
import { remainingData } from './remove-person.ts';
import type { Sql, Tables } from './tables.ts';

const numberOrNull = (value: number | null): number | null => (value === null ? null : Number(value));

const toDeletion = (row: Selectable<Tables['personDeletions']>): PersonDeletion => ({
  ...row,
  projectId: Number(row.projectId),
  requestedBy: numberOrNull(row.requestedBy),
  requestedAt: Number(row.requestedAt),
  removed: JSON.parse(row.removed),
  exportedIn: row.exportedIn === null ? null : JSON.parse(row.exportedIn),
  eventsRemoved: numberOrNull(row.eventsRemoved),
  scan: row.scan === null ? null : JSON.parse(row.scan),
  completedAt: numberOrNull(row.completedAt),
});

export function deletionStore(on: Sql): DeletionStore {
  const { db } = on;
  const ofProject = (projectId: number) => db.selectFrom('personDeletions').where('projectId', '=', projectId);
  return {
    async create(deletion) {
      await db
        .insertInto('personDeletions')
        .values({
          ...deletion,
          removed: JSON.stringify(deletion.removed),
          exportedIn: deletion.exportedIn === null ? null : JSON.stringify(deletion.exportedIn),
        })
        .execute();
    },
    async get(projectId, id) {
      const row = await ofProject(projectId).selectAll().where('id', '=', id).executeTakeFirst();
      return row ? toDeletion(row) : null;
    },
    list(projectId, page) {
      const newest = ofProject(projectId).selectAll().orderBy('requestedAt', 'desc').orderBy('id', 'desc');
      return paged(newest, page, toDeletion);
    },
    async listUnfinished() {
      const open = db.selectFrom('personDeletions').selectAll().where('completedAt', 'is', null);
      return (await open.orderBy('requestedAt').orderBy('id').execute()).map(toDeletion);
    },
    async complete(id, scan, completedAt) {
      await db
        .updateTable('personDeletions')
        .set({ scan: JSON.stringify(scan), completedAt })
        .where('id', '=', id)
        .execute();
    },
    countRemainingData: (projectId, personUuid) => remainingData(on, projectId, personUuid),
  };
}
