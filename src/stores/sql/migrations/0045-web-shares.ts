import type { Migration } from '../migration.ts';

/** Links to the overview of a site, each with filters of its own. */
export const webShares: Migration = {
  number: 45,
  name: 'links to parts of a site',
  async up(db, { bigIntegerType, autoIncrementType, autoIncrement }) {
    await db.schema
      .createTable('web_shares')
      .addColumn('id', autoIncrementType, (c) => autoIncrement(c))
      .addColumn('project_id', bigIntegerType, (c) => c.notNull())
      .addColumn('name', 'text', (c) => c.notNull())
      .addColumn('filters', 'text', (c) => c.notNull())
      .addColumn('created_at', bigIntegerType, (c) => c.notNull())
      .addColumn('created_by', bigIntegerType)
      .execute();
    await db.schema.createIndex('web_shares_of_project').on('web_shares').column('project_id').execute();
  },
};
