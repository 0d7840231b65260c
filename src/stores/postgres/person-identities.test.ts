import { describePersonIdentities } from '../../../test/contract/person-identities.ts';
import { describeWithPostgres, openPostgresPlace } from '../../../test/support/postgres.ts';

describeWithPostgres(() => {
  describePersonIdentities('PostgreSQL', openPostgresPlace);
});
