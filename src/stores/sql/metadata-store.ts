import { sql } from 'kysely';
import type { MetadataStore } from '../metadata/metadata-store.ts';
import { actionStore } from './actions.ts';
import { activityStore, installationStore } from './activity.ts';
import { cohortMemberStore, cohortStore } from './cohorts.ts';
import { dashboardStore } from './dashboards.ts';
import { definitionStore } from './definitions.ts';
import { deletionStore } from './deletions.ts';
import type { SqlDialect } from './dialect.ts';
import { deadLetterStore, eventPersonStore, fateStore, warningStore } from './event-records.ts';
import { flagRoleAccessStore, flagStore } from './flags.ts';
import { groupStore } from './groups.ts';
import { membershipStore, organizationStore } from './organizations.ts';
import { outboxStore } from './outbox.ts';
import { personIdentityStore } from './person-identities.ts';
import { personStore } from './persons.ts';
import { projectStore } from './projects.ts';
import { queryUsageStore } from './query-usage.ts';
import { resourceAccessStore, roleMembershipStore, roleStore } from './roles.ts';
import { insightStore } from './saved-insights.ts';
import { subjectStore } from './subjects.ts';
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
    groups: groupStore(on),
    outbox: outboxStore(on),
    flags: flagStore(on),
    flagRoleAccess: flagRoleAccessStore(on),
    cohorts: cohortStore(on),
    personIdentities: personIdentityStore(on),
    deletions: deletionStore(on),
    cohortMembers: cohortMemberStore(on),
    persons: personStore(on),
    subjects: subjectStore(on),
    insights: insightStore(on),
    dashboards: dashboardStore(on),
    actions: actionStore(on),
    queryUsage: queryUsageStore(on),
    transaction: (work) =>
      db.transaction().execute(async (tx) => {
        await dialect.lock(tx, 'alone');
        return work(sqlMetadataStore(tx, dialect));
      }),
    async check() {
      await sql`select 1`.execute(db);
    },
    close: () => db.destroy(),
  };
}
