/**
 * All relational data: one small store for each subject.
 *
 * `transaction` passes the same stores inside a transaction. No other writer runs meanwhile, so reading and then writing
 * is safe inside. `get` methods return null when there is no such record.
 */

import type { OutboxStore } from '../ingest/outbox.ts';
import type {
  Activity,
  Invite,
  Membership,
  Organization,
  PasswordReset,
  PersonalKey,
  Project,
  ProjectSecretKey,
  ResourceAccess,
  Role,
  RoleMembership,
  Session,
  User,
} from './accounts.ts';
import type { ActionStore } from './actions.ts';
import type { AuditStore } from './audit.ts';
import type { CohortMemberStore, CohortStore } from './cohorts.ts';
import type { CookielessVisitorStore } from './cookieless-visitors.ts';
import type { DefinitionStore } from './definitions.ts';
import type { DeletionStore } from './deletions.ts';
import type { DeadLetterStore, EventPersonStore, FateStore, WarningStore } from './event-records.ts';
import type { FactorStore, SpentTokenStore } from './factors.ts';
import type { FlagRoleAccessStore, FlagStore } from './flags.ts';
import type { GroupStore } from './groups.ts';
import type { Page, Paged } from './page.ts';
import type { PersonIdentityStore } from './person-identities.ts';
import type { PersonStore } from './persons.ts';
import type { QueryUsageStore } from './query-usage.ts';
import type { RecoveryStore } from './recovery.ts';
import type { DomainStore, SsoIdentityStore } from './sso.ts';
import type { SubjectStore } from './subjects.ts';

export interface OrganizationStore {
  create(organization: Organization): Promise<void>;
  get(id: string): Promise<Organization | null>;
  getBySlug(slug: string): Promise<Organization | null>;
  listByUser(userId: number, page: Page): Promise<Paged<Organization>>;
  count(): Promise<number>;
  /** The only one there is; null if there are several. */
  getOnly(): Promise<Organization | null>;
  /** Whether an organization of the user requires a second factor. */
  requireFactorOf(userId: number): Promise<boolean>;
  update(id: string, changes: Partial<Omit<Organization, 'id'>>): Promise<void>;
  /** Also deletes its memberships, invitations, domains, roles, projects and activity; the audit log stays. */
  delete(id: string): Promise<void>;
}

export interface UserStore {
  create(user: Omit<User, 'id'>): Promise<User>;
  get(id: number): Promise<User | null>;
  listByIds(ids: readonly number[]): Promise<User[]>;
  getByUuid(uuid: string): Promise<User | null>;
  /** E-mail addresses are compared in lower case. */
  getByEmail(email: string): Promise<User | null>;
  listAll(): Promise<User[]>;
  update(id: number, changes: Partial<Omit<User, 'id' | 'uuid'>>): Promise<void>;
}

export interface MembershipStore {
  create(membership: Membership): Promise<void>;
  get(organizationId: string, userId: number): Promise<Membership | null>;
  listByUser(userId: number): Promise<Membership[]>;
  list(organizationId: string, page: Page): Promise<Paged<Membership>>;
  countOwners(organizationId: string): Promise<number>;
  update(id: string, changes: Pick<Membership, 'level' | 'ownLevel' | 'updatedAt'>): Promise<void>;
  /** Also deletes the user's role memberships in that organization. */
  delete(id: string): Promise<void>;
}

export interface InviteStore {
  /** Replaces an earlier invitation of the same address to the same organization. */
  create(invite: Invite): Promise<void>;
  get(id: string): Promise<Invite | null>;
  /** Newest first. */
  list(organizationId: string, page: Page): Promise<Paged<Invite>>;
  /** To all organizations, oldest first. */
  listByEmail(email: string): Promise<Invite[]>;
  /** False if there was none. */
  delete(id: string): Promise<boolean>;
}

export type PersonalKeyChanges = Partial<
  Pick<PersonalKey, 'label' | 'hash' | 'mask' | 'rolledAt' | 'expiresAt' | 'scopes' | 'projectIds' | 'organizationIds'>
>;

