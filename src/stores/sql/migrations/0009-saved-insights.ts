import { type Kysely, sql } from 'kysely';
import type { SqlDialect } from '../dialect.ts';
import type { Migration } from '../migration.ts';

/** Saved insights, dashboards, actions, and how often queries use events and properties. */
export const savedInsights: Migration = {
  number: 9,
  name: 'saved insights, dashboards, actions, how often names are asked for',
  async up(db, dialect) {
    await createInsights(db, dialect);
    await createDashboards(db, dialect);
    await createActions(db, dialect);
    await createUsage(db, dialect);
  },
};

async function createInsights(db: Kysely<unknown>, dialect: SqlDialect): Promise<void> {
  const { bigIntegerType } = dialect;
  await db.schema
    .createTable('insights')
    .addColumn('id', dialect.autoIncrementType, (c) => dialect.autoIncrement(c))
    .addColumn('project_id', bigIntegerType, (c) => c.notNull())
    .addColumn('short_id', 'text', (c) => c.notNull())
    .addColumn('name', 'text')
    .addColumn('derived_name', 'text')
    .addColumn('description', 'text', (c) => c.notNull())
    .addColumn('filters', 'text', (c) => c.notNull())
    .addColumn('order', bigIntegerType)
    .addColumn('saved', 'integer', (c) => c.notNull())
    .addColumn('favorited', 'integer', (c) => c.notNull())
    .addColumn('deleted', 'integer', (c) => c.notNull())
    .addColumn('tags', 'text', (c) => c.notNull())
    .addColumn('created_at', bigIntegerType, (c) => c.notNull())
    .addColumn('created_by', bigIntegerType)
    .addColumn('updated_at', bigIntegerType, (c) => c.notNull())
    .addColumn('last_modified_at', bigIntegerType, (c) => c.notNull())
    .addColumn('last_modified_by', bigIntegerType)
    .addUniqueConstraint('insights_short_id', ['project_id', 'short_id'])
    .execute();
  await db.schema
    .createTable('insight_views')
    .addColumn('project_id', bigIntegerType, (c) => c.notNull())
    .addColumn('user_id', bigIntegerType, (c) => c.notNull())
    .addColumn('insight_id', bigIntegerType, (c) => c.notNull())
    .addColumn('viewed_at', bigIntegerType, (c) => c.notNull())
    .addPrimaryKeyConstraint('insight_views_pk', ['project_id', 'user_id', 'insight_id'])
    .execute();
}

async function createDashboards(db: Kysely<unknown>, dialect: SqlDialect): Promise<void> {
  const { bigIntegerType } = dialect;
  await db.schema
    .createTable('dashboards')
    .addColumn('id', dialect.autoIncrementType, (c) => dialect.autoIncrement(c))
    .addColumn('project_id', bigIntegerType, (c) => c.notNull())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('description', 'text', (c) => c.notNull())
    .addColumn('pinned', 'integer', (c) => c.notNull())
    .addColumn('deleted', 'integer', (c) => c.notNull())
    .addColumn('filters', 'text', (c) => c.notNull())
    .addColumn('tags', 'text', (c) => c.notNull())
    .addColumn('created_at', bigIntegerType, (c) => c.notNull())
    .addColumn('created_by', bigIntegerType)
    .addColumn('updated_at', bigIntegerType, (c) => c.notNull())
    .execute();
  await db.schema.createIndex('dashboards_of_project').on('dashboards').column('project_id').execute();
  await db.schema
    .createTable('dashboard_tiles')
    .addColumn('id', dialect.autoIncrementType, (c) => dialect.autoIncrement(c))
    .addColumn('project_id', bigIntegerType, (c) => c.notNull())
    .addColumn('dashboard_id', bigIntegerType, (c) => c.notNull())
    .addColumn('insight_id', bigIntegerType, (c) => c.notNull())
    .addColumn('order', bigIntegerType, (c) => c.notNull())
    .addColumn('layouts', 'text', (c) => c.notNull())
    .addColumn('color', 'text')
    .addUniqueConstraint('dashboard_tiles_once', ['dashboard_id', 'insight_id'])
    .execute();
  await db.schema.createIndex('dashboard_tiles_of_insight').on('dashboard_tiles').column('insight_id').execute();
}

async function createActions(db: Kysely<unknown>, dialect: SqlDialect): Promise<void> {
  const { bigIntegerType } = dialect;
  await db.schema
    .createTable('actions')
    .addColumn('id', dialect.autoIncrementType, (c) => dialect.autoIncrement(c))
    .addColumn('project_id', bigIntegerType, (c) => c.notNull())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('description', 'text', (c) => c.notNull())
    .addColumn('tags', 'text', (c) => c.notNull())
    .addColumn('steps', 'text', (c) => c.notNull())
    .addColumn('deleted', 'integer', (c) => c.notNull())
    .addColumn('created_at', bigIntegerType, (c) => c.notNull())
    .addColumn('created_by', bigIntegerType)
    .addColumn('updated_at', bigIntegerType, (c) => c.notNull())
    .execute();
  // One action per name, besides deleted ones.
  await db.schema
    .createIndex('actions_name')
    .unique()
    .on('actions')
    .columns(['project_id', 'name'])
    .where(sql.ref('deleted'), '=', 0)
    .execute();
}

async function createUsage(db: Kysely<unknown>, { bigIntegerType }: SqlDialect): Promise<void> {
  await db.schema
    .createTable('query_usage')
    .addColumn('project_id', bigIntegerType, (c) => c.notNull())
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('group_type_index', 'integer', (c) => c.notNull())
    .addColumn('day', 'integer', (c) => c.notNull())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('count', bigIntegerType, (c) => c.notNull())
    .addPrimaryKeyConstraint('query_usage_pk', ['project_id', 'kind', 'group_type_index', 'day', 'name'])
    .execute();
}
