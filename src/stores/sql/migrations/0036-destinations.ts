import type { Migration } from '../migration.ts';

/** Webhooks of events: where they go, and the events that wait to be sent. */
export const destinations: Migration = {
  number: 36,
  name: 'event destinations',
  async up(db, { bigIntegerType, bytesType, autoIncrementType, autoIncrement }) {
    await db.schema
      .createTable('destinations')
      .addColumn('id', 'text', (c) => c.primaryKey())
      .addColumn('project_id', bigIntegerType, (c) => c.notNull())
      .addColumn('name', 'text', (c) => c.notNull())
      .addColumn('description', 'text', (c) => c.notNull())
      .addColumn('enabled', 'integer', (c) => c.notNull())
      .addColumn('filters', 'text', (c) => c.notNull())
      .addColumn('inputs', 'text', (c) => c.notNull())
      .addColumn('masking', 'text')
      .addColumn('execution_order', 'integer')
      .addColumn('secret', 'text', (c) => c.notNull())
      .addColumn('previous_secret', 'text')
      .addColumn('rolled_at', bigIntegerType)
      .addColumn('failing_since', bigIntegerType)
      .addColumn('failures', 'integer', (c) => c.notNull())
      .addColumn('retry_at', bigIntegerType)
      .addColumn('last_error', 'text')
      .addColumn('paused_at', bigIntegerType)
      .addColumn('revision', 'integer', (c) => c.notNull())
      .addColumn('created_at', bigIntegerType, (c) => c.notNull())
      .addColumn('created_by', bigIntegerType)
      .addColumn('updated_at', bigIntegerType, (c) => c.notNull())
      .execute();
    await db.schema
      .createIndex('destinations_of_project')
      .on('destinations')
      .columns(['project_id', 'enabled'])
      .execute();
    await db.schema
      .createTable('destination_queue')
      .addColumn('id', autoIncrementType, (c) => autoIncrement(c))
      .addColumn('project_id', bigIntegerType, (c) => c.notNull())
      .addColumn('destination_id', 'text', (c) => c.notNull())
      .addColumn('uuids', bytesType, (c) => c.notNull())
      .addColumn('events', 'integer', (c) => c.notNull())
      .addColumn('first_timestamp', bigIntegerType, (c) => c.notNull())
      .addColumn('last_timestamp', bigIntegerType, (c) => c.notNull())
      .addColumn('received_at', bigIntegerType, (c) => c.notNull())
      .addColumn('waiting_since', bigIntegerType, (c) => c.notNull())
      .execute();
    await db.schema
      .createIndex('destination_queue_order')
      .on('destination_queue')
      .columns(['destination_id', 'id'])
      .execute();
    await db.schema
      .createTable('destination_masks')
      .addColumn('project_id', bigIntegerType, (c) => c.notNull())
      .addColumn('destination_id', 'text', (c) => c.notNull())
      .addColumn('hash', 'text', (c) => c.notNull())
      .addColumn('ends_at', bigIntegerType, (c) => c.notNull())
      .addColumn('events', bigIntegerType, (c) => c.notNull())
      .addPrimaryKeyConstraint('destination_masks_key', ['destination_id', 'hash'])
      .execute();
    await db.schema
      .createTable('destination_log')
      .addColumn('id', autoIncrementType, (c) => autoIncrement(c))
      .addColumn('project_id', bigIntegerType, (c) => c.notNull())
      .addColumn('destination_id', 'text', (c) => c.notNull())
      .addColumn('at', bigIntegerType, (c) => c.notNull())
      .addColumn('state', 'text', (c) => c.notNull())
      .addColumn('event_uuid', 'text')
      .addColumn('event', 'text')
      .addColumn('events', 'integer', (c) => c.notNull())
      .addColumn('status', 'integer')
      .addColumn('ms', 'integer', (c) => c.notNull())
      .addColumn('error', 'text')
      .execute();
    await db.schema
      .createIndex('destination_log_order')
      .on('destination_log')
      .columns(['destination_id', 'id'])
      .execute();
    await db.schema.createIndex('destination_log_age').on('destination_log').column('at').execute();
    await db.schema
      .createTable('destination_counts')
      .addColumn('project_id', bigIntegerType, (c) => c.notNull())
      .addColumn('destination_id', 'text', (c) => c.notNull())
      .addColumn('hour', bigIntegerType, (c) => c.notNull())
      .addColumn('state', 'text', (c) => c.notNull())
      .addColumn('events', bigIntegerType, (c) => c.notNull())
      .addPrimaryKeyConstraint('destination_counts_key', ['destination_id', 'hour', 'state'])
      .execute();
  },
};
