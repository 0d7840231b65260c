import type { Migration } from '../migration.ts';

/** Invitations to organizations that have not been accepted yet. */
export const invites: Migration = {
  number: 13,
  name: 'invitations',
  async up(db, { bigIntegerType }) {
    await db.schema
      .createTable('invites')
      .addColumn('id', 'text', (c) => c.primaryKey())
      .addColumn('organization_id', 'text', (c) => c.notNull())
      .addColumn('email', 'text', (c) => c.notNull())
      .addColumn('first_name', 'text', (c) => c.notNull())
      .addColumn('level', 'integer', (c) => c.notNull())
      .addColumn('token_hash', 'text', (c) => c.notNull())
      .addColumn('created_by', bigIntegerType)
      .addColumn('created_at', bigIntegerType, (c) => c.notNull())
      .addColumn('expires_at', bigIntegerType, (c) => c.notNull())
      .addUniqueConstraint('invites_email', ['organization_id', 'email'])
      .execute();
  },
};
