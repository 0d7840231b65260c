import type { Migration } from '../migration.ts';

/** How often flags are evaluated, and the last write of each process. */
export const flagUsage: Migration = {
  number: 29,
  name: 'flag usage',
  async up(db, { bigIntegerType }) {
    await db.schema
      .createTable('flag_usage')
      .addColumn('project_id', bigIntegerType, (c) => c.notNull())
      .addColumn('flag_id', bigIntegerType, (c) => c.notNull())
      .addColumn('width', 'integer', (c) => c.notNull())
      .addColumn('start', bigIntegerType, (c) => c.notNull())
      .addColumn('source', 'text', (c) => c.notNull())
      .addColumn('value', 'text', (c) => c.notNull())
      .addColumn('count', bigIntegerType, (c) => c.notNull())
      .addPrimaryKeyConstraint('flag_usage_pk', ['project_id', 'flag_id', 'width', 'start', 'source', 'value'])
      .execute();
    await db.schema.createIndex('flag_usage_by_age').on('flag_usage').columns(['width', 'start']).execute();
    await db.schema
      .createTable('flag_usage_writes')
      .addColumn('node', 'text', (c) => c.primaryKey())
      .addColumn('sequence', 'integer', (c) => c.notNull())
      .addColumn('written_at', bigIntegerType, (c) => c.notNull())
      .execute();
  },
};
