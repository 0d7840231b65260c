import { describeCohortStore } from '../../../test/contract/cohorts.ts';
import { describeWithPostgres, openPostgresSetup } from '../../../test/support/postgres.ts';

describeWithPostgres(() => {
  describeCohortStore('PostgreSQL', openPostgresSetup);
});
