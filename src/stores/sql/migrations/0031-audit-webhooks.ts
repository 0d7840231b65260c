import type { Migration } from '../migration.ts';

/** Where each organization wants the entries of its audit log to be sent, and up to which entry that was done. */
export const auditWebhooks: Migration = {
  number: 31,
  name: 'audit webhooks',
  async up(db, { bigIntegerType }) {
    await db.schema
      .createTable('audit_webhooks')
      .addColumn('organization_id', 'text', (c) => c.primaryKey())
      .addColumn('url', 'text', (c) => c.notNull())
      .addColumn('secret', 'text', (c) => c.notNull())
      .addColumn('previous_secret', 'text')
      .addColumn('rolled_at', bigIntegerType)
      .addColumn('last_number', bigIntegerType, (c) => c.notNull())
      .addColumn('created_by', bigIntegerType)
      .addColumn('created_at', bigIntegerType, (c) => c.notNull())
      .addColumn('updated_at', bigIntegerType, (c) => c.notNull())
      .execute();
  },
};
