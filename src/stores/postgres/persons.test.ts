import { describePersonStore } from '../../../test/contract/persons.ts';
import { openPostgresPlace } from '../../../test/support/postgres.ts';

describePersonStore('PostgreSQL', openPostgresPlace);
