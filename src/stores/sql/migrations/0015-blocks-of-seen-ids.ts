import { sql } from 'kysely';
import type { Migration } from '../migration.ts';

/** Ids of events in blocks of thousands, and how often those were repeated (decision 44). Rows are moved there later. */
export const blocksOfSeenIds: Migration = {
  number: 15,
  name: 'blocks of seen ids',
  async up(db, dialect) {
    const { bigIntegerType, bytesType } = dialect;
    await db.schema
      .createTable('seen_blocks')
      .addColumn('id', dialect.autoIncrementType, dialect.autoIncrement)
      .addColumn('project_id', bigIntegerType, (c) => c.notNull())
      .addColumn('level', 'integer', (c) => c.notNull())
      .addColumn('first_uuid', 'text', (c) => c.notNull())
      .addColumn('last_uuid', 'text', (c) => c.notNull())
      .addColumn('events', 'integer', (c) => c.notNull())
      .addColumn('processed_from', bigIntegerType, (c) => c.notNull())
      .addColumn('processed_to', bigIntegerType, (c) => c.notNull())
      .execute();
    await db.schema
      .createIndex('seen_blocks_of_project')
      .on('seen_blocks')
      .columns(['project_id', 'first_uuid', 'last_uuid'])
      .execute();
    await db.schema
      .createTable('seen_block_ids')
      .addColumn('block_id', bigIntegerType, (c) => c.primaryKey())
      .addColumn('project_id', bigIntegerType, (c) => c.notNull())
      .addColumn('filter', bytesType, (c) => c.notNull())
      .addColumn('ids', bytesType, (c) => c.notNull())
      .execute();
    await db.schema
      .createTable('event_repeats')
      .addColumn('project_id', bigIntegerType, (c) => c.notNull())
      .addColumn('uuid', 'text', (c) => c.notNull())
      .addColumn('repeats', 'integer', (c) => c.notNull())
      .addPrimaryKeyConstraint('event_repeats_pk', ['project_id', 'uuid'])
      .$call((table) => (dialect.name === 'sqlite' ? table.modifyEnd(sql`without rowid`) : table))
      .execute();
    // They do not compress.
    if (dialect.name === 'postgres') {
      await sql`alter table seen_block_ids alter filter set storage external, alter ids set storage external`.execute(
        db,
      );
    }
  },
};
