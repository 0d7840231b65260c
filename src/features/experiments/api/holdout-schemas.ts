import { Type } from '@sinclair/typebox';
import {
  AnyObject,
  DateTime,
  iso,
  nullable,
  presentUserOrNull,
  UserSummarySchema,
} from '../../../http/schemas/common.ts';
import type { User } from '../../../stores/metadata/accounts.ts';
import { holdoutVariant } from '../rules/holdout-groups.ts';
import type { ExperimentHoldout } from '../store/holdout-store.ts';

export const HoldoutSchema = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  description: nullable(Type.String()),
  filters: Type.Array(AnyObject, {
    description: 'One group, with the share of people who are held out and the value that they get.',
  }),
  created_at: DateTime,
  created_by: nullable(UserSummarySchema),
  updated_at: DateTime,
});

const fields = {
  name: Type.String({ minLength: 1, maxLength: 400 }),
  filters: Type.Array(Type.Unknown(), {
    fromText: true,
    description: '`[{"properties": [], "rollout_percentage": 10}]`: ten percent of all people are held out.',
  }),
};
const description = nullable(Type.String({ maxLength: 400 }));

export const HoldoutCreateSchema = Type.Composite([Type.Object(fields), Type.Partial(Type.Object({ description }))]);
export const HoldoutChangeSchema = Type.Partial(Type.Object({ ...fields, description }));

export const presentHoldout = (holdout: ExperimentHoldout, users: ReadonlyMap<number, User>) => ({
  id: holdout.id,
  name: holdout.name,
  description: holdout.description === '' ? null : holdout.description,
  filters: holdout.filters.map((group) => ({ ...group, variant: holdoutVariant(holdout.id) })),
  created_at: iso(holdout.createdAt),
  created_by: presentUserOrNull(users, holdout.createdBy),
  updated_at: iso(holdout.updatedAt),
});
