import { describePersonStore } from '../../../test/contract/persons.ts';
import { describeWithPostgres, openPostgresSetup } from '../../../test/support/postgres.ts';

describeWithPostgres(() => {
  describePersonStore('PostgreSQL', openPostgresSetup);
});
