import { Type } from '@sinclair/typebox';
import { DateTime, iso, nullable, presentUserSummary, UserSummarySchema, Uuid } from '../../../http/schemas/common.ts';
import type { Membership, MembershipLevel, Organization, Project, User } from '../../../stores/metadata/accounts.ts';
import { ProjectBasicSchema, presentProjectBasic } from './project-schemas.ts';

const Level = Type.Integer({ description: '1 member, 8 admin, 15 owner' });

export const OrganizationSchema = Type.Object({
  id: Uuid,
  name: Type.String(),
  slug: Type.String(),
  created_at: DateTime,
  updated_at: DateTime,
  membership_level: nullable(Level),
  plugins_access_level: Type.Integer(),
  teams: Type.Array(ProjectBasicSchema),
  available_features: Type.Array(Type.String()),
  is_member_join_email_enabled: Type.Boolean(),
  enforce_2fa: Type.Boolean({ description: 'Members must have a second factor.' }),
  allow_publicly_shared_resources: Type.Boolean({
    description: 'Whether shared links open anything for people who are not signed in.',
  }),
  metadata: Type.Record(Type.String(), Type.Unknown()),
  customer_id: nullable(Type.String()),
});

export const OrganizationWriteSchema = Type.Object({ name: Type.String({ minLength: 1, maxLength: 64 }) });
export const OrganizationChangeSchema = Type.Partial(
  Type.Object({
    ...OrganizationWriteSchema.properties,
    enforce_2fa: Type.Boolean(),
    allow_publicly_shared_resources: Type.Boolean(),
  }),
);

/** All features are available; clients look for these names. */
const FEATURES = ['role_based_access', 'tagging', 'ingestion_taxonomy', 'correlation_analysis', 'paths_advanced'];

export const presentOrganization = (
  organization: Organization,
  level: MembershipLevel | null,
  projects: readonly Project[],
) => ({
  id: organization.id,
  name: organization.name,
  slug: organization.slug,
  created_at: iso(organization.createdAt),
  updated_at: iso(organization.updatedAt),
  membership_level: level,
  plugins_access_level: 0,
  teams: projects.map(presentProjectBasic),
  available_features: FEATURES,
  is_member_join_email_enabled: false,
  enforce_2fa: organization.requiresFactor,
  allow_publicly_shared_resources: organization.allowsSharing,
  metadata: {},
  customer_id: null,
});

export const MemberSchema = Type.Object({
  id: Uuid,
  user: UserSummarySchema,
  level: Level,
  source: Type.String({ description: '`oidc` if a group of the provider gives the level, otherwise `manual`' }),
  joined_at: DateTime,
  updated_at: DateTime,
});

const LevelChoice = Type.Union([Type.Literal(1), Type.Literal(8), Type.Literal(15)]);

export const MemberChangeSchema = Type.Object({ level: LevelChoice });

export const presentMember = (membership: Membership, user: User) => ({
  id: membership.id,
  user: presentUserSummary(user),
  level: membership.level,
  source: membership.level === membership.ownLevel ? 'manual' : 'oidc',
  joined_at: iso(membership.joinedAt),
  updated_at: iso(membership.updatedAt),
});
