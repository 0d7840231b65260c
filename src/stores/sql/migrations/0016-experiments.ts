import type { Migration } from '../migration.ts';

/** Experiments of a project; what they measure is JSON, as the API has it. */
export const experiments: Migration = {
  number: 16,
  name: 'experiments',
  async up(db, dialect) {
    const { bigIntegerType } = dialect;
    await db.schema
      .createTable('experiments')
      .addColumn('id', dialect.autoIncrementType, (c) => dialect.autoIncrement(c))
      .addColumn('project_id', bigIntegerType, (c) => c.notNull())
      .addColumn('flag_id', bigIntegerType, (c) => c.notNull())
      .addColumn('name', 'text', (c) => c.notNull())
      .addColumn('description', 'text', (c) => c.notNull())
      .addColumn('settings', 'text', (c) => c.notNull())
      .addColumn('start_date', bigIntegerType)
      .addColumn('end_date', bigIntegerType)
      .addColumn('archived', 'integer', (c) => c.notNull())
      .addColumn('deleted', 'integer', (c) => c.notNull())
      .addColumn('created_at', bigIntegerType, (c) => c.notNull())
      .addColumn('created_by', bigIntegerType)
      .addColumn('updated_at', bigIntegerType, (c) => c.notNull())
      .execute();
    await db.schema.createIndex('experiments_of_project').on('experiments').column('project_id').execute();
  },
};
