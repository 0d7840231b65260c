import { type ColumnDefinitionBuilder, type Kysely, sql } from 'kysely';
import type { SqlDialect } from '../dialect.ts';
import type { Migration } from '../migration.ts';

/**
 * What users say about events and properties, and the webhook outbox. Every new column has a default, because the
 * processor writes definitions without them.
 */
export const definitionDetails: Migration = {
  number: 5,
  name: 'details of definitions, names of group types, messages to webhooks',
  async up(db, dialect) {
    await describeDefinitions(db, dialect);
    await markDefinitions(db);
    await describeGroups(db);
    await createOutbox(db, dialect);
  },
};

type Build = (column: ColumnDefinitionBuilder) => ColumnDefinitionBuilder;

/** One statement for each column: SQLite adds one at a time. */
async function describeDefinitions(db: Kysely<unknown>, { bigIntegerType }: SqlDialect): Promise<void> {
  const plain: Build = (c) => c;
  const off: Build = (c) => c.notNull().defaultTo(0);
  for (const table of ['event_definitions', 'property_definitions'] as const) {
    const add = (name: string, type: 'text' | 'integer' | 'bigint', build: Build): Promise<void> =>
      db.schema.alterTable(table).addColumn(name, type, build).execute();
    await add('description', 'text', (c) => c.notNull().defaultTo(''));
    // A JSON list.
    await add('tags', 'text', (c) => c.notNull().defaultTo('[]'));
    await add('verified_at', bigIntegerType, plain);
    await add('verified_by', bigIntegerType, plain);
    await add('updated_at', bigIntegerType, plain);
    await add('updated_by', bigIntegerType, plain);
    if (table === 'event_definitions') {
      await add('owner_id', bigIntegerType, plain);
      await add('post_to_slack', 'integer', off);
    } else {
      await add('is_type_chosen', 'integer', off);
    }
  }
}

/** Finds the few events that are posted to a webhook. */
async function markDefinitions(db: Kysely<unknown>): Promise<void> {
  await sql`create index event_definitions_posted on event_definitions (project_id) where post_to_slack = 1`.execute(
    db,
  );
}

async function describeGroups(db: Kysely<unknown>): Promise<void> {
  for (const name of ['name_singular', 'name_plural']) {
    await db.schema.alterTable('group_types').addColumn(name, 'text').execute();
  }
  // The order of the list of groups.
  await db.schema
    .createIndex('groups_newest')
    .on('groups')
    .columns(['project_id', 'type_index', 'created_at', 'group_key'])
    .execute();
}

/** One row for each event name, however many events are pending, so it does not grow while a webhook is down. */
async function createOutbox(db: Kysely<unknown>, { bigIntegerType }: SqlDialect): Promise<void> {
  await db.schema
    .createTable('webhook_outbox')
    .addColumn('project_id', bigIntegerType, (c) => c.notNull())
    .addColumn('event', 'text', (c) => c.notNull())
    .addColumn('count', bigIntegerType, (c) => c.notNull())
    // Of the latest event.
    .addColumn('person_uuid', 'text', (c) => c.notNull())
    .addColumn('happened_at', bigIntegerType, (c) => c.notNull())
    // Since when the oldest event is pending.
    .addColumn('waiting_since', bigIntegerType, (c) => c.notNull())
    .addPrimaryKeyConstraint('webhook_outbox_pk', ['project_id', 'event'])
    .execute();
}
