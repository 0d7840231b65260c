import { openPostgresPlace } from '../../../test/support/postgres.ts';
import { describePersonJournal } from '../contract/person-journal.ts';

describePersonJournal('PostgreSQL', openPostgresPlace);
