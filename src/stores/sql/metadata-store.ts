import { sql } from 'kysely';
import type { FeatureStores, MetadataStore } from '../metadata/metadata-store.ts';
import { actionStore } from './actions.ts';
import { activityStore, installationStore } from './activity.ts';
import { auditStore } from './audit.ts';
import { cohortMemberStore, cohortStore } from './cohorts.ts';
import { cookielessVisitorStore } from './cookieless-visitors.ts';
import { definitionStore } from './definitions.ts';
import { deletionStore } from './deletions.ts';
import type { SqlDialect } from './dialect.ts';
import { deadLetterStore, eventPersonStore, fateStore, warningStore } from './event-records.ts';
import { factorStore, spentTokenStore } from './factors.ts';
import { type FeatureTables, NO_FEATURE_TABLES } from './feature-tables.ts';
import { flagRoleAccessStore, flagStore } from './flags.ts';
import { groupStore } from './groups.ts';
import { inviteStore } from './invites.ts';
import { membershipStore, organizationStore } from './organizations.ts';
import { outboxStore } from './outbox.ts';
import { personIdentityStore } from './person-identities.ts';
import { personStore } from './persons.ts';
import { projectStore } from './projects.ts';
import { queryUsageStore } from './query-usage.ts';
import { recoveryStore } from './recovery.ts';
import { resourceAccessStore, roleMembershipStore, roleStore } from './roles.ts';
import { secretKeyStore } from './secret-keys.ts';
import { passwordResetStore, sessionStore, throttleStore } from './sessions.ts';
import { domainStore, ssoIdentityStore } from './sso.ts';
import { subjectStore } from './subjects.ts';
import { type Db, PROJECT_TABLES } from './tables.ts';
import { personalKeyStore, userStore } from './users.ts';

/** The metadata store on any database that Kysely supports. */
export function sqlMetadataStore(db: Db, dialect: SqlDialect, own: FeatureTables = NO_FEATURE_TABLES): MetadataStore {
  const on = { db, dialect };
  const projectTables = [...PROJECT_TABLES, ...own.projectTables];
  const platform: Omit<MetadataStore, keyof FeatureStores> = {
    organizations: organizationStore(on, projectTables),
    users: userStore(on),
    memberships: membershipStore(on),
    invites: inviteStore(on),
    personalKeys: personalKeyStore(on),
    sessions: sessionStore(on),
    passwordResets: passwordResetStore(on),
    throttles: throttleStore(on),
    factors: factorStore(on),
    spentTokens: spentTokenStore(on),
    ssoIdentities: ssoIdentityStore(on),
    domains: domainStore(on),
    projects: projectStore(on, projectTables),
    roles: roleStore(on),
    roleMemberships: roleMembershipStore(on),
    resourceAccess: resourceAccessStore(on),
    activity: activityStore(on),
    audit: auditStore(on),
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
    actions: actionStore(on),
    queryUsage: queryUsageStore(on),
    cookielessVisitors: cookielessVisitorStore(on),
    secretKeys: secretKeyStore(on),
    recovery: recoveryStore(on),
    transaction: (work) =>
      db.transaction().execute(async (tx) => {
        await dialect.lock(tx, 'alone');
        return work(sqlMetadataStore(tx, dialect, own));
      }),
    async check() {
      await sql`select 1`.execute(db);
    },
    close: () => db.destroy(),
  };
  const stores = Object.entries(own.stores).map(([name, open]) => [name, open(on)]);
  // Complete but for the tables of features that were left out: the worker thread and many tests use none of them.
  return { ...platform, ...Object.fromEntries(stores) } as MetadataStore;
}
