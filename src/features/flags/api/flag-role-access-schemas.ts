import { type Static, Type } from '@sinclair/typebox';
import { DateTime, iso, Uuid } from '../../../http/schemas/common.ts';
import type { FlagRoleAccess } from '../../../stores/metadata/flags.ts';
import { RoleSchema } from '../../accounts/api/role-schemas.ts';
import { FeatureFlagSchema } from './flag-schemas.ts';

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
