import type { Migration } from '../migration.ts';

/** Changes that are made by themselves, once or again and again. */
export const scheduledChanges: Migration = {
  number: 24,
  name: 'scheduled changes',
  async up(db, dialect) {
    const { bigIntegerType } = dialect;
    await db.schema
      .createTable('scheduled_changes')
      .addColumn('id', dialect.autoIncrementType, (c) => dialect.autoIncrement(c))
      .addColumn('project_id', bigIntegerType, (c) => c.notNull())
      .addColumn('flag_id', bigIntegerType, (c) => c.notNull())
      .addColumn('payload', 'text', (c) => c.notNull())
      .addColumn('scheduled_at', bigIntegerType, (c) => c.notNull())
      .addColumn('starts_at', bigIntegerType, (c) => c.notNull())
      .addColumn('executed_at', bigIntegerType)
      .addColumn('failure_reason', 'text')
      .addColumn('recurrence', 'text')
      .addColumn('cron', 'text')
      .addColumn('is_paused', 'integer', (c) => c.notNull())
      .addColumn('end_date', bigIntegerType)
      .addColumn('timezone', 'text', (c) => c.notNull())
      .addColumn('step', 'integer', (c) => c.notNull())
      .addColumn('last_executed_at', bigIntegerType)
      .addColumn('created_at', bigIntegerType, (c) => c.notNull())
      .addColumn('created_by', bigIntegerType)
      .addColumn('updated_at', bigIntegerType, (c) => c.notNull())
      .execute();
    await db.schema
      .createIndex('scheduled_changes_due')
      .on('scheduled_changes')
      .columns(['executed_at', 'scheduled_at'])
      .execute();
  },
};
