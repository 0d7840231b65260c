import type { Migration } from '../migration.ts';

/** People who are kept out of experiments. */
export const holdouts: Migration = {
  number: 20,
  name: 'holdouts of experiments',
  async up(db, dialect) {
    const { bigIntegerType } = dialect;
    await db.schema
      .createTable('experiment_holdouts')
      .addColumn('id', dialect.autoIncrementType, (c) => dialect.autoIncrement(c))
      .addColumn('project_id', bigIntegerType, (c) => c.notNull())
      .addColumn('name', 'text', (c) => c.notNull())
      .addColumn('description', 'text', (c) => c.notNull())
      .addColumn('filters', 'text', (c) => c.notNull())
      .addColumn('created_at', bigIntegerType, (c) => c.notNull())
      .addColumn('created_by', bigIntegerType)
      .addColumn('updated_at', bigIntegerType, (c) => c.notNull())
      .execute();
    await db.schema
      .createIndex('experiment_holdouts_of_project')
      .on('experiment_holdouts')
      .column('project_id')
      .execute();
  },
};
