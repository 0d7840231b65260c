import type { Migration } from '../migration.ts';

/** Policies that ask for approval of changes, the changes that wait for it, and the votes. */
export const approvals: Migration = {
  number: 41,
  name: 'approvals',
  async up(db, { bigIntegerType }) {
    await db.schema
      .createTable('approval_policies')
      .addColumn('id', 'text', (c) => c.primaryKey())
      .addColumn('project_id', bigIntegerType, (c) => c.notNull())
      .addColumn('action_key', 'text', (c) => c.notNull())
      .addColumn('rules', 'text', (c) => c.notNull())
      .addColumn('expires_after_ms', bigIntegerType, (c) => c.notNull())
      .addColumn('enabled', 'integer', (c) => c.notNull())
      .addColumn('created_by', bigIntegerType)
      .addColumn('created_at', bigIntegerType, (c) => c.notNull())
      .addColumn('updated_at', bigIntegerType, (c) => c.notNull())
      .addUniqueConstraint('approval_policies_by_action', ['project_id', 'action_key'])
      .execute();
    await db.schema
      .createTable('change_requests')
      .addColumn('id', 'text', (c) => c.primaryKey())
      .addColumn('project_id', bigIntegerType, (c) => c.notNull())
      .addColumn('kind', 'text', (c) => c.notNull())
      .addColumn('action_key', 'text', (c) => c.notNull())
      .addColumn('flag_id', bigIntegerType)
      .addColumn('flag_key', 'text', (c) => c.notNull())
      .addColumn('intent', 'text', (c) => c.notNull())
      .addColumn('policy', 'text', (c) => c.notNull())
      .addColumn('base_version', bigIntegerType)
      .addColumn('validation_status', 'text', (c) => c.notNull())
      .addColumn('validation_error', 'text')
      .addColumn('validated_at', bigIntegerType, (c) => c.notNull())
      .addColumn('state', 'text', (c) => c.notNull())
      .addColumn('blast_radius', 'text')
      .addColumn('scheduled_at', bigIntegerType)
      .addColumn('expires_at', bigIntegerType, (c) => c.notNull())
      .addColumn('created_by', bigIntegerType)
      .addColumn('created_at', bigIntegerType, (c) => c.notNull())
      .addColumn('updated_at', bigIntegerType, (c) => c.notNull())
      .addColumn('applied_by', bigIntegerType)
      .addColumn('applied_at', bigIntegerType)
      .addColumn('apply_error', 'text')
      .addColumn('result_data', 'text')
      .execute();
    await db.schema
      .createIndex('change_requests_by_flag')
      .on('change_requests')
      .columns(['project_id', 'flag_id', 'state'])
      .execute();
    await db.schema
      .createIndex('change_requests_by_expiry')
      .on('change_requests')
      .columns(['state', 'expires_at'])
      .execute();
    await db.schema
      .createTable('change_request_votes')
      .addColumn('id', 'text', (c) => c.primaryKey())
      .addColumn('project_id', bigIntegerType, (c) => c.notNull())
      .addColumn('request_id', 'text', (c) => c.notNull())
      .addColumn('user_id', bigIntegerType, (c) => c.notNull())
      .addColumn('decision', 'text', (c) => c.notNull())
      .addColumn('reason', 'text', (c) => c.notNull())
      .addColumn('created_at', bigIntegerType, (c) => c.notNull())
      .addUniqueConstraint('one_vote_a_person', ['request_id', 'user_id'])
      .execute();
    await db.schema.alterTable('scheduled_changes').addColumn('change_request_id', 'text').execute();
  },
};
