import { sql } from 'kysely';
import type { MergedPersons, RemovedCounts } from '../metadata/person-identities.ts';
import type { StoredPerson } from '../metadata/persons.ts';
import { deletePersonRow, nextPersonChange } from './person-change.ts';
import type { Sql, Tables } from './tables.ts';

/** Deletes the records of a person and of everyone merged into it. */
export async function deletePersonData(on: Sql, person: StoredPerson, merged: MergedPersons): Promise<RemovedCounts> {
  const { db, dialect } = on;
  const { id, projectId, uuid } = person;
  const uuids = () =>
    sql<string>`(select uuid from ${dialect.rows(
      { uuid: 'text' },
      merged.uuids.map((each) => ({ uuid: each })),
    )} f)`;
  const ids = await db.deleteFrom('personDistinctIds').where('personId', '=', id).executeTakeFirst();
  const history = await db
    .deleteFrom('personPropertyHistory')
    .where('projectId', '=', projectId)
    .where('personUuid', 'in', uuids())
    .executeTakeFirst();
  const merges = await db
    .deleteFrom('personMerges')
    .where('projectId', '=', projectId)
    .where((eb) => eb.or([eb('sourceUuid', 'in', uuids()), eb('targetUuid', 'in', uuids())]))
    .executeTakeFirst();
  await db.deleteFrom('cohortMembers').where('personId', '=', id).execute();
  await db.deleteFrom('flagOverrides').where('personId', '=', id).execute();
  const persons = await deletePersonRow(on, uuid);
  const change = await nextPersonChange(on);
  await db
    .insertInto('retiredPersonUuids')
    .values({ uuid, projectId, change })
    .onConflict((conflict) => conflict.column('uuid').doUpdateSet({ change }))
    .execute();
  return {
    persons,
    distinctIds: Number(ids.numDeletedRows),
    propertyHistory: Number(history.numDeletedRows),
    merges: Number(merges.numDeletedRows),
  };
}

/** Tables with a person's uuid. */
const PERSON_TABLES = [
  ['persons', 'uuid'],
  ['personPropertyHistory', 'personUuid'],
  ['personMerges', 'sourceUuid'],
  ['personMerges', 'targetUuid'],
  ['personRefilings', 'personUuid'],
] as const satisfies readonly (readonly [keyof Tables, string])[];

export async function remainingData({ db }: Sql, projectId: number, personUuid: string): Promise<number> {
  let left = 0;
  for (const [table, column] of PERSON_TABLES) {
    const found = await sql<{ count: number }>`
      select count(*) as count from ${sql.table(table)}
      where project_id = ${projectId} and ${sql.ref(column)} = ${personUuid}`.execute(db);
    left += Number(found.rows[0]?.count ?? 0);
  }
  return left;
}
