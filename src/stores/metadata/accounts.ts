/** Records of accounts, projects, roles and activity. Times are ms UTC. */
import type { Json, JsonObject } from '../../core/json/json.ts';
import type { CookielessMode, WebSettings } from '../../core/web/web-settings.ts';

/** Membership levels, as the API sends them. */
export const MEMBER = 1;
export const ADMIN = 8;
export const OWNER = 15;
export type MembershipLevel = typeof MEMBER | typeof ADMIN | typeof OWNER;

/** Levels of access to feature flags, as the API sends them. */
export const CAN_VIEW = 21;
export const CAN_EDIT = 37;
export type FlagAccessLevel = typeof CAN_VIEW | typeof CAN_EDIT;

export interface Organization {
  id: string;
  name: string;
  slug: string;
  /** Members must have a second factor. */
  requiresFactor: boolean;
  /** Whether links open anything for people who are not signed in. */
  allowsSharing: boolean;
  createdAt: number;
  updatedAt: number;
}

export interface User {
  id: number;
  uuid: string;
  distinctId: string;
  email: string;
  firstName: string;
  /** Null until the user has chosen a password. */
  passwordHash: string | null;
  isActive: boolean;
  currentOrganizationId: string | null;
  currentProjectId: number | null;
  joinedAt: number;
  /** Null: never, or before it was recorded. */
  lastSignedInAt: number | null;
  /** May sign in with password and second factor where single sign-on is enforced. */
  isBreakGlass: boolean;
}

export interface Membership {
  id: string;
  organizationId: string;
  userId: number;
  level: MembershipLevel;
  /** What people gave; groups of the provider may have raised `level` above it. Null: they are a member by a group alone. */
  ownLevel: MembershipLevel | null;
  joinedAt: number;
  updatedAt: number;
}

/** An invitation to an organization. Whoever has its link can accept it; the address alone proves nothing. */
export interface Invite {
  id: string;
  organizationId: string;
  /** In lower case. */
  email: string;
  firstName: string;
  level: MembershipLevel;
  /** SHA-256 of the token in the link. */
  tokenHash: string;
  createdBy: number | null;
  createdAt: number;
  expiresAt: number;
  /** From the inviting admin. */
  message: string | null;
  /** Whether the link was sent by mail; it may not have arrived. */
  emailingAttemptMade: boolean;
}

export interface PersonalKey {
  id: string;
  userId: number;
  label: string;
  /** SHA-256 of the key, which is shown once and never stored. */
  hash: string;
  /** How it is shown in lists, such as `phx_...a1b2`; null for keys of earlier versions. */
  mask: string | null;
  /** `thing:read`, `thing:write`, or `*` for everything. */
  scopes: readonly string[];
  /** Only in these projects; empty: in all. */
  projectIds: readonly number[];
  /** Only in these organizations; empty: in all. */
  organizationIds: readonly string[];
  createdAt: number;
  /** Null: never. */
  expiresAt: number | null;
  /** When it last got a new value. */
  rolledAt: number | null;
  lastUsedAt: number | null;
  /** The network, such as `192.0.2.0/24`; of earlier versions `192.0.2.x`. */
  lastUsedFrom: string | null;
}

/** How somebody showed who they are; `setup` is the link of the first start. */
export type SignInMethod = 'password' | 'oidc' | 'passkey' | 'setup';

export interface Session {
  /** SHA-256 of the cookie's value. */
  hash: string;
  /** Names it in the API; opens nothing. */
  id: string;
  userId: number;
  createdAt: number;
  expiresAt: number;
  /** Within ten minutes. */
  lastSeenAt: number;
  method: SignInMethod;
  /** Whether a second factor was shown, too. */
  hasFactor: boolean;
  /** Shortened. */
  address: string;
  userAgent: string;
  /** The id of the session at the provider, if it told one. */
  sid: string | null;
}

/** An unused link with which a user chooses a new password; a user has one at most. */
export interface PasswordReset {
  userId: number;
  /** SHA-256 of the token in the link. */
  tokenHash: string;
  expiresAt: number;
}

/** A named secret key of a project. */
export interface ProjectSecretKey {
  id: string;
  projectId: number;
  label: string;
  hash: string;
  /** Its end, to tell it from others. */
  mask: string;
  createdAt: number;
  createdBy: number | null;
  /** When it last got a new value; null: never. */
  rolledAt: number | null;
}

export interface Project {
  id: number;
  uuid: string;
  organizationId: string;
  name: string;
  /** The public key (`phc_…`) that SDKs send. */
  apiToken: string;
  /** SHA-256 of the secret key (`phs_…`), or null while the project has none. */
  secretHash: string | null;
  timezone: string;
  anonymizeIps: boolean;
  /** Null: the server's setting decides. */
  eventsRetentionDays: number | null;
  testAccountFilters: Json[];
  pathCleaningFilters: Json[];
  slackIncomingWebhook: string | null;
  /** True once an event has been stored. */
  ingestedEvent: boolean;
  webAnalytics: WebSettings;
  cookielessServerHashMode: CookielessMode;
  /** Settings that only clients read; stored and returned unchanged. */
  preferences: JsonObject;
  createdAt: number;
  updatedAt: number;
}

export type GrantSource = 'manual' | 'oidc';

export interface Role {
  id: string;
  organizationId: string;
  name: string;
  featureFlagsAccessLevel: FlagAccessLevel;
  createdAt: number;
  createdBy: number | null;
}

export interface RoleMembership {
  id: string;
  roleId: string;
  userId: number;
  joinedAt: number;
  updatedAt: number;
  /** Who gave it: people, or a group of the provider, which then can take it away. */
  source: GrantSource;
}

/** An organization's default access to a kind of resource; only `feature flags` has an effect. */
export interface ResourceAccess {
  id: string;
  organizationId: string;
  resource: string;
  accessLevel: FlagAccessLevel;
  createdAt: number;
  updatedAt: number;
  createdBy: number | null;
}

export interface ActivityChange {
  type: string;
  action: 'changed' | 'created' | 'deleted' | 'merged' | 'split' | 'exported';
  field: string | null;
  before: Json;
  after: Json;
}

export interface ActivityDetail {
  changes: ActivityChange[] | null;
  trigger: JsonObject | null;
  name: string | null;
  short_id: string | null;
}

/** An entry of the activity log. `userId` is null for the system. */
export interface Activity {
  id: string;
  organizationId: string;
  projectId: number | null;
  userId: number | null;
  activity: string;
  scope: string;
  itemId: string;
  detail: ActivityDetail;
  createdAt: number;
}
