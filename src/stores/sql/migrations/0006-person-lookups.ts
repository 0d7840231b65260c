import { type Kysely, sql } from 'kysely';
import type { SqlDialect } from '../dialect.ts';
import type { Migration } from '../migration.ts';
import { readableJsonSql } from '../postgres-dialect.ts';

/**
 * Indexes to find persons by e-mail and to scan the list without reading the persons: 0.2 µs instead of 2 µs each. They
 * cost about 13 µs for each person written, in SQLite until migration 46.
 */
export const personLookups: Migration = {
  number: 6,
  name: 'persons by e-mail, and the persons list in its own order',
  async up(db, dialect) {
    await addEmail(db, dialect);
    await db.schema.dropIndex('persons_newest').execute();
    await (dialect.name === 'sqlite' ? indexEmails(db) : hashEmails(db));
  },
};

async function indexEmails(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createIndex('persons_newest')
    .on('persons')
    .columns(['project_id', 'created_at desc', 'uuid', 'email'])
    .execute();
  await db.schema.createIndex('persons_by_email').on('persons').columns(['project_id', 'email']).execute();
}

/** PostgreSQL does not allow long values in a btree index, and an "e-mail" may have any length. */
async function hashEmails(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createIndex('persons_newest')
    .on('persons')
    .columns(['project_id', 'created_at desc', 'uuid'])
    .execute();
  await db.schema.createIndex('persons_by_email').on('persons').using('hash').column('email').execute();
}

/** The property's JSON text with quotes, to distinguish 5 from "5" and null from absent. */
async function addEmail(db: Kysely<unknown>, { name }: SqlDialect): Promise<void> {
  const expression =
    name === 'sqlite' ? sql`properties -> '$.email'` : sql`(${readableJsonSql(sql`properties`)} -> 'email')::text`;
  await db.schema
    .alterTable('persons')
    .addColumn('email', 'text', (c) => {
      const column = c.generatedAlwaysAs(expression);
      return name === 'sqlite' ? column : column.stored();
    })
    .execute();
}
