import type { Migration } from '../migration.ts';

/** Links with which people who are not signed in see a dashboard, an insight or the overview of a site. */
export const sharing: Migration = {
  number: 32,
  name: 'shared links',
  async up(db, { bigIntegerType, autoIncrementType, autoIncrement }) {
    await db.schema
      .alterTable('organizations')
      .addColumn('allows_sharing', 'integer', (c) => c.notNull().defaultTo(1))
      .execute();
    await db.schema
      .createTable('shares')
      .addColumn('id', 'text', (c) => c.primaryKey())
      .addColumn('project_id', bigIntegerType, (c) => c.notNull())
      .addColumn('kind', 'text', (c) => c.notNull())
      .addColumn('item_id', bigIntegerType, (c) => c.notNull())
      .addColumn('enabled', 'integer', (c) => c.notNull())
      .addColumn('token', 'text', (c) => c.notNull().unique())
      .addColumn('previous_token', 'text')
      .addColumn('previous_until', bigIntegerType)
      .addColumn('password_required', 'integer', (c) => c.notNull())
      .addColumn('settings', 'text', (c) => c.notNull())
      .addColumn('expires_at', bigIntegerType)
      .addColumn('allowed_origins', 'text', (c) => c.notNull())
      .addColumn('created_at', bigIntegerType, (c) => c.notNull())
      .addColumn('created_by', bigIntegerType)
      .addColumn('updated_at', bigIntegerType, (c) => c.notNull())
      .addUniqueConstraint('shares_item', ['project_id', 'kind', 'item_id'])
      .execute();
    await db.schema.createIndex('shares_previous_token').on('shares').column('previous_token').execute();
    await db.schema
      .createTable('share_passwords')
      .addColumn('id', autoIncrementType, (c) => autoIncrement(c))
      .addColumn('project_id', bigIntegerType, (c) => c.notNull())
      .addColumn('share_id', 'text', (c) => c.notNull())
      .addColumn('hash', 'text', (c) => c.notNull())
      .addColumn('note', 'text')
      .addColumn('created_at', bigIntegerType, (c) => c.notNull())
      .addColumn('created_by', bigIntegerType)
      .execute();
    await db.schema.createIndex('share_passwords_of_share').on('share_passwords').column('share_id').execute();
    await db.schema
      .createTable('share_views')
      .addColumn('project_id', bigIntegerType, (c) => c.notNull())
      .addColumn('share_id', 'text', (c) => c.notNull())
      .addColumn('day', 'text', (c) => c.notNull())
      .addColumn('count', bigIntegerType, (c) => c.notNull())
      .addPrimaryKeyConstraint('share_views_key', ['share_id', 'day'])
      .execute();
  },
};
