import { describeSeenEvents } from '../../../test/contract/seen-events.ts';
import { describeWithPostgres, openPostgresSetup } from '../../../test/support/postgres.ts';
import { postgresDialect } from '../sql/postgres-dialect.ts';

describeWithPostgres(() => {
  // Every statement is a round trip: fewer histories do.
  describeSeenEvents('PostgreSQL', async () => ({ ...(await openPostgresSetup()), dialect: postgresDialect }), 12);
});
