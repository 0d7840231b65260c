import type { Migration } from '../migration.ts';

/** Metrics that several experiments use, and what was found in an experiment, with the time. */
export const experimentFindings: Migration = {
  number: 35,
  name: 'saved metrics and findings of experiments',
  async up(db, dialect) {
    const { bigIntegerType } = dialect;
    await db.schema
      .createTable('experiment_saved_metrics')
      .addColumn('id', dialect.autoIncrementType, (c) => dialect.autoIncrement(c))
      .addColumn('project_id', bigIntegerType, (c) => c.notNull())
      .addColumn('name', 'text', (c) => c.notNull())
      .addColumn('description', 'text', (c) => c.notNull())
      .addColumn('query', 'text', (c) => c.notNull())
      .addColumn('tags', 'text', (c) => c.notNull())
      .addColumn('created_at', bigIntegerType, (c) => c.notNull())
      .addColumn('created_by', bigIntegerType)
      .addColumn('updated_at', bigIntegerType, (c) => c.notNull())
      .execute();
    await db.schema
      .createIndex('experiment_saved_metrics_of_project')
      .on('experiment_saved_metrics')
      .column('project_id')
      .execute();
    await db.schema
      .createTable('experiment_findings')
      .addColumn('project_id', bigIntegerType, (c) => c.notNull())
      .addColumn('experiment_id', bigIntegerType, (c) => c.notNull())
      .addColumn('key', 'text', (c) => c.notNull())
      .addColumn('found_at', bigIntegerType, (c) => c.notNull())
      .addColumn('value', 'text', (c) => c.notNull())
      .addPrimaryKeyConstraint('experiment_findings_key', ['project_id', 'experiment_id', 'key'])
      .execute();
  },
};
