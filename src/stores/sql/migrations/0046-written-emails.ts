import { type Kysely, sql } from 'kysely';
import type { Migration } from '../migration.ts';

/**
 * In SQLite the e-mail of a person becomes a column that we write. A generated one had its two indexes rewritten with
 * every change of a person, whatever changed. PostgreSQL goes on generating it: during an upgrade, nodes of the version
 * before write persons without it.
 */
export const writtenEmails: Migration = {
  number: 46,
  name: 'e-mails of persons are written',
  async up(db, { name }) {
    if (name === 'sqlite') await writeEmails(db);
  },
};

/** The indexes are those of migration 6. A virtual column takes no space, so dropping it rewrites nothing. */
async function writeEmails(db: Kysely<unknown>): Promise<void> {
  for (const index of ['persons_newest', 'persons_by_email']) await db.schema.dropIndex(index).execute();
  await db.schema.alterTable('persons').dropColumn('email').execute();
  await db.schema.alterTable('persons').addColumn('email', 'text').execute();
  await sql`update persons set email = properties -> '$.email' where properties -> '$.email' is not null`.execute(db);
  await db.schema
    .createIndex('persons_newest')
    .on('persons')
    .columns(['project_id', 'created_at desc', 'uuid', 'email'])
    .execute();
  await db.schema.createIndex('persons_by_email').on('persons').columns(['project_id', 'email']).execute();
}
