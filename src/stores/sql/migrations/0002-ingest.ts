import { type Kysely, sql } from 'kysely';
import type { SqlDialect } from '../dialect.ts';
import type { Migration } from '../migration.ts';

const withoutRowid = sql`without rowid`;

/** What events create: persons, groups, definitions, and records of what happened to each event. */
export const ingest: Migration = {
  number: 2,
  name: 'persons, groups, definitions, and the fate of events',
  async up(db, dialect) {
    await createPersons(db, dialect);
    await createPersonJournal(db, dialect);
    await createGroups(db, dialect);
    await createDefinitions(db, dialect);
    await createFates(db, dialect);
  },
};

async function createPersons(db: Kysely<unknown>, dialect: SqlDialect): Promise<void> {
  const { bigIntegerType } = dialect;
  await db.schema
    .createTable('persons')
    .addColumn('id', dialect.autoIncrementType, (c) => dialect.autoIncrement(c))
    .addColumn('project_id', bigIntegerType, (c) => c.notNull())
    .addColumn('uuid', 'text', (c) => c.notNull().unique())
    .addColumn('created_at', bigIntegerType, (c) => c.notNull())
    .addColumn('properties', 'text', (c) => c.notNull())
    .addColumn('is_identified', 'integer', (c) => c.notNull())
    .addColumn('version', bigIntegerType, (c) => c.notNull())
    .execute();
  // The order of the person list.
  await db.schema.createIndex('persons_newest').on('persons').columns(['project_id', 'created_at', 'uuid']).execute();
  await db.schema
    .createTable('person_distinct_ids')
    .addColumn('id', dialect.autoIncrementType, (c) => dialect.autoIncrement(c))
    .addColumn('project_id', bigIntegerType, (c) => c.notNull())
    .addColumn('distinct_id', 'text', (c) => c.notNull())
    .addColumn('person_id', bigIntegerType, (c) => c.notNull())
    .addColumn('version', bigIntegerType, (c) => c.notNull())
    .addUniqueConstraint('person_distinct_ids_once', ['project_id', 'distinct_id'])
    .execute();
  await db.schema.createIndex('person_distinct_ids_of_person').on('person_distinct_ids').column('person_id').execute();
}

async function createPersonJournal(db: Kysely<unknown>, dialect: SqlDialect): Promise<void> {
  const { bigIntegerType } = dialect;
  await db.schema
    .createTable('person_merges')
    .addColumn('id', dialect.autoIncrementType, (c) => dialect.autoIncrement(c))
    .addColumn('project_id', bigIntegerType, (c) => c.notNull())
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('source_uuid', 'text', (c) => c.notNull())
    .addColumn('target_uuid', 'text', (c) => c.notNull())
    // Both persons just before the merge, as JSON, for an undo.
    .addColumn('source', 'text', (c) => c.notNull())
    .addColumn('target', 'text', (c) => c.notNull())
    // The ids that moved, as a JSON list.
    .addColumn('moved_ids', 'text', (c) => c.notNull())
    .addColumn('event_uuid', 'text', (c) => c.notNull())
    .addColumn('happened_at', bigIntegerType, (c) => c.notNull())
    .execute();
  await db.schema
    .createIndex('person_merges_into')
    .on('person_merges')
    .columns(['project_id', 'target_uuid'])
    .execute();
  // Uuids that no new person may get: events may still refer to them.
  await db.schema
    .createTable('retired_person_uuids')
    .addColumn('uuid', 'text', (c) => c.primaryKey())
    .addColumn('project_id', bigIntegerType, (c) => c.notNull())
    .execute();
  await db.schema
    .createTable('person_property_history')
    .addColumn('id', dialect.autoIncrementType, (c) => dialect.autoIncrement(c))
    .addColumn('project_id', bigIntegerType, (c) => c.notNull())
    .addColumn('person_uuid', 'text', (c) => c.notNull())
    .addColumn('name', 'text', (c) => c.notNull())
    // JSON; null if the property did not or does not exist.
    .addColumn('before_value', 'text')
    .addColumn('after_value', 'text')
    .addColumn('event_uuid', 'text', (c) => c.notNull())
    .addColumn('happened_at', bigIntegerType, (c) => c.notNull())
    .execute();
  await db.schema
    .createIndex('person_property_history_of')
    .on('person_property_history')
    .columns(['project_id', 'person_uuid', 'happened_at'])
    .execute();
}

