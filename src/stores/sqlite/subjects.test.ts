import Database from 'better-sqlite3';
import { describeSubjectStore } from '../../../test/contract/subjects.ts';
import { makeTempDir } from '../../../test/contract/temp-dir.ts';
import { openMigratedStore } from '../../../test/support/migrated-store.ts';

describeSubjectStore('SQLite', async () => {
  const dir = makeTempDir();
  const file = dir.path('metadata.sqlite');
  const { metadata, ingest } = await openMigratedStore(file, 0);
  const beside = new Database(file);
  return {
    metadata,
    ingest,
    addMember: async (cohortId, personId) => {
      beside
        .prepare('insert into cohort_members (cohort_id, person_id, project_id) values (?, ?, 1)')
        .run(cohortId, personId);
    },
    remove: async () => {
      beside.close();
      await metadata.close();
      dir.remove();
    },
  };
});
