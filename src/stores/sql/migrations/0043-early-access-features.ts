import type { Migration } from '../migration.ts';

/** Features that persons can opt in to before they are released. */
export const earlyAccessFeatures: Migration = {
  number: 43,
  name: 'early-access-features',
  async up(db, { bigIntegerType }) {
    await db.schema
      .createTable('early_access_features')
      .addColumn('id', 'text', (c) => c.primaryKey())
      .addColumn('project_id', bigIntegerType, (c) => c.notNull())
      .addColumn('flag_id', bigIntegerType, (c) => c.notNull())
      .addColumn('name', 'text', (c) => c.notNull())
      .addColumn('description', 'text', (c) => c.notNull())
      .addColumn('stage', 'text', (c) => c.notNull())
      .addColumn('documentation_url', 'text', (c) => c.notNull())
      .addColumn('payload', 'text', (c) => c.notNull())
      .addColumn('created_by', bigIntegerType)
      .addColumn('created_at', bigIntegerType, (c) => c.notNull())
      .addColumn('updated_at', bigIntegerType, (c) => c.notNull())
      .addUniqueConstraint('one_early_access_feature_a_flag', ['project_id', 'flag_id'])
      .execute();
  },
};
