import { describePersonEmails } from '../../../test/contract/person-emails.ts';
import { describeWithPostgres, openPostgresSetup } from '../../../test/support/postgres.ts';

describeWithPostgres(() => {
  describePersonEmails('PostgreSQL', openPostgresSetup);
});
