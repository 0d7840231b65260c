import type { Migration } from '../migration.ts';

/** Which flag of another project a flag was promoted from. */
export const promotedFlags: Migration = {
  number: 39,
  name: 'promoted flags',
  async up(db) {
    await db.schema.alterTable('feature_flags').addColumn('promoted_from', 'text').execute();
  },
};
