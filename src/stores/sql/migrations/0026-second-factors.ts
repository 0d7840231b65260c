import type { Migration } from '../migration.ts';

/** Authenticator apps, passkeys, recovery codes, and organizations that require one of them. */
export const secondFactors: Migration = {
  number: 26,
  name: 'second factors',
  async up(db, { bigIntegerType }) {
    await db.schema
      .createTable('totp_secrets')
      .addColumn('user_id', bigIntegerType, (c) => c.primaryKey())
      .addColumn('secret', 'text', (c) => c.notNull())
      .addColumn('last_step', bigIntegerType, (c) => c.notNull())
      .addColumn('created_at', bigIntegerType, (c) => c.notNull())
      .addColumn('confirmed_at', bigIntegerType)
      .execute();
    await db.schema
      .createTable('passkeys')
      .addColumn('id', 'text', (c) => c.primaryKey())
      .addColumn('user_id', bigIntegerType, (c) => c.notNull())
      .addColumn('label', 'text', (c) => c.notNull())
      .addColumn('public_key', 'text', (c) => c.notNull())
      .addColumn('counter', bigIntegerType, (c) => c.notNull())
      .addColumn('transports', 'text', (c) => c.notNull())
      .addColumn('created_at', bigIntegerType, (c) => c.notNull())
      .addColumn('last_used_at', bigIntegerType)
      .execute();
    await db.schema.createIndex('passkeys_of_user').on('passkeys').column('user_id').execute();
    await db.schema
      .createTable('recovery_codes')
      .addColumn('user_id', bigIntegerType, (c) => c.notNull())
      .addColumn('hash', 'text', (c) => c.notNull())
      .addPrimaryKeyConstraint('recovery_codes_pk', ['user_id', 'hash'])
      .execute();
    await db.schema
      .createTable('spent_tokens')
      .addColumn('hash', 'text', (c) => c.primaryKey())
      .addColumn('expires_at', bigIntegerType, (c) => c.notNull())
      .execute();
    await db.schema
      .alterTable('organizations')
      .addColumn('requires_factor', 'integer', (c) => c.notNull().defaultTo(0))
      .execute();
    await db.schema
      .alterTable('sessions')
      .addColumn('has_factor', 'integer', (c) => c.notNull().defaultTo(0))
      .execute();
  },
};
