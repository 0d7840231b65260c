import { type Static, Type } from '@sinclair/typebox';
import type { FlagRoleAccess } from '../../stores/flag-records.ts';
import { DateTime, iso, Uuid } from './common.ts';
import { FeatureFlagSchema } from './feature-flag.ts';
import { RoleSchema } from './role.ts';

export const FlagRoleAccessSchema = Type.Object({
  id: Type.Integer(),
  feature_flag: FeatureFlagSchema,
  role: RoleSchema,
  role_id: Uuid,
  added_at: DateTime,
  updated_at: DateTime,
});

export const FlagRoleAccessCreateSchema = Type.Object({ role_id: Type.String({ format: 'uuid' }) });

export const presentFlagRoleAccess = (
  access: FlagRoleAccess,
  flag: Static<typeof FeatureFlagSchema>,
  role: Static<typeof RoleSchema>,
): Static<typeof FlagRoleAccessSchema> => ({
  id: access.id,
  feature_flag: flag,
  role,
  role_id: access.roleId,
  added_at: iso(access.addedAt),
  updated_at: iso(access.updatedAt),
});
