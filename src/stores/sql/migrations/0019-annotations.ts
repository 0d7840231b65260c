import type { Migration } from '../migration.ts';

/** Notes on charts: what happened when. */
export const annotations: Migration = {
  number: 19,
  name: 'annotations',
  async up(db, dialect) {
    const { bigIntegerType } = dialect;
    await db.schema
      .createTable('annotations')
      .addColumn('id', dialect.autoIncrementType, (c) => dialect.autoIncrement(c))
      .addColumn('organization_id', 'text', (c) => c.notNull())
      .addColumn('project_id', bigIntegerType, (c) => c.notNull())
      .addColumn('scope', 'text', (c) => c.notNull())
      .addColumn('insight_id', bigIntegerType)
      .addColumn('dashboard_id', bigIntegerType)
      .addColumn('content', 'text', (c) => c.notNull())
      .addColumn('date_marker', bigIntegerType, (c) => c.notNull())
      .addColumn('creation_type', 'text', (c) => c.notNull())
      .addColumn('deleted', 'integer', (c) => c.notNull())
      .addColumn('created_at', bigIntegerType, (c) => c.notNull())
      .addColumn('created_by', bigIntegerType)
      .addColumn('updated_at', bigIntegerType, (c) => c.notNull())
      .execute();
    await db.schema
      .createIndex('annotations_of_organization')
      .on('annotations')
      .columns(['organization_id', 'date_marker'])
      .execute();
  },
};
