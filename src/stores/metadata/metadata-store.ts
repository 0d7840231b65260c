/**
 * The relational shelf: everything that is small, related and changed by people.
 *
 * It is a bundle of small stores, one for each noun. `transaction` gives the same bundle inside a transaction; what is
 * done through it happens wholly or not at all, and nobody else writes in between: so 'look, then write' is safe inside.
 * Look-ups return null for 'there is none'.
 */

import type { OutboxStore } from '../ingest/outbox.ts';
import type {
  Activity,
  Membership,
  Organization,
  PersonalKey,
  Project,
  ResourceAccess,
  Role,
  RoleMembership,
  Session,
  User,
} from './accounts.ts';
import type { ActionStore } from './actions.ts';
import type { CohortMemberStore, CohortStore } from './cohorts.ts';
import type { DashboardStore } from './dashboards.ts';
import type { DefinitionStore } from './definitions.ts';
import type { DeletionStore } from './deletions.ts';
import type { DeadLetterStore, EventPersonStore, FateStore, WarningStore } from './event-records.ts';
import type { FlagRoleAccessStore, FlagStore } from './flags.ts';
import type { GroupStore } from './groups.ts';
import type { Page, Paged } from './page.ts';
import type { PersonJournal } from './person-identities.ts';
import type { PersonStore } from './persons.ts';
import type { QueryUsageStore } from './query-usage.ts';
import type { InsightStore } from './saved-insights.ts';
import type { SubjectStore } from './subjects.ts';

export interface OrganizationStore {
  create(organization: Organization): Promise<void>;
  byId(id: string): Promise<Organization | null>;
  bySlug(slug: string): Promise<Organization | null>;
  listForUser(userId: number, page: Page): Promise<Paged<Organization>>;
  update(id: string, changes: Partial<Omit<Organization, 'id'>>): Promise<void>;
  /** Takes its memberships, roles, projects and activity with it. */
  delete(id: string): Promise<void>;
}

export interface UserStore {
  create(user: Omit<User, 'id'>): Promise<User>;
  byId(id: number): Promise<User | null>;
  byIds(ids: readonly number[]): Promise<User[]>;
  byUuid(uuid: string): Promise<User | null>;
  /** E-mail addresses are compared in lower case. */
  byEmail(email: string): Promise<User | null>;
  list(): Promise<User[]>;
  update(id: number, changes: Partial<Omit<User, 'id' | 'uuid'>>): Promise<void>;
}

export interface MembershipStore {
  add(membership: Membership): Promise<void>;
  find(organizationId: string, userId: number): Promise<Membership | null>;
  ofUser(userId: number): Promise<Membership[]>;
  list(organizationId: string, page: Page): Promise<Paged<Membership>>;
  countOwners(organizationId: string): Promise<number>;
  setLevel(id: string, level: Membership['level'], updatedAt: number): Promise<void>;
  /** Takes the user's role memberships in that organization with it. */
  remove(id: string): Promise<void>;
}

export interface PersonalKeyStore {
  add(key: PersonalKey): Promise<void>;
  byHash(hash: string): Promise<PersonalKey | null>;
  find(userId: number, id: string): Promise<PersonalKey | null>;
  /** Newest first. */
  ofUser(userId: number): Promise<PersonalKey[]>;
  touch(id: string, lastUsedAt: number): Promise<void>;
  remove(id: string): Promise<void>;
}

export interface SessionStore {
  add(session: Session): Promise<void>;
  byHash(hash: string): Promise<Session | null>;
  remove(hash: string): Promise<void>;
  /** Ends every session of the user but the one that is named. */
  removeOfUser(userId: number, exceptHash?: string): Promise<void>;
  removeExpired(now: number): Promise<void>;
}

