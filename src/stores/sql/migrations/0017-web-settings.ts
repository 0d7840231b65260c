import type { Migration } from '../migration.ts';

/** Settings of web analytics: what is not stored has its default. */
export const webSettings: Migration = {
  number: 17,
  name: 'settings of web analytics',
  async up(db) {
    const projects = () => db.schema.alterTable('projects');
    // One statement for each column: SQLite adds one at a time.
    await projects()
      .addColumn('web_analytics', 'text', (c) => c.notNull().defaultTo('{}'))
      .execute();
    await projects()
      .addColumn('cookieless_server_hash_mode', 'integer', (c) => c.notNull().defaultTo(2))
      .execute();
  },
};
