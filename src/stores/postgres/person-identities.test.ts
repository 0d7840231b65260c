import { describePersonIdentities } from '../../../test/contract/person-identities.ts';
import { openPostgresPlace } from '../../../test/support/postgres.ts';

describePersonIdentities('PostgreSQL', openPostgresPlace);
