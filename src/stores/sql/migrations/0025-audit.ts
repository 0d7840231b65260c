import type { Migration } from '../migration.ts';

/** The audit log, and where it begins after data retention has removed its oldest entries. */
export const audit: Migration = {
  number: 25,
  name: 'audit log',
  async up(db, { bigIntegerType }) {
    await db.schema
      .createTable('audit')
      .addColumn('organization_id', 'text', (c) => c.notNull())
      .addColumn('number', bigIntegerType, (c) => c.notNull())
      .addColumn('project_id', bigIntegerType)
      .addColumn('user_id', bigIntegerType)
      .addColumn('activity', 'text', (c) => c.notNull())
      .addColumn('scope', 'text', (c) => c.notNull())
      .addColumn('item_id', 'text', (c) => c.notNull())
      .addColumn('detail', 'text', (c) => c.notNull())
      .addColumn('created_at', bigIntegerType, (c) => c.notNull())
      .addColumn('hash', 'text', (c) => c.notNull())
      .addPrimaryKeyConstraint('audit_pk', ['organization_id', 'number'])
      .execute();
    await db.schema
      .createTable('audit_removed')
      .addColumn('organization_id', 'text', (c) => c.primaryKey())
      .addColumn('number', bigIntegerType, (c) => c.notNull())
      .addColumn('hash', 'text', (c) => c.notNull())
      .execute();
  },
};