export interface PersonalKeyStore {
  create(key: PersonalKey): Promise<void>;
  getByHash(hash: string): Promise<PersonalKey | null>;
  get(userId: number, id: string): Promise<PersonalKey | null>;
  /** Newest first. */
  listByUser(userId: number): Promise<PersonalKey[]>;
  setLastUsed(id: string, lastUsedAt: number, lastUsedFrom: string): Promise<void>;
  /** Remembers that the key was used from there; false if that was known. Beyond a thousand the oldest is forgotten. */
  addNetwork(id: string, network: string, firstUsedAt: number): Promise<boolean>;
  update(id: string, changes: PersonalKeyChanges): Promise<void>;
  delete(id: string): Promise<void>;
  /** Those that ended before this time. */
  deleteExpired(before: number): Promise<void>;
}

export interface SessionStore {
  /** `idToken`: what the provider said about its user, for signing out there. */
  create(session: Session, idToken?: string | null): Promise<void>;
  getIdToken(hash: string): Promise<string | null>;
  getByHash(hash: string): Promise<Session | null>;
  delete(hash: string): Promise<void>;
  /** Those that have not expired, latest seen first. */
  listByUser(userId: number, now: number): Promise<Session[]>;
  setLastSeen(hash: string, lastSeenAt: number): Promise<void>;
  setHasFactor(hash: string, hasFactor: boolean): Promise<void>;
  /** None of the user's sessions has a factor any more. */
  clearFactors(userId: number): Promise<void>;
  /** False if the user has no such session. */
  deleteById(userId: number, id: string): Promise<boolean>;
  /** Deletes all sessions of the user, except one if given. */
  deleteByUser(userId: number, exceptHash?: string): Promise<void>;
  /** Of the user's sessions by a provider: all, or the one with this id there. How many they were. */
  deleteByProvider(userId: number, sid?: string): Promise<number>;
  /** The user of the session with this id at the provider; null if it has ended. */
  userOfSid(sid: string): Promise<number | null>;
  deleteExpired(now: number): Promise<void>;
}

export interface PasswordResetStore {
  /** Replaces an earlier one of the same user. */
  create(reset: PasswordReset): Promise<void>;
  get(userId: number): Promise<PasswordReset | null>;
  delete(userId: number): Promise<void>;
  deleteExpired(now: number): Promise<void>;
}

/** Recent attempts by name, shared by all nodes. */
export interface ThrottleStore {
  /** Their times, oldest first; empty for an unknown name. */
  get(name: string): Promise<number[]>;
  set(name: string, attempts: readonly number[], expiresAt: number): Promise<void>;
  delete(name: string): Promise<void>;
  deleteExpired(now: number): Promise<void>;
}

export interface SecretKeyStore {
  create(key: ProjectSecretKey): Promise<void>;
  /** The newest first. */
  listByProject(projectId: number): Promise<ProjectSecretKey[]>;
  update(id: string, changes: Pick<ProjectSecretKey, 'hash' | 'mask' | 'rolledAt'>): Promise<void>;
  delete(id: string): Promise<void>;
}

export interface ProjectStore {
  create(project: Omit<Project, 'id'>): Promise<Project>;
  get(id: number): Promise<Project | null>;
  getByApiToken(token: string): Promise<Project | null>;
  /** By its secret key, or one of its named ones. */
  getBySecretHash(hash: string): Promise<Project | null>;
  /** Only those with one of the `ids`, where given. */
  list(organizationIds: readonly string[], page: Page, ids?: readonly number[]): Promise<Paged<Project>>;
  listAll(): Promise<Project[]>;
  update(id: number, changes: Partial<Omit<Project, 'id' | 'uuid' | 'organizationId'>>): Promise<void>;
  delete(id: number): Promise<void>;
  /** Records a deletion, so that the project's events can be removed later. */
  recordDeleted(id: number, deletedAt: number): Promise<void>;
  listDeleted(): Promise<DeletedProject[]>;
  clearDeleted(id: number): Promise<void>;
}

interface DeletedProject {
  projectId: number;
  deletedAt: number;
}

