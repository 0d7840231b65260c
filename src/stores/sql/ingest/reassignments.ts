import { sql } from 'kysely';
import type { DistinctIdMove, Reassigned, Reassignment } from '../../events/reassignment.ts';
import type { Sql } from '../tables.ts';

/** Oldest first. */
export async function pendingReassignments({ db }: Sql): Promise<Reassignment[]> {
  const rows = await db.selectFrom('personRefilings').selectAll().orderBy('id').execute();
  return rows.map(({ id, projectId, personUuid, kind, ids }) => {
    const order = { id: Number(id), projectId: Number(projectId), personId: personUuid };
    return kind === 'move'
      ? { ...order, kind, moves: JSON.parse(ids) as DistinctIdMove[] }
      : { ...order, kind, distinctIds: JSON.parse(ids) as string[] };
  });
}

/** Updates the deletion before the row is deleted. */
export async function completeReassignments({ db }: Sql, done: readonly Reassigned[]): Promise<void> {
  for (const { id, events } of done) {
    await sql`
      update person_deletions set events_removed = ${events}
      where id = (select deletion_id from person_refilings where id = ${id})`.execute(db);
    await db.deleteFrom('personRefilings').where('id', '=', id).execute();
  }
}
