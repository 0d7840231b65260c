import type { Migration } from '../migration.ts';

/** The alert that stops a gradual rollout. */
export const rampsWithAlerts: Migration = {
  number: 44,
  name: 'ramps-with-alerts',
  async up(db) {
    await db.schema.alterTable('scheduled_changes').addColumn('alert_id', 'text').execute();
  },
};
