import { describePersonJournal } from '../../../test/contract/person-identities.ts';
import { openPostgresPlace } from '../../../test/support/postgres.ts';

describePersonJournal('PostgreSQL', openPostgresPlace);
