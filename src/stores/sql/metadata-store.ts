import { sql } from 'kysely';
import type { MetadataStore } from '../metadata-store.ts';
import { activityStore, installationStore } from './activity.ts';
import { cohortStore } from './cohorts.ts';
import type { SqlDialect } from './dialect.ts';
import { deadLetterStore, definitionStore, eventPersonStore, fateStore, warningStore } from './event-records.ts';
import { flagRoleAccessStore, flagStore } from './flags.ts';
import { membershipStore, organizationStore } from './organizations.ts';
import { personStore } from './persons.ts';
import { projectStore } from './projects.ts';
import { resourceAccessStore, roleMembershipStore, roleStore } from './roles.ts';
import type { Db } from './tables.ts';
import { personalKeyStore, sessionStore, userStore } from './users.ts';

/** The relational shelf over any database that Kysely speaks to. */
export function sqlMetadataStore(db: Db, dialect: SqlDialect): MetadataStore {
  const on = { db, dialect };
  return {
    organizations: organizationStore(on),
    users: userStore(on),
    memberships: membershipStore(on),
    personalKeys: personalKeyStore(on),
    sessions: sessionStore(on),
    projects: projectStore(on),
    roles: roleStore(on),
    roleMemberships: roleMembershipStore(on),
    resourceAccess: resourceAccessStore(on),
    activity: activityStore(on),
    installation: installationStore(on),
    eventPersons: eventPersonStore(on),
    deadLetters: deadLetterStore(on),
    fates: fateStore(on),
    warnings: warningStore(on),
    definitions: definitionStore(on),
    flags: flagStore(on),
    flagRoleAccess: flagRoleAccessStore(on),
    cohorts: cohortStore(on),
    persons: personStore(on),
    transaction: (work) => db.transaction().execute((tx) => work(sqlMetadataStore(tx, dialect))),
    async check() {
      await sql`select 1`.execute(db);
    },
    close: () => db.destroy(),
  };
}
