import { Type } from '@sinclair/typebox';
import { RESOURCES } from '../../../access/resources.ts';
import {
  DateTime,
  iso,
  nullable,
  presentUserOrNull,
  presentUserSummary,
  UserSummarySchema,
  Uuid,
} from '../../../http/schemas/common.ts';
import {
  CAN_EDIT,
  CAN_VIEW,
  type ResourceAccess,
  type Role,
  type RoleMembership,
  type User,
} from '../../../stores/metadata/accounts.ts';

const AccessLevel = Type.Union([Type.Literal(CAN_VIEW), Type.Literal(CAN_EDIT)], {
  description: '21: can only view. 37: can edit.',
});

export const RoleSchema = Type.Object({
  id: Uuid,
  name: Type.String(),
  feature_flags_access_level: AccessLevel,
  created_at: DateTime,
  created_by: nullable(UserSummarySchema),
  members: Type.String({ description: 'Email addresses, joined by ", "; role_memberships/ has the list.' }),
  associated_flags: Type.String({ description: 'Keys of the flags that the role can edit, joined by ", ".' }),
});

const RoleName = Type.String({ minLength: 1, maxLength: 200 });

/** A level is accepted and ignored: a new role has the organization's default. */
export const RoleCreateSchema = Type.Object({
  name: RoleName,
  feature_flags_access_level: Type.Optional(Type.Unknown()),
});

export const RoleChangeSchema = Type.Partial(Type.Object({ name: RoleName, feature_flags_access_level: AccessLevel }));

export const presentRole = (
  role: Role,
  users: ReadonlyMap<number, User>,
  memberIds: readonly number[],
  flagKeys: readonly string[],
) => ({
  id: role.id,
  name: role.name,
  feature_flags_access_level: role.featureFlagsAccessLevel,
  created_at: iso(role.createdAt),
  created_by: presentUserOrNull(users, role.createdBy),
  members: memberIds.flatMap((id) => users.get(id)?.email ?? []).join(', '),
  associated_flags: flagKeys.join(', '),
});

export const RoleMembershipSchema = Type.Object({
  id: Uuid,
  role_id: Uuid,
  user: UserSummarySchema,
  joined_at: DateTime,
  updated_at: DateTime,
});

export const RoleMembershipCreateSchema = Type.Object({ user_uuid: Type.String({ format: 'uuid' }) });

export const presentRoleMembership = (membership: RoleMembership, user: User) => ({
  id: membership.id,
  role_id: membership.roleId,
  user: presentUserSummary(user),
  joined_at: iso(membership.joinedAt),
  updated_at: iso(membership.updatedAt),
});

const Resource = Type.Union(RESOURCES.map((resource) => Type.Literal(resource)));

export const ResourceAccessSchema = Type.Object({
  id: Uuid,
  resource: Resource,
  access_level: AccessLevel,
  created_at: DateTime,
  updated_at: DateTime,
  created_by: nullable(UserSummarySchema),
});

export const ResourceAccessCreateSchema = Type.Object({
  resource: Resource,
  access_level: Type.Optional(AccessLevel),
});

export const ResourceAccessChangeSchema = Type.Object({ access_level: AccessLevel });

export const presentResourceAccess = (access: ResourceAccess, users: ReadonlyMap<number, User>) => ({
  id: access.id,
  resource: access.resource,
  access_level: access.accessLevel,
  created_at: iso(access.createdAt),
  updated_at: iso(access.updatedAt),
  created_by: presentUserOrNull(users, access.createdBy),
});
