import type { Migration } from '../migration.ts';

/** Deleted projects whose events may still arrive in the event store, or were left by a crash. */
export const goneProjects: Migration = {
  number: 12,
  name: 'projects that are gone',
  async up(db, { bigIntegerType }) {
    await db.schema
      .createTable('gone_projects')
      .addColumn('project_id', bigIntegerType, (c) => c.primaryKey())
      .addColumn('gone_at', bigIntegerType, (c) => c.notNull())
      .execute();
  },
};
