import { type Static, Type } from '@sinclair/typebox';
import { readableFilters } from '../../core/flags/filters-shape.ts';
import { visibleFields } from '../../manage/flag-fields.ts';
import type { FlagVersion } from '../../stores/flag-records.ts';
import type { User } from '../../stores/records.ts';
import { DateTime, iso, nullable, presentUserOrNull, UserSummarySchema } from './common.ts';

export const FlagVersionSchema = Type.Object({
  version: Type.Integer(),
  created_at: DateTime,
  created_by: nullable(UserSummarySchema),
  flag: Type.Record(Type.String(), Type.Unknown(), { description: 'The fields that can be changed, as they were.' }),
});

export const presentFlagVersion = (
  version: FlagVersion,
  users: ReadonlyMap<number, User>,
): Static<typeof FlagVersionSchema> => ({
  version: version.version,
  created_at: iso(version.updatedAt),
  created_by: presentUserOrNull(users, version.lastModifiedBy),
  flag: { ...visibleFields(version), filters: readableFilters(version.filters) },
});
