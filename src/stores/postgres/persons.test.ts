import { openPostgresPlace } from '../../../test/support/postgres.ts';
import { describePersonStore } from '../contract/persons.ts';

describePersonStore('PostgreSQL', openPostgresPlace);
