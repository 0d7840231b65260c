import { describePersonStore } from '../../../test/contract/persons.ts';
import { describeWithPostgres, openPostgresPlace } from '../../../test/support/postgres.ts';

describeWithPostgres(() => {
  describePersonStore('PostgreSQL', openPostgresPlace);
});
