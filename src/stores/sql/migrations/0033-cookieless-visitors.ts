import type { Migration } from '../migration.ts';

/** Visitors without cookies, until the salt of their day is destroyed. */
export const cookielessVisitors: Migration = {
  number: 33,
  name: 'cookieless visitors',
  async up(db, { bigIntegerType }) {
    await db.schema
      .createTable('cookieless_visitors')
      .addColumn('project_id', bigIntegerType, (c) => c.notNull())
      .addColumn('base', 'text', (c) => c.notNull())
      .addColumn('expires_at', bigIntegerType, (c) => c.notNull())
      .addColumn('sign_ins', 'integer', (c) => c.notNull())
      .addColumn('signed_in_at', bigIntegerType, (c) => c.notNull())
      .addColumn('sessions', 'text', (c) => c.notNull())
      .addPrimaryKeyConstraint('cookieless_visitors_key', ['project_id', 'base'])
      .execute();
    await db.schema
      .createIndex('cookieless_visitors_by_expiry')
      .on('cookieless_visitors')
      .column('expires_at')
      .execute();
  },
};