async function createGroups(db: Kysely<unknown>, { name, bigIntegerType }: SqlDialect): Promise<void> {
  await db.schema
    .createTable('group_types')
    .addColumn('project_id', bigIntegerType, (c) => c.notNull())
    .addColumn('type_index', 'integer', (c) => c.notNull())
    .addColumn('name', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('group_types_pk', ['project_id', 'type_index'])
    .$call((table) =>
      name === 'sqlite' ? table.addUniqueConstraint('group_types_once', ['project_id', 'name']) : table,
    )
    .execute();
  // PostgreSQL does not index names of any length.
  if (name === 'postgres') {
    await sql`create unique index group_types_once on group_types (project_id, md5(name))`.execute(db);
  }
  await db.schema
    .createTable('groups')
    .addColumn('project_id', bigIntegerType, (c) => c.notNull())
    .addColumn('type_index', 'integer', (c) => c.notNull())
    .addColumn('group_key', 'text', (c) => c.notNull())
    .addColumn('properties', 'text', (c) => c.notNull())
    .addColumn('created_at', bigIntegerType, (c) => c.notNull())
    .addColumn('version', bigIntegerType, (c) => c.notNull())
    .addPrimaryKeyConstraint('groups_pk', ['project_id', 'type_index', 'group_key'])
    .execute();
}

async function createDefinitions(db: Kysely<unknown>, { bigIntegerType }: SqlDialect): Promise<void> {
  await db.schema
    .createTable('event_definitions')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('project_id', bigIntegerType, (c) => c.notNull())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('created_at', bigIntegerType, (c) => c.notNull())
    .addColumn('last_seen_at', bigIntegerType, (c) => c.notNull())
    .addUniqueConstraint('event_definitions_once', ['project_id', 'name'])
    .execute();
  await db.schema
    .createTable('property_definitions')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('project_id', bigIntegerType, (c) => c.notNull())
    .addColumn('kind', 'text', (c) => c.notNull())
    // −1 for other than group properties, so that the constraint applies to them too.
    .addColumn('group_type_index', 'integer', (c) => c.notNull())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('property_type', 'text')
    .addColumn('created_at', bigIntegerType, (c) => c.notNull())
    .addUniqueConstraint('property_definitions_once', ['project_id', 'kind', 'group_type_index', 'name'])
    .execute();
  await db.schema
    .createTable('event_properties')
    .addColumn('project_id', bigIntegerType, (c) => c.notNull())
    .addColumn('event', 'text', (c) => c.notNull())
    .addColumn('property', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('event_properties_pk', ['project_id', 'event', 'property'])
    .execute();
}

async function createFates(db: Kysely<unknown>, dialect: SqlDialect): Promise<void> {
  const { bigIntegerType } = dialect;
  // Ids that clients gave to their events, to recognize duplicates.
  await db.schema
    .createTable('seen_events')
    .addColumn('project_id', bigIntegerType, (c) => c.notNull())
    .addColumn('uuid', 'text', (c) => c.notNull())
    .addColumn('received_at', bigIntegerType, (c) => c.notNull())
    .addColumn('processed_at', bigIntegerType, (c) => c.notNull())
    .addColumn('repeats', 'integer', (c) => c.notNull().defaultTo(0))
    .addPrimaryKeyConstraint('seen_events_pk', ['project_id', 'uuid'])
    .$call((table) => (dialect.name === 'sqlite' ? table.modifyEnd(withoutRowid) : table))
    .execute();
  await db.schema
    .createTable('dropped_events')
    .addColumn('id', dialect.autoIncrementType, (c) => dialect.autoIncrement(c))
    .addColumn('project_id', bigIntegerType, (c) => c.notNull())
    .addColumn('uuid', 'text', (c) => c.notNull())
    .addColumn('reason', 'text', (c) => c.notNull())
    .addColumn('received_at', bigIntegerType, (c) => c.notNull())
    .addColumn('dropped_at', bigIntegerType, (c) => c.notNull())
    .execute();
  await db.schema.createIndex('dropped_events_by_uuid').on('dropped_events').columns(['project_id', 'uuid']).execute();
  await db.schema
    .createTable('dead_letters')
    .addColumn('id', dialect.autoIncrementType, (c) => dialect.autoIncrement(c))
    .addColumn('project_id', bigIntegerType, (c) => c.notNull())
    .addColumn('event_uuid', 'text', (c) => c.notNull())
    .addColumn('error', 'text', (c) => c.notNull())
    .addColumn('payload', 'text', (c) => c.notNull())
    .addColumn('context', 'text', (c) => c.notNull())
    .addColumn('received_at', bigIntegerType, (c) => c.notNull())
    .addColumn('failed_at', bigIntegerType, (c) => c.notNull())
    .execute();
  await db.schema.createIndex('dead_letters_of_project').on('dead_letters').columns(['project_id', 'id']).execute();
  await db.schema
    .createTable('ingestion_warnings')
    .addColumn('id', dialect.autoIncrementType, (c) => dialect.autoIncrement(c))
    .addColumn('project_id', bigIntegerType, (c) => c.notNull())
    .addColumn('type', 'text', (c) => c.notNull())
    .addColumn('details', 'text', (c) => c.notNull())
    .addColumn('happened_at', bigIntegerType, (c) => c.notNull())
    .execute();
  await db.schema
    .createIndex('ingestion_warnings_of_project')
    .on('ingestion_warnings')
    .columns(['project_id', 'id'])
    .execute();
  await db.schema
    .createTable('event_counters')
    .addColumn('fate', 'text', (c) => c.primaryKey())
    .addColumn('count', bigIntegerType, (c) => c.notNull())
    .execute();
  await db.schema
    .createTable('ingest_position')
    .addColumn('log', 'text', (c) => c.primaryKey())
    .addColumn('position', bigIntegerType, (c) => c.notNull())
    .execute();
}
