import type { CreateTableBuilder, Kysely } from 'kysely';
import type { SqlDialect } from '../dialect.ts';
import type { Migration } from '../migration.ts';

type Column = Parameters<CreateTableBuilder<string, string>['addColumn']>[1];

/** Organizations, users, keys, roles, projects and the activity log. */
export const foundation: Migration = {
  number: 1,
  name: 'organizations, users, keys, projects, roles, activity',
  async up(db, dialect) {
    await createOrganizations(db, dialect);
    await createUsers(db, dialect);
    await createProjects(db, dialect);
    await createRoles(db, dialect);
    await createActivity(db, dialect);
    await table(db, 'installation', { name: 'text', value: 'text' })
      .addPrimaryKeyConstraint('installation_pk', ['name'])
      .execute();
  },
};

/** A table whose columns are all required. */
function table(db: Kysely<unknown>, name: string, columns: Record<string, Column>): CreateTableBuilder<string, string> {
  return Object.entries(columns).reduce<CreateTableBuilder<string, string>>(
    (builder, [column, type]) => builder.addColumn(column, type, (c) => c.notNull()),
    db.schema.createTable(name),
  );
}

async function createOrganizations(db: Kysely<unknown>, { bigIntegerType }: SqlDialect): Promise<void> {
  await table(db, 'organizations', {
    id: 'text',
    name: 'text',
    slug: 'text',
    created_at: bigIntegerType,
    updated_at: bigIntegerType,
  })
    .addPrimaryKeyConstraint('organizations_pk', ['id'])
    .addUniqueConstraint('organizations_slug', ['slug'])
    .execute();
}

async function createUsers(db: Kysely<unknown>, dialect: SqlDialect): Promise<void> {
  const { bigIntegerType } = dialect;
  await db.schema
    .createTable('users')
    .addColumn('id', dialect.autoIncrementType, (c) => dialect.autoIncrement(c))
    .addColumn('uuid', 'text', (c) => c.notNull().unique())
    .addColumn('distinct_id', 'text', (c) => c.notNull())
    .addColumn('email', 'text', (c) => c.notNull().unique())
    .addColumn('first_name', 'text', (c) => c.notNull())
    .addColumn('password_hash', 'text')
    .addColumn('is_active', 'integer', (c) => c.notNull())
    .addColumn('current_organization_id', 'text')
    .addColumn('current_project_id', bigIntegerType)
    .addColumn('joined_at', bigIntegerType, (c) => c.notNull())
    .execute();
  await table(db, 'memberships', {
    id: 'text',
    organization_id: 'text',
    user_id: bigIntegerType,
    level: 'integer',
    joined_at: bigIntegerType,
    updated_at: bigIntegerType,
  })
    .addPrimaryKeyConstraint('memberships_pk', ['id'])
    .addUniqueConstraint('memberships_once', ['organization_id', 'user_id'])
    .execute();
  await table(db, 'personal_api_keys', {
    id: 'text',
    user_id: bigIntegerType,
    label: 'text',
    hash: 'text',
    created_at: bigIntegerType,
  })
    .addColumn('last_used_at', bigIntegerType)
    .addPrimaryKeyConstraint('personal_api_keys_pk', ['id'])
    .addUniqueConstraint('personal_api_keys_hash', ['hash'])
    .execute();
  await table(db, 'sessions', {
    hash: 'text',
    user_id: bigIntegerType,
    created_at: bigIntegerType,
    expires_at: bigIntegerType,
  })
    .addPrimaryKeyConstraint('sessions_pk', ['hash'])
    .execute();
}

async function createProjects(db: Kysely<unknown>, dialect: SqlDialect): Promise<void> {
  const { bigIntegerType } = dialect;
  await db.schema
    .createTable('projects')
    .addColumn('id', dialect.autoIncrementType, (c) => dialect.autoIncrement(c))
    .addColumn('uuid', 'text', (c) => c.notNull())
    .addColumn('organization_id', 'text', (c) => c.notNull())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('api_token', 'text', (c) => c.notNull().unique())
    .addColumn('secret_hash', 'text', (c) => c.unique())
    .addColumn('timezone', 'text', (c) => c.notNull())
    .addColumn('anonymize_ips', 'integer', (c) => c.notNull())
    .addColumn('events_retention_days', 'integer')
    .addColumn('test_account_filters', 'text', (c) => c.notNull())
    .addColumn('path_cleaning_filters', 'text', (c) => c.notNull())
    .addColumn('slack_incoming_webhook', 'text')
    .addColumn('ingested_event', 'integer', (c) => c.notNull())
    .addColumn('preferences', 'text', (c) => c.notNull())
    .addColumn('created_at', bigIntegerType, (c) => c.notNull())
    .addColumn('updated_at', bigIntegerType, (c) => c.notNull())
    .execute();
  await db.schema.createIndex('projects_of_organization').on('projects').column('organization_id').execute();
}

async function createRoles(db: Kysely<unknown>, { bigIntegerType }: SqlDialect): Promise<void> {
  await table(db, 'roles', {
    id: 'text',
    organization_id: 'text',
    name: 'text',
    feature_flags_access_level: 'integer',
    created_at: bigIntegerType,
  })
    .addColumn('created_by', bigIntegerType)
    .addPrimaryKeyConstraint('roles_pk', ['id'])
    .execute();
  await db.schema.createIndex('roles_of_organization').on('roles').column('organization_id').execute();
  await table(db, 'role_memberships', {
    id: 'text',
    role_id: 'text',
    user_id: bigIntegerType,
    joined_at: bigIntegerType,
    updated_at: bigIntegerType,
  })
    .addPrimaryKeyConstraint('role_memberships_pk', ['id'])
    .addUniqueConstraint('role_memberships_once', ['role_id', 'user_id'])
    .execute();
  await table(db, 'resource_access', {
    id: 'text',
    organization_id: 'text',
    resource: 'text',
    access_level: 'integer',
    created_at: bigIntegerType,
    updated_at: bigIntegerType,
  })
    .addColumn('created_by', bigIntegerType)
    .addPrimaryKeyConstraint('resource_access_pk', ['id'])
    .addUniqueConstraint('resource_access_once', ['organization_id', 'resource'])
    .execute();
}

async function createActivity(db: Kysely<unknown>, dialect: SqlDialect): Promise<void> {
  await db.schema
    .createTable('activity')
    .addColumn('position', dialect.autoIncrementType, (c) => dialect.autoIncrement(c))
    .addColumn('id', 'text', (c) => c.notNull().unique())
    .addColumn('organization_id', 'text', (c) => c.notNull())
    .addColumn('project_id', dialect.bigIntegerType)
    .addColumn('user_id', dialect.bigIntegerType)
    .addColumn('activity', 'text', (c) => c.notNull())
    .addColumn('scope', 'text', (c) => c.notNull())
    .addColumn('item_id', 'text', (c) => c.notNull())
    .addColumn('detail', 'text', (c) => c.notNull())
    .addColumn('created_at', dialect.bigIntegerType, (c) => c.notNull())
    .execute();
  await db.schema
    .createIndex('activity_of_item')
    .on('activity')
    .columns(['organization_id', 'project_id', 'scope', 'item_id', 'position'])
    .execute();
}
