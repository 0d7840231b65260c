import { describeSubjectStore } from '../../../test/contract/subjects.ts';
import { describeWithPostgres, openPostgresPlace } from '../../../test/support/postgres.ts';

describeWithPostgres(() => {
  describeSubjectStore('PostgreSQL', async () => {
    const place = await openPostgresPlace();
    return {
      ...place,
      addMember: async (cohortId, personId) => {
        await place.db.insertInto('cohortMembers').values({ cohortId, personId, projectId: 1 }).execute();
      },
    };
  });
});
