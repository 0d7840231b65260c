import { sql } from 'kysely';
import type { Migration } from '../migration.ts';

/** Sign-in by an OpenID Connect provider: linked subjects, domains of organizations, and what groups gave to members. */
export const singleSignOn: Migration = {
  number: 27,
  name: 'single sign-on',
  async up(db, { bigIntegerType }) {
    await db.schema
      .createTable('sso_identities')
      .addColumn('issuer', 'text', (c) => c.notNull())
      .addColumn('subject', 'text', (c) => c.notNull())
      .addColumn('user_id', bigIntegerType, (c) => c.notNull())
      .addColumn('created_at', bigIntegerType, (c) => c.notNull())
      .addPrimaryKeyConstraint('sso_identities_pk', ['issuer', 'subject'])
      .execute();
    await db.schema
      .createIndex('sso_identities_of_user')
      .on('sso_identities')
      .columns(['user_id', 'issuer'])
      .unique()
      .execute();
    await db.schema
      .createTable('organization_domains')
      .addColumn('id', 'text', (c) => c.primaryKey())
      .addColumn('organization_id', 'text', (c) => c.notNull())
      .addColumn('domain', 'text', (c) => c.notNull())
      .addColumn('challenge', 'text', (c) => c.notNull())
      .addColumn('verified_at', bigIntegerType)
      .addColumn('auto_join', 'integer', (c) => c.notNull().defaultTo(0))
      .addColumn('enforced', 'integer', (c) => c.notNull().defaultTo(0))
      .addColumn('created_at', bigIntegerType, (c) => c.notNull())
      .execute();
    await db.schema
      .createIndex('organization_domains_of_organization')
      .on('organization_domains')
      .columns(['organization_id', 'domain'])
      .unique()
      .execute();
    await db.schema.createIndex('organization_domains_by_name').on('organization_domains').column('domain').execute();
    await db.schema.alterTable('users').addColumn('last_signed_in_at', bigIntegerType).execute();
    await db.schema
      .alterTable('users')
      .addColumn('is_break_glass', 'integer', (c) => c.notNull().defaultTo(0))
      .execute();
    await db.schema.alterTable('sessions').addColumn('sid', 'text').execute();
    await db.schema.alterTable('sessions').addColumn('id_token', 'text').execute();
    await db.schema.alterTable('memberships').addColumn('own_level', 'integer').execute();
    await sql`update memberships set own_level = level`.execute(db);
    await db.schema
      .alterTable('role_memberships')
      .addColumn('source', 'text', (c) => c.notNull().defaultTo('manual'))
      .execute();
  },
};
