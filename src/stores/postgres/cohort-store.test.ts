import { openPostgresPlace } from '../../../test/support/postgres.ts';
import { describeCohortStore } from '../contract/cohort-store.ts';

describeCohortStore('PostgreSQL', openPostgresPlace);
