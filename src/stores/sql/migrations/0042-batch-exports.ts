import type { Migration } from '../migration.ts';

/** Scheduled files of events, persons and sessions: what is exported where, its runs and their files. */
export const batchExports: Migration = {
  number: 42,
  name: 'batch exports',
  async up(db, { bigIntegerType, bytesType, autoIncrementType, autoIncrement }) {
    await db.schema
      .createTable('batch_exports')
      .addColumn('id', 'text', (c) => c.primaryKey())
      .addColumn('project_id', bigIntegerType, (c) => c.notNull())
      .addColumn('name', 'text', (c) => c.notNull())
      .addColumn('model', 'text', (c) => c.notNull())
      .addColumn('destination', 'text', (c) => c.notNull())
      .addColumn('interval', 'text', (c) => c.notNull())
      .addColumn('filters', 'text', (c) => c.notNull())
      .addColumn('paused', 'integer', (c) => c.notNull())
      .addColumn('paused_reason', 'text')
      .addColumn('start_at', bigIntegerType)
      .addColumn('end_at', bigIntegerType)
      .addColumn('exported_until', bigIntegerType, (c) => c.notNull())
      .addColumn('person_position', 'text')
      .addColumn('created_at', bigIntegerType, (c) => c.notNull())
      .addColumn('created_by', bigIntegerType)
      .addColumn('updated_at', bigIntegerType, (c) => c.notNull())
      .execute();
    await db.schema.createIndex('batch_exports_of_project').on('batch_exports').column('project_id').execute();
    await db.schema
      .createTable('batch_export_runs')
      .addColumn('id', 'text', (c) => c.primaryKey())
      .addColumn('project_id', bigIntegerType, (c) => c.notNull())
      .addColumn('export_id', 'text', (c) => c.notNull())
      .addColumn('start_at', bigIntegerType, (c) => c.notNull())
      .addColumn('end_at', bigIntegerType, (c) => c.notNull())
      .addColumn('status', 'text', (c) => c.notNull())
      .addColumn('claimed_at', bigIntegerType, (c) => c.notNull())
      .addColumn('attempts', 'integer', (c) => c.notNull())
      .addColumn('failing_since', bigIntegerType)
      .addColumn('retry_at', bigIntegerType)
      .addColumn('error', 'text')
      .addColumn('records', bigIntegerType, (c) => c.notNull())
      .addColumn('bytes', bigIntegerType, (c) => c.notNull())
      .addColumn('earlier_parts', 'integer', (c) => c.notNull())
      .addColumn('from_position', 'text')
      .addColumn('manifest', 'text')
      .addColumn('upload', 'text')
      .addColumn('created_at', bigIntegerType, (c) => c.notNull())
      .addColumn('finished_at', bigIntegerType)
      .addColumn('updated_at', bigIntegerType, (c) => c.notNull())
      .addUniqueConstraint('batch_export_runs_interval', ['export_id', 'start_at'])
      .execute();
    await db.schema
      .createIndex('batch_export_runs_status')
      .on('batch_export_runs')
      .columns(['status', 'export_id'])
      .execute();
    await db.schema
      .createTable('batch_export_parts')
      .addColumn('run_id', 'text', (c) => c.notNull())
      .addColumn('number', 'integer', (c) => c.notNull())
      .addColumn('project_id', bigIntegerType, (c) => c.notNull())
      .addColumn('export_id', 'text', (c) => c.notNull())
      .addColumn('name', 'text', (c) => c.notNull())
      .addColumn('records', bigIntegerType, (c) => c.notNull())
      .addColumn('bytes', bigIntegerType, (c) => c.notNull())
      .addColumn('sha256', 'text', (c) => c.notNull())
      .addColumn('position', 'text', (c) => c.notNull())
      .addPrimaryKeyConstraint('batch_export_parts_key', ['run_id', 'number'])
      .execute();
    await db.schema
      .createTable('batch_export_backfills')
      .addColumn('id', 'text', (c) => c.primaryKey())
      .addColumn('project_id', bigIntegerType, (c) => c.notNull())
      .addColumn('export_id', 'text', (c) => c.notNull())
      .addColumn('start_at', bigIntegerType, (c) => c.notNull())
      .addColumn('end_at', bigIntegerType, (c) => c.notNull())
      .addColumn('next_start', bigIntegerType, (c) => c.notNull())
      .addColumn('created_at', bigIntegerType, (c) => c.notNull())
      .addColumn('created_by', bigIntegerType)
      .addColumn('finished_at', bigIntegerType)
      .execute();
    await db.schema
      .createTable('late_export_events')
      .addColumn('id', autoIncrementType, (c) => autoIncrement(c))
      .addColumn('project_id', bigIntegerType, (c) => c.notNull())
      .addColumn('export_id', 'text', (c) => c.notNull())
      .addColumn('run_id', 'text')
      .addColumn('uuids', bytesType, (c) => c.notNull())
      .addColumn('events', 'integer', (c) => c.notNull())
      .addColumn('first_timestamp', bigIntegerType, (c) => c.notNull())
      .addColumn('last_timestamp', bigIntegerType, (c) => c.notNull())
      .addColumn('first_created', bigIntegerType, (c) => c.notNull())
      .addColumn('last_created', bigIntegerType, (c) => c.notNull())
      .execute();
    await db.schema
      .createIndex('late_export_events_of_run')
      .on('late_export_events')
      .columns(['export_id', 'run_id', 'id'])
      .execute();
    // Files that left are outside of our reach: the proof of a deletion says which they are.
    await db.schema.alterTable('person_deletions').addColumn('exported_in', 'text').execute();
  },
};
