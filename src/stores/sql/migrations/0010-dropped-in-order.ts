import type { Migration } from '../migration.ts';

/** For the list of dropped events, newest first. */
export const droppedInOrder: Migration = {
  number: 10,
  name: 'dropped events in their order',
  async up(db) {
    await db.schema
      .createIndex('dropped_events_of_project')
      .on('dropped_events')
      .columns(['project_id', 'id'])
      .execute();
  },
};
