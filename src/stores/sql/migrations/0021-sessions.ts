import { sql } from 'kysely';
import type { Migration } from '../migration.ts';

/** What sessions are shown with, mailed invitations, links for a new password, and attempts shared by all nodes. */
export const sessionDetails: Migration = {
  number: 21,
  name: 'sessions, password resets, throttles',
  async up(db, { bigIntegerType }) {
    // One statement for each column: SQLite adds one at a time.
    for (const column of ['id', 'address', 'user_agent']) {
      await db.schema
        .alterTable('sessions')
        .addColumn(column, 'text', (c) => c.notNull().defaultTo(''))
        .execute();
    }
    await db.schema
      .alterTable('sessions')
      .addColumn('method', 'text', (c) => c.notNull().defaultTo('password'))
      .execute();
    await db.schema
      .alterTable('sessions')
      .addColumn('last_seen_at', bigIntegerType, (c) => c.notNull().defaultTo(0))
      .execute();
    await sql`update sessions set id = substr(hash, 1, 32), last_seen_at = created_at`.execute(db);
    await db.schema.createIndex('sessions_of_user').on('sessions').column('user_id').execute();
    await db.schema.alterTable('invites').addColumn('message', 'text').execute();
    await db.schema
      .alterTable('invites')
      .addColumn('emailing_attempt_made', 'integer', (c) => c.notNull().defaultTo(0))
      .execute();
    await db.schema
      .createTable('password_resets')
      .addColumn('user_id', bigIntegerType, (c) => c.primaryKey())
      .addColumn('token_hash', 'text', (c) => c.notNull())
      .addColumn('expires_at', bigIntegerType, (c) => c.notNull())
      .execute();
    await db.schema
      .createTable('throttles')
      .addColumn('name', 'text', (c) => c.primaryKey())
      .addColumn('attempts', 'text', (c) => c.notNull())
      .addColumn('expires_at', bigIntegerType, (c) => c.notNull())
      .execute();
  },
};
