import { type Static, Type } from '@sinclair/typebox';
import { DateTime, iso, nullable, presentUserOrNull, UserSummarySchema } from '../../../http/schemas/common.ts';
import type { User } from '../../../stores/metadata/accounts.ts';
import type { FlagVersion } from '../../../stores/metadata/flags.ts';
import { visibleFields } from '../manage/flag-fields.ts';
import { withExplicitGroups } from '../rules/filters-shape.ts';

export const FlagVersionSchema = Type.Object({
  version: Type.Integer(),
  created_at: DateTime,
  created_by: nullable(UserSummarySchema),
  flag: Type.Record(Type.String(), Type.Unknown(), { description: 'The fields of the flag in this version.' }),
});

export const presentFlagVersion = (
  version: FlagVersion,
  users: ReadonlyMap<number, User>,
): Static<typeof FlagVersionSchema> => ({
  version: version.version,
  created_at: iso(version.updatedAt),
  created_by: presentUserOrNull(users, version.lastModifiedBy),
  flag: { ...visibleFields(version), filters: withExplicitGroups(version.filters) },
});
