import { type Kysely, sql } from 'kysely';
import type { Migration } from '../migration.ts';

/** Numbers changes and removals of persons, so that the event store can copy what is new. */
export const personChanges: Migration = {
  number: 7,
  name: 'numbers of the changes of persons',
  async up(db, { name, bigIntegerType }) {
    await (name === 'sqlite' ? addCounter(db) : addSequence(db));
    for (const table of ['persons', 'retired_person_uuids']) {
      await db.schema
        .alterTable(table)
        .addColumn('change', bigIntegerType, (c) => c.notNull().defaultTo(0))
        .execute();
    }
    await db.schema.createIndex('persons_by_change').on('persons').columns(['project_id', 'change', 'id']).execute();
    await db.schema
      .createIndex('retired_by_change')
      .on('retired_person_uuids')
      .columns(['project_id', 'change'])
      .execute();
  },
};

async function addCounter(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('person_change')
    .addColumn('change', 'integer', (c) => c.notNull())
    .execute();
  await sql`insert into person_change (change) values (0)`.execute(db);
}

/** A sequence does not block. 0 is used here, so that its last value is always a used one. */
async function addSequence(db: Kysely<unknown>): Promise<void> {
  await sql`create sequence person_changes minvalue 0 start 0`.execute(db);
  await sql`select nextval('person_changes')`.execute(db);
}
