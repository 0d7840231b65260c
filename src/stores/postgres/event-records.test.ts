import { openPostgresPlace } from '../../../test/support/postgres.ts';
import { describeDefinitions } from '../contract/definitions.ts';
import { describeEventRecords } from '../contract/event-records.ts';
import { describeGroups } from '../contract/groups.ts';
import { describeOutbox } from '../contract/outbox.ts';

describeEventRecords('PostgreSQL', openPostgresPlace);
describeDefinitions('PostgreSQL', openPostgresPlace);
describeGroups('PostgreSQL', openPostgresPlace);
describeOutbox('PostgreSQL', openPostgresPlace);
