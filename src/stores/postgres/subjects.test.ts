import { describeSubjectStore } from '../../../test/contract/subjects.ts';
import { describeWithPostgres, openPostgresSetup } from '../../../test/support/postgres.ts';

describeWithPostgres(() => {
  describeSubjectStore('PostgreSQL', async () => {
    const setup = await openPostgresSetup();
    return {
      ...setup,
      addMember: async (cohortId, personId) => {
        await setup.db.insertInto('cohortMembers').values({ cohortId, personId, projectId: 1 }).execute();
      },
    };
  });
});
