import { sql } from 'kysely';
import type { Migration } from '../migrate.ts';

/** Persons who change get the number of the change, and so do those who go: the event store copies what is new to it. */
export const personChanges: Migration = {
  name: 'numbers of the changes of persons',
  async up(db, { bigInteger }) {
    await db.schema
      .createTable('person_change')
      .addColumn('change', bigInteger, (c) => c.notNull())
      .execute();
    await sql`insert into person_change (change) values (0)`.execute(db);
    for (const table of ['persons', 'retired_person_uuids']) {
      await db.schema
        .alterTable(table)
        .addColumn('change', bigInteger, (c) => c.notNull().defaultTo(0))
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