export interface RoleStore {
  create(role: Role): Promise<void>;
  get(organizationId: string, id: string): Promise<Role | null>;
  /** Ignores case. */
  getByName(organizationId: string, name: string): Promise<Role | null>;
  list(organizationId: string, page: Page): Promise<Paged<Role>>;
  update(id: string, changes: Partial<Pick<Role, 'name' | 'featureFlagsAccessLevel'>>): Promise<void>;
  delete(id: string): Promise<void>;
  listByUser(organizationId: string, userId: number): Promise<Role[]>;
}

export interface RoleMembershipStore {
  create(membership: RoleMembership): Promise<void>;
  get(roleId: string, id: string): Promise<RoleMembership | null>;
  getByUser(roleId: string, userId: number): Promise<RoleMembership | null>;
  listByRoles(roleIds: readonly string[]): Promise<RoleMembership[]>;
  listByUser(userId: number): Promise<RoleMembership[]>;
  delete(id: string): Promise<void>;
}

export interface ResourceAccessStore {
  create(access: ResourceAccess): Promise<void>;
  get(organizationId: string, id: string): Promise<ResourceAccess | null>;
  getByResource(organizationId: string, resource: string): Promise<ResourceAccess | null>;
  list(organizationId: string, page: Page): Promise<Paged<ResourceAccess>>;
  update(id: string, changes: Pick<ResourceAccess, 'accessLevel' | 'updatedAt'>): Promise<void>;
  delete(id: string): Promise<void>;
}

export interface ActivityQuery {
  organizationId: string;
  projectId?: number;
  scope?: string;
  itemId?: string;
  /** One of these. */
  scopes?: readonly string[];
  /** Both inclusive. */
  after?: number | undefined;
  before?: number | undefined;
  /** Left out. */
  withoutScopes?: readonly string[];
}

export interface ActivityStore {
  create(activity: Activity): Promise<void>;
  /** Newest first. */
  list(query: ActivityQuery, page: Page): Promise<Paged<Activity>>;
}

/** Key-value pairs about this installation, such as an unused setup link. */
export interface InstallationStore {
  get(name: string): Promise<string | null>;
  set(name: string, value: string): Promise<void>;
  /** The value that is there, or else this one, which is now. */
  getOrAdd(name: string, value: string): Promise<string>;
  delete(name: string): Promise<void>;
}

/** Stores of tables that one feature owns: the feature adds them with `declare module`, see `features/dashboards/store`. */
// biome-ignore lint/suspicious/noEmptyInterface: features fill it
export interface FeatureStores {}

export interface MetadataStore extends FeatureStores {
  readonly organizations: OrganizationStore;
  readonly users: UserStore;
  readonly memberships: MembershipStore;
  readonly invites: InviteStore;
  readonly personalKeys: PersonalKeyStore;
  readonly secretKeys: SecretKeyStore;
  readonly sessions: SessionStore;
  readonly passwordResets: PasswordResetStore;
  readonly throttles: ThrottleStore;
  readonly factors: FactorStore;
  readonly spentTokens: SpentTokenStore;
  readonly ssoIdentities: SsoIdentityStore;
  readonly domains: DomainStore;
  readonly projects: ProjectStore;
  readonly roles: RoleStore;
  readonly roleMemberships: RoleMembershipStore;
  readonly resourceAccess: ResourceAccessStore;
  readonly activity: ActivityStore;
  readonly audit: AuditStore;
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
  readonly personIdentities: PersonIdentityStore;
  readonly deletions: DeletionStore;
  readonly cohortMembers: CohortMemberStore;
  readonly persons: PersonStore;
  readonly subjects: SubjectStore;
  readonly actions: ActionStore;
  readonly queryUsage: QueryUsageStore;
  readonly cookielessVisitors: CookielessVisitorStore;
  readonly recovery: RecoveryStore;
  transaction<T>(work: (store: MetadataStore) => Promise<T>): Promise<T>;
  /** Throws when the store cannot be read. */
  check(): Promise<void>;
  close(): Promise<void>;
}
