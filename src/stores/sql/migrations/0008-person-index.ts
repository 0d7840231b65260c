import { type Kysely, sql } from 'kysely';
import type { SqlDialect } from '../dialect.ts';
import type { Migration } from '../migration.ts';

/** The person index: columns of persons in blocks, written in the background. */
export const personIndex: Migration = {
  number: 8,
  name: 'persons by columns',
  async up(db, dialect) {
    const { bigIntegerType, bytesType } = dialect;
    await addBlocks(db, dialect);
    await db.schema
      .createTable('person_columns')
      .addColumn('project_id', bigIntegerType, (c) => c.notNull())
      .addColumn('name', 'text', (c) => c.notNull())
      .addColumn('block_id', bigIntegerType, (c) => c.notNull())
      .addColumn('distinct_values', 'text', (c) => c.notNull())
      .addColumn('owners', bytesType)
      .addColumn('places', bytesType, (c) => c.notNull())
      .execute();
    // PostgreSQL does not index names of any length; there, all columns of a block are read.
    if (dialect.name === 'sqlite') {
      await db.schema
        .createIndex('person_columns_by_name')
        .on('person_columns')
        .columns(['project_id', 'name', 'block_id'])
        .unique()
        .execute();
    }
    await db.schema.createIndex('person_columns_by_block').on('person_columns').column('block_id').execute();
    await addPlaces(db, dialect);
  },
};

async function addBlocks(
  db: Kysely<unknown>,
  { bigIntegerType, bytesType, autoIncrementType, autoIncrement }: SqlDialect,
): Promise<void> {
  await db.schema
    .createTable('person_blocks')
    .addColumn('id', autoIncrementType, autoIncrement)
    .addColumn('project_id', bigIntegerType, (c) => c.notNull())
    .addColumn('persons', 'integer', (c) => c.notNull())
    .addColumn('living', 'integer', (c) => c.notNull())
    .addColumn('newest', bigIntegerType, (c) => c.notNull())
    .addColumn('oldest', bigIntegerType, (c) => c.notNull())
    .addColumn('lives', bytesType, (c) => c.notNull())
    .addColumn('ids', bytesType, (c) => c.notNull())
    .addColumn('times', bytesType, (c) => c.notNull())
    .addColumn('uuids', 'text', (c) => c.notNull())
    .execute();
  await db.schema
    .createIndex('person_blocks_of_project')
    .on('person_blocks')
    .columns(['project_id', 'newest'])
    .execute();
}

/** The block of each person, deleted persons that are still in a block, and the last indexed change. */
async function addPlaces(db: Kysely<unknown>, { bigIntegerType, name }: SqlDialect): Promise<void> {
  await db.schema
    .createTable('person_places')
    .addColumn('project_id', bigIntegerType, (c) => c.notNull())
    .addColumn('person_id', bigIntegerType, (c) => c.notNull())
    .addColumn('block_id', bigIntegerType, (c) => c.notNull())
    .addColumn('place', 'integer', (c) => c.notNull())
    .addPrimaryKeyConstraint('person_places_key', ['project_id', 'person_id'])
    .$call((table) => (name === 'sqlite' ? table.modifyEnd(sql`without rowid`) : table))
    .execute();
  await db.schema
    .createTable('gone_persons')
    .addColumn('project_id', bigIntegerType, (c) => c.notNull())
    .addColumn('person_id', bigIntegerType, (c) => c.notNull())
    .addPrimaryKeyConstraint('gone_persons_key', ['project_id', 'person_id'])
    .$call((table) => (name === 'sqlite' ? table.modifyEnd(sql`without rowid`) : table))
    .execute();
  await db.schema
    .createTable('person_index_positions')
    .addColumn('project_id', bigIntegerType, (c) => c.primaryKey())
    .addColumn('change', bigIntegerType, (c) => c.notNull())
    .addColumn('person_id', bigIntegerType, (c) => c.notNull())
    .execute();
}
