import type { Migration } from '../migration.ts';

/** Dashboards and insights that are sent on a schedule. */
export const subscriptions: Migration = {
  number: 40,
  name: 'subscriptions',
  async up(db, dialect) {
    const { bigIntegerType } = dialect;
    await db.schema
      .createTable('subscriptions')
      .addColumn('id', dialect.autoIncrementType, (c) => dialect.autoIncrement(c))
      .addColumn('project_id', bigIntegerType, (c) => c.notNull())
      .addColumn('dashboard_id', bigIntegerType)
      .addColumn('insight_id', bigIntegerType)
      .addColumn('title', 'text', (c) => c.notNull())
      .addColumn('target', 'text', (c) => c.notNull())
      .addColumn('external_recipients', 'integer', (c) => c.notNull())
      .addColumn('invite_message', 'text')
      .addColumn('recurrence', 'text', (c) => c.notNull())
      .addColumn('enabled', 'integer', (c) => c.notNull())
      .addColumn('paused_reason', 'text')
      .addColumn('deleted', 'integer', (c) => c.notNull())
      .addColumn('next_slot', bigIntegerType)
      .addColumn('last_slot', bigIntegerType)
      .addColumn('revision', 'integer', (c) => c.notNull())
      .addColumn('created_at', bigIntegerType, (c) => c.notNull())
      .addColumn('created_by', bigIntegerType)
      .addColumn('updated_at', bigIntegerType, (c) => c.notNull())
      .execute();
    await db.schema.createIndex('subscriptions_due').on('subscriptions').columns(['enabled', 'next_slot']).execute();
    await db.schema.createIndex('subscriptions_of_project').on('subscriptions').column('project_id').execute();
  },
};
