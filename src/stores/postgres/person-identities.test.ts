import { describePersonIdentities } from '../../../test/contract/person-identities.ts';
import { describeWithPostgres, openPostgresSetup } from '../../../test/support/postgres.ts';

describeWithPostgres(() => {
  describePersonIdentities('PostgreSQL', openPostgresSetup);
});
