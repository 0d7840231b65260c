import { sql } from 'kysely';
import type { MirrorBatch, MirrorPosition } from '../events/person-mirror.ts';
import type { Sql } from './tables.ts';

/** The number of a change, to be written with the changed persons in the same transaction. */
export const nextPersonChange = ({ db, dialect }: Sql): Promise<number> => dialect.nextChange(db);

/** All changes up to this number are committed. */
export const lastSettledChange = ({ db, dialect }: Sql): Promise<number> => dialect.settledChange(db);

/** Deletes a person's row and records it for the person index (`person-index.ts`). */
export async function deletePersonRow({ db }: Sql, uuid: string): Promise<number> {
  await sql`insert into gone_persons (project_id, person_id)
    select project_id, id from persons where uuid = ${uuid} on conflict do nothing`.execute(db);
  const { numDeletedRows } = await db.deleteFrom('persons').where('uuid', '=', uuid).executeTakeFirst();
  return Number(numDeletedRows);
}

export async function listChangedPersons(
  on: Sql,
  projectId: number,
  after: MirrorPosition,
  limit: number,
): Promise<MirrorBatch> {
  const { db } = on;
  const last = await lastSettledChange(on);
  const removed = await db
    .selectFrom('retiredPersonUuids')
    .select('uuid')
    .where('projectId', '=', projectId)
    .where('change', '>', after.change)
    .where('change', '<=', last)
    .execute();
  const persons = await db
    .selectFrom('persons')
    .select(['id', 'uuid', 'createdAt', 'properties', 'change'])
    .where('projectId', '=', projectId)
    .where(sql<boolean>`(change, id) > (${after.change}, ${after.id})`)
    .where('change', '<=', last)
    .orderBy('change')
    .orderBy('id')
    .limit(limit)
    .execute();
  const end = persons.length === limit ? persons.at(-1) : undefined;
  return {
    projectId,
    removed: removed.map(({ uuid }) => uuid),
    persons: persons.map(({ uuid, createdAt, properties }) => ({ uuid, createdAt: Number(createdAt), properties })),
    position: end ? { change: Number(end.change), id: Number(end.id) } : { change: last, id: END },
  };
}

/** Above every person's id. */
const END = Number.MAX_SAFE_INTEGER;
