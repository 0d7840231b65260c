import { type Kysely, sql } from 'kysely';
import type { SqlDialect } from '../dialect.ts';
import type { Migration } from '../migration.ts';

/** Feature flags with versions and role access, flag overrides, and cohorts. */
export const flagsAndCohorts: Migration = {
  number: 3,
  name: 'feature flags, role access, experience continuity, cohorts',
  async up(db, dialect) {
    await createFlags(db, dialect);
    await createFlagAccess(db, dialect);
    await createOverrides(db, dialect);
    await createCohorts(db, dialect);
  },
};

async function createFlags(db: Kysely<unknown>, dialect: SqlDialect): Promise<void> {
  const { bigIntegerType } = dialect;
  await db.schema
    .createTable('feature_flags')
    .addColumn('id', dialect.autoIncrementType, (c) => dialect.autoIncrement(c))
    .addColumn('project_id', bigIntegerType, (c) => c.notNull())
    .addColumn('key', 'text', (c) => c.notNull())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('filters', 'text', (c) => c.notNull())
    .addColumn('active', 'integer', (c) => c.notNull())
    .addColumn('deleted', 'integer', (c) => c.notNull())
    .addColumn('ensure_experience_continuity', 'integer', (c) => c.notNull())
    .addColumn('rollback_conditions', 'text', (c) => c.notNull())
    .addColumn('performed_rollback', 'integer')
    .addColumn('tags', 'text', (c) => c.notNull())
    .addColumn('evaluation_runtime', 'text', (c) => c.notNull())
    .addColumn('bucketing_identifier', 'text', (c) => c.notNull())
    .addColumn('is_remote_configuration', 'integer', (c) => c.notNull())
    .addColumn('active_since', bigIntegerType, (c) => c.notNull())
    .addColumn('version', 'integer', (c) => c.notNull())
    .addColumn('created_at', bigIntegerType, (c) => c.notNull())
    .addColumn('created_by', bigIntegerType)
    .addColumn('updated_at', bigIntegerType, (c) => c.notNull())
    .addColumn('last_modified_by', bigIntegerType)
    .execute();
  // One flag per key, besides deleted ones.
  await db.schema
    .createIndex('feature_flags_key')
    .unique()
    .on('feature_flags')
    .columns(['project_id', 'key'])
    .where(sql.ref('deleted'), '=', 0)
    .execute();
  await db.schema
    .createTable('feature_flag_versions')
    .addColumn('flag_id', bigIntegerType, (c) => c.notNull())
    .addColumn('version', 'integer', (c) => c.notNull())
    .addColumn('project_id', bigIntegerType, (c) => c.notNull())
    // The whole flag, as JSON.
    .addColumn('flag', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('feature_flag_versions_pk', ['flag_id', 'version'])
    .execute();
}

async function createFlagAccess(db: Kysely<unknown>, dialect: SqlDialect): Promise<void> {
  const { bigIntegerType } = dialect;
  await db.schema
    .createTable('feature_flag_role_access')
    .addColumn('id', dialect.autoIncrementType, (c) => dialect.autoIncrement(c))
    .addColumn('project_id', bigIntegerType, (c) => c.notNull())
    .addColumn('flag_id', bigIntegerType, (c) => c.notNull())
    .addColumn('role_id', 'text', (c) => c.notNull())
    .addColumn('added_at', bigIntegerType, (c) => c.notNull())
    .addColumn('updated_at', bigIntegerType, (c) => c.notNull())
    .addUniqueConstraint('feature_flag_role_access_once', ['flag_id', 'role_id'])
    .execute();
}

/** The identifier that buckets a person for a flag, instead of the distinct id. The first one stays. */
async function createOverrides(db: Kysely<unknown>, { bigIntegerType }: SqlDialect): Promise<void> {
  await db.schema
    .createTable('flag_overrides')
    .addColumn('person_id', bigIntegerType, (c) => c.notNull())
    .addColumn('flag_key', 'text', (c) => c.notNull())
    .addColumn('project_id', bigIntegerType, (c) => c.notNull())
    .addColumn('identifier', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('flag_overrides_pk', ['person_id', 'flag_key'])
    .execute();
}

async function createCohorts(db: Kysely<unknown>, dialect: SqlDialect): Promise<void> {
  const { bigIntegerType } = dialect;
  await db.schema
    .createTable('cohorts')
    .addColumn('id', dialect.autoIncrementType, (c) => dialect.autoIncrement(c))
    .addColumn('project_id', bigIntegerType, (c) => c.notNull())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('description', 'text', (c) => c.notNull())
    .addColumn('groups', 'text', (c) => c.notNull())
    .addColumn('filters', 'text', (c) => c.notNull())
    .addColumn('is_static', 'integer', (c) => c.notNull())
    .addColumn('deleted', 'integer', (c) => c.notNull())
    .addColumn('is_calculating', 'integer', (c) => c.notNull())
    .addColumn('last_calculation', bigIntegerType)
    .addColumn('errors_calculating', 'integer', (c) => c.notNull())
    .addColumn('count', bigIntegerType)
    .addColumn('version', 'integer', (c) => c.notNull())
    .addColumn('created_at', bigIntegerType, (c) => c.notNull())
    .addColumn('created_by', bigIntegerType)
    .execute();
  await db.schema.createIndex('cohorts_of_project').on('cohorts').column('project_id').execute();
  // Added by hand to static cohorts, by the last calculation to dynamic ones.
  await db.schema
    .createTable('cohort_members')
    .addColumn('cohort_id', bigIntegerType, (c) => c.notNull())
    .addColumn('person_id', bigIntegerType, (c) => c.notNull())
    .addColumn('project_id', bigIntegerType, (c) => c.notNull())
    .addPrimaryKeyConstraint('cohort_members_pk', ['cohort_id', 'person_id'])
    .execute();
  await db.schema.createIndex('cohort_members_of_person').on('cohort_members').column('person_id').execute();
  // For reading all persons of a project page by page.
  await db.schema.createIndex('persons_by_number').on('persons').columns(['project_id', 'id']).execute();
}
