import { describeCookielessVisitors } from '../../../test/contract/cookieless-visitors.ts';
import { describeDefinitions } from '../../../test/contract/definitions.ts';
import { describeEventRecords } from '../../../test/contract/event-records.ts';
import { describeGroups } from '../../../test/contract/groups.ts';
import { describeOutbox } from '../../../test/contract/outbox.ts';
import { describeWithPostgres, openPostgresSetup } from '../../../test/support/postgres.ts';

describeWithPostgres(() => {
  describeEventRecords('PostgreSQL', openPostgresSetup);
  describeDefinitions('PostgreSQL', openPostgresSetup);
  describeCookielessVisitors('PostgreSQL', openPostgresSetup);
  describeGroups('PostgreSQL', openPostgresSetup);
  describeOutbox('PostgreSQL', openPostgresSetup);
});
