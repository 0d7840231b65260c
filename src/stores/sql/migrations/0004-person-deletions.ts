import type { Kysely } from 'kysely';
import type { SqlDialect } from '../dialect.ts';
import type { Migration } from '../migration.ts';

/** Splits, undone merges and deletions of persons: reassignments for the event store, and the state of each deletion. */
export const personDeletions: Migration = {
  number: 4,
  name: 'splits, undone merges and deletions of persons',
  async up(db, dialect) {
    await extendMerges(db, dialect);
    await createRefilings(db, dialect);
    await createDeletions(db, dialect);
  },
};

async function extendMerges(db: Kysely<unknown>, { bigIntegerType }: SqlDialect): Promise<void> {
  // The source's id; null for older merges.
  await db.schema.alterTable('person_merges').addColumn('source_id', bigIntegerType).execute();
  await db.schema.alterTable('person_merges').addColumn('undone_at', bigIntegerType).execute();
  // Flag overrides and cohort memberships that moved, as JSON; empty for older merges.
  await db.schema
    .alterTable('person_merges')
    .addColumn('belongings', 'text', (c) => c.notNull().defaultTo('{"overrides":[],"cohorts":[]}'))
    .execute();
  await db.schema
    .createIndex('person_merges_from')
    .on('person_merges')
    .columns(['project_id', 'source_uuid'])
    .execute();
}

async function createRefilings(db: Kysely<unknown>, dialect: SqlDialect): Promise<void> {
  const { bigIntegerType } = dialect;
  await db.schema
    .createTable('person_refilings')
    .addColumn('id', dialect.autoIncrementType, (c) => dialect.autoIncrement(c))
    .addColumn('project_id', bigIntegerType, (c) => c.notNull())
    .addColumn('person_uuid', 'text', (c) => c.notNull())
    .addColumn('kind', 'text', (c) => c.notNull())
    // JSON: the moves, or the distinct ids. The row is deleted once it was applied.
    .addColumn('ids', 'text', (c) => c.notNull())
    // The deletion that records how many events were removed.
    .addColumn('deletion_id', 'text')
    .execute();
}

async function createDeletions(db: Kysely<unknown>, { bigIntegerType }: SqlDialect): Promise<void> {
  // Has nothing of the person but the uuid.
  await db.schema
    .createTable('person_deletions')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('project_id', bigIntegerType, (c) => c.notNull())
    .addColumn('person_uuid', 'text', (c) => c.notNull())
    .addColumn('requested_by', bigIntegerType)
    .addColumn('requested_at', bigIntegerType, (c) => c.notNull())
    // JSON: number of removed records, by kind.
    .addColumn('removed', 'text', (c) => c.notNull())
    .addColumn('events_removed', bigIntegerType)
    // JSON: the result of the last check.
    .addColumn('scan', 'text')
    .addColumn('completed_at', bigIntegerType)
    .execute();
  await db.schema
    .createIndex('person_deletions_of_project')
    .on('person_deletions')
    .columns(['project_id', 'requested_at'])
    .execute();
}
