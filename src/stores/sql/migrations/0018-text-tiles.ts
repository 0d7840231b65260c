import { type Kysely, sql } from 'kysely';
import type { SqlDialect } from '../dialect.ts';
import type { Migration } from '../migration.ts';

/** A tile shows an insight or a text. */
export const textTiles: Migration = {
  number: 18,
  name: 'texts on dashboards',
  async up(db, dialect) {
    if (dialect.name === 'postgres') {
      await sql`alter table dashboard_tiles alter insight_id drop not null, add body text`.execute(db);
    } else {
      await rebuildTiles(db, dialect);
    }
  },
};

/** SQLite cannot make a column nullable. */
async function rebuildTiles(db: Kysely<unknown>, dialect: SqlDialect): Promise<void> {
  const { bigIntegerType } = dialect;
  await db.schema
    .createTable('new_dashboard_tiles')
    .addColumn('id', dialect.autoIncrementType, (c) => dialect.autoIncrement(c))
    .addColumn('project_id', bigIntegerType, (c) => c.notNull())
    .addColumn('dashboard_id', bigIntegerType, (c) => c.notNull())
    .addColumn('insight_id', bigIntegerType)
    .addColumn('order', bigIntegerType, (c) => c.notNull())
    .addColumn('layouts', 'text', (c) => c.notNull())
    .addColumn('color', 'text')
    .addColumn('body', 'text')
    .addUniqueConstraint('dashboard_tiles_once', ['dashboard_id', 'insight_id'])
    .execute();
  await sql`
    insert into new_dashboard_tiles (id, project_id, dashboard_id, insight_id, "order", layouts, color)
    select id, project_id, dashboard_id, insight_id, "order", layouts, color from dashboard_tiles`.execute(db);
  await db.schema.dropTable('dashboard_tiles').execute();
  await db.schema.alterTable('new_dashboard_tiles').renameTo('dashboard_tiles').execute();
  await db.schema.createIndex('dashboard_tiles_of_insight').on('dashboard_tiles').column('insight_id').execute();
}
