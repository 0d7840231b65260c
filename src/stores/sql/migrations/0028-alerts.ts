import type { Migration } from '../migration.ts';

/** Alerts with what each look found, and the messages that are to be delivered. */
export const alerts: Migration = {
  number: 28,
  name: 'alerts and deliveries',
  async up(db, dialect) {
    const { bigIntegerType } = dialect;
    await db.schema
      .createTable('alerts')
      .addColumn('id', 'text', (c) => c.primaryKey())
      .addColumn('project_id', bigIntegerType, (c) => c.notNull())
      .addColumn('insight_id', bigIntegerType)
      .addColumn('name', 'text', (c) => c.notNull())
      .addColumn('enabled', 'integer', (c) => c.notNull())
      .addColumn('definition', 'text', (c) => c.notNull())
      .addColumn('subscribed_users', 'text', (c) => c.notNull())
      .addColumn('targets', 'text', (c) => c.notNull())
      .addColumn('snoozed_until', bigIntegerType)
      .addColumn('state', 'text', (c) => c.notNull())
      .addColumn('progress', 'text', (c) => c.notNull())
      .addColumn('next_slot', bigIntegerType, (c) => c.notNull())
      .addColumn('next_check_at', bigIntegerType, (c) => c.notNull())
      .addColumn('last_checked_at', bigIntegerType)
      .addColumn('last_notified_at', bigIntegerType)
      .addColumn('revision', 'integer', (c) => c.notNull())
      .addColumn('created_at', bigIntegerType, (c) => c.notNull())
      .addColumn('created_by', bigIntegerType)
      .addColumn('updated_at', bigIntegerType, (c) => c.notNull())
      .execute();
    await db.schema.createIndex('alerts_due').on('alerts').columns(['enabled', 'next_check_at']).execute();
    await db.schema.createIndex('alerts_of_project').on('alerts').column('project_id').execute();
    await db.schema
      .createTable('alert_checks')
      .addColumn('id', dialect.autoIncrementType, (c) => dialect.autoIncrement(c))
      .addColumn('project_id', bigIntegerType, (c) => c.notNull())
      .addColumn('alert_id', 'text', (c) => c.notNull())
      .addColumn('slot', bigIntegerType, (c) => c.notNull())
      .addColumn('details', 'text', (c) => c.notNull())
      .addColumn('created_at', bigIntegerType, (c) => c.notNull())
      .addUniqueConstraint('alert_checks_slot', ['alert_id', 'slot'])
      .execute();
    await db.schema.createIndex('alert_checks_age').on('alert_checks').column('created_at').execute();
    await db.schema
      .createTable('deliveries')
      .addColumn('id', dialect.autoIncrementType, (c) => dialect.autoIncrement(c))
      .addColumn('project_id', bigIntegerType, (c) => c.notNull())
      .addColumn('key', 'text', (c) => c.notNull().unique())
      .addColumn('kind', 'text', (c) => c.notNull())
      .addColumn('subject_id', 'text', (c) => c.notNull())
      .addColumn('slot', bigIntegerType, (c) => c.notNull())
      .addColumn('target', 'text', (c) => c.notNull())
      .addColumn('target_hash', 'text', (c) => c.notNull())
      .addColumn('message', 'text', (c) => c.notNull())
      .addColumn('owner_id', bigIntegerType)
      .addColumn('state', 'text', (c) => c.notNull())
      .addColumn('attempts', 'text', (c) => c.notNull())
      .addColumn('attempt', 'integer', (c) => c.notNull())
      .addColumn('due_at', bigIntegerType, (c) => c.notNull())
      .addColumn('created_at', bigIntegerType, (c) => c.notNull())
      .execute();
    await db.schema.createIndex('deliveries_due').on('deliveries').columns(['state', 'due_at']).execute();
    await db.schema.createIndex('deliveries_of_project').on('deliveries').columns(['project_id', 'id']).execute();
    await db.schema
      .createTable('paused_targets')
      .addColumn('project_id', bigIntegerType, (c) => c.notNull())
      .addColumn('target_hash', 'text', (c) => c.notNull())
      .addColumn('reason', 'text', (c) => c.notNull())
      .addColumn('paused_at', bigIntegerType, (c) => c.notNull())
      .addPrimaryKeyConstraint('paused_targets_key', ['project_id', 'target_hash'])
      .execute();
  },
};
