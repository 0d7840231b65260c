import type { Migration } from '../migration.ts';

/** The version of a project's flag definitions, which streams tell their clients. */
export const flagDefinitionVersions: Migration = {
  number: 38,
  name: 'versions of flag definitions',
  async up(db, { bigIntegerType }) {
    await db.schema
      .createTable('flag_definition_versions')
      .addColumn('project_id', bigIntegerType, (c) => c.primaryKey())
      .addColumn('version', bigIntegerType, (c) => c.notNull())
      .addColumn('tag', 'text', (c) => c.notNull())
      .addColumn('changed_at', bigIntegerType, (c) => c.notNull())
      .execute();
  },
};
