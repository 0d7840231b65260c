import { describeCohortStore } from '../../../test/contract/cohorts.ts';
import { describeWithPostgres, openPostgresPlace } from '../../../test/support/postgres.ts';

describeWithPostgres(() => {
  describeCohortStore('PostgreSQL', openPostgresPlace);
});
