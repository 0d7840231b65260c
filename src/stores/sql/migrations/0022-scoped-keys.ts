import type { Migration } from '../migration.ts';

/** What personal keys are limited to. Keys that exist keep their rights: all scopes, all projects, without an end. */
export const scopedKeys: Migration = {
  number: 22,
  name: 'scopes of personal keys',
  async up(db, { bigIntegerType }) {
    const keys = () => db.schema.alterTable('personal_api_keys');
    // One statement for each column: SQLite adds one at a time.
    await keys()
      .addColumn('scopes', 'text', (c) => c.notNull().defaultTo('["*"]'))
      .execute();
    for (const name of ['project_ids', 'organization_ids']) {
      await keys()
        .addColumn(name, 'text', (c) => c.notNull().defaultTo('[]'))
        .execute();
    }
    await keys().addColumn('expires_at', bigIntegerType).execute();
    await keys().addColumn('rolled_at', bigIntegerType).execute();
    await keys().addColumn('mask', 'text').execute();
    await keys().addColumn('last_used_from', 'text').execute();
  },
};
