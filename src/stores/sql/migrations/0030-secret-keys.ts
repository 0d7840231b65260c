import type { Migration } from '../migration.ts';

/** Named secret keys of projects, beside the one that a project has had. */
export const secretKeys: Migration = {
  number: 30,
  name: 'named secret keys',
  async up(db, { bigIntegerType }) {
    await db.schema
      .createTable('project_secret_keys')
      .addColumn('id', 'text', (c) => c.primaryKey())
      .addColumn('project_id', bigIntegerType, (c) => c.notNull())
      .addColumn('label', 'text', (c) => c.notNull())
      .addColumn('hash', 'text', (c) => c.notNull().unique())
      .addColumn('mask', 'text', (c) => c.notNull())
      .addColumn('created_at', bigIntegerType, (c) => c.notNull())
      .addColumn('created_by', bigIntegerType)
      .addColumn('rolled_at', bigIntegerType)
      .execute();
    await db.schema
      .createIndex('project_secret_keys_of_project')
      .on('project_secret_keys')
      .columns(['project_id', 'created_at'])
      .execute();
  },
};
