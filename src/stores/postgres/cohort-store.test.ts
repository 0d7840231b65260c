import { describeCohortStore } from '../../../test/contract/cohorts.ts';
import { openPostgresPlace } from '../../../test/support/postgres.ts';

describeCohortStore('PostgreSQL', openPostgresPlace);
