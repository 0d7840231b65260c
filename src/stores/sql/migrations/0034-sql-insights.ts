import type { Migration } from '../migration.ts';

/** Saved insights whose question is a SQL statement. */
export const sqlInsights: Migration = {
  number: 34,
  name: 'saved SQL statements',
  async up(db) {
    await db.schema.alterTable('insights').addColumn('query', 'text').execute();
  },
};