export interface ProjectStore {
  create(project: Omit<Project, 'id'>): Promise<Project>;
  byId(id: number): Promise<Project | null>;
  byApiToken(token: string): Promise<Project | null>;
  bySecretHash(hash: string): Promise<Project | null>;
  list(organizationIds: readonly string[], page: Page): Promise<Paged<Project>>;
  all(): Promise<Project[]>;
  update(id: number, changes: Partial<Omit<Project, 'id' | 'uuid' | 'organizationId'>>): Promise<void>;
  delete(id: number): Promise<void>;
  /** Remembers that there was such a project, for whoever has to clean up behind it. */
  noteGone(id: number, goneAt: number): Promise<void>;
  gone(): Promise<GoneProject[]>;
  forgetGone(id: number): Promise<void>;
}

export interface GoneProject {
  projectId: number;
  goneAt: number;
}

export interface RoleStore {
  create(role: Role): Promise<void>;
  find(organizationId: string, id: string): Promise<Role | null>;
  /** Names are compared without regard to case. */
  byName(organizationId: string, name: string): Promise<Role | null>;
  list(organizationId: string, page: Page): Promise<Paged<Role>>;
  update(id: string, changes: Partial<Pick<Role, 'name' | 'featureFlagsAccessLevel'>>): Promise<void>;
  delete(id: string): Promise<void>;
  ofUser(organizationId: string, userId: number): Promise<Role[]>;
}

export interface RoleMembershipStore {
  add(membership: RoleMembership): Promise<void>;
  find(roleId: string, id: string): Promise<RoleMembership | null>;
  ofUser(roleId: string, userId: number): Promise<RoleMembership | null>;
  list(roleIds: readonly string[]): Promise<RoleMembership[]>;
  remove(id: string): Promise<void>;
}

export interface ResourceAccessStore {
  add(access: ResourceAccess): Promise<void>;
  find(organizationId: string, id: string): Promise<ResourceAccess | null>;
  byResource(organizationId: string, resource: string): Promise<ResourceAccess | null>;
  list(organizationId: string, page: Page): Promise<Paged<ResourceAccess>>;
  update(id: string, changes: Pick<ResourceAccess, 'accessLevel' | 'updatedAt'>): Promise<void>;
  remove(id: string): Promise<void>;
}

export interface ActivityQuery {
  organizationId: string;
  projectId?: number;
  scope?: string;
  itemId?: string;
}

export interface ActivityStore {
  append(activity: Activity): Promise<void>;
  /** Newest first. */
  list(query: ActivityQuery, page: Page): Promise<Paged<Activity>>;
}

/** Facts about this installation as a whole, such as the set-up link that has not been used yet. */
export interface InstallationStore {
  get(name: string): Promise<string | null>;
  set(name: string, value: string): Promise<void>;
  remove(name: string): Promise<void>;
}

export interface MetadataStore {
  readonly organizations: OrganizationStore;
  readonly users: UserStore;
  readonly memberships: MembershipStore;
  readonly personalKeys: PersonalKeyStore;
  readonly sessions: SessionStore;
  readonly projects: ProjectStore;
  readonly roles: RoleStore;
  readonly roleMemberships: RoleMembershipStore;
  readonly resourceAccess: ResourceAccessStore;
  readonly activity: ActivityStore;
  readonly installation: InstallationStore;
  readonly eventPersons: EventPersonStore;
  readonly deadLetters: DeadLetterStore;
  readonly fates: FateStore;
  readonly warnings: WarningStore;
  readonly definitions: DefinitionStore;
  readonly groups: GroupStore;
  readonly outbox: OutboxStore;
  readonly flags: FlagStore;
  readonly flagRoleAccess: FlagRoleAccessStore;
  readonly cohorts: CohortStore;
  readonly personJournal: PersonJournal;
  readonly deletions: DeletionStore;
  readonly cohortMembers: CohortMemberStore;
  readonly persons: PersonStore;
  readonly subjects: SubjectStore;
  readonly insights: InsightStore;
  readonly dashboards: DashboardStore;
  readonly actions: ActionStore;
  readonly queryUsage: QueryUsageStore;
  transaction<T>(work: (store: MetadataStore) => Promise<T>): Promise<T>;
  /** Throws when the store cannot be read. */
  check(): Promise<void>;
  close(): Promise<void>;
}
