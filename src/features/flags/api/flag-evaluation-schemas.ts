import { Type } from '@sinclair/typebox';
import { personName } from '../../../core/persons/person-name.ts';
import { nullable, Uuid } from '../../../http/schemas/common.ts';
import type { Impact, ValueChange } from '../decide/blast-radius.ts';
import { FeatureFlagSchema } from './flag-schemas.ts';

const Value = Type.Union([Type.Boolean(), Type.String()], { description: 'True, false, or the key of a variant.' });

export const EvaluationReasonsSchema = Type.Record(
  Type.String(),
  Type.Object({
    value: Value,
    evaluation: Type.Object({
      reason: Type.String(),
      condition_index: nullable(Type.Integer()),
      description: Type.String(),
    }),
  }),
  { description: 'By flag key.' },
);

export const MyFlagsSchema = Type.Array(Type.Object({ feature_flag: FeatureFlagSchema, value: Value }));

const Open = Type.Record(Type.String(), Type.Unknown());

/** The fields that are present decide what is measured. */
export const BlastRadiusRequestSchema = Type.Object({
  condition: Type.Optional(nullable(Type.Object({ properties: Type.Optional(nullable(Type.Array(Open))) }))),
  group_type_index: Type.Optional(nullable(Type.Integer())),
  id: Type.Optional(nullable(Type.Integer({ description: 'A flag, to measure whose value would change.' }))),
  key: Type.Optional(Type.String()),
  filters: Type.Optional(Open),
  active: Type.Optional(Type.Boolean()),
  deleted: Type.Optional(Type.Boolean()),
});

const Change = Type.Object({ from: Value, to: Value, count: Type.Integer() });

export const BlastRadiusSchema = Type.Object({
  users_affected: Type.Integer(),
  total_users: Type.Integer(),
  users_changed: Type.Optional(Type.Integer({ description: 'How many users would get another value; with an `id`.' })),
  changes: Type.Optional(Type.Array(Change, { description: 'Counts by old and new value, the most frequent first.' })),
  next: Type.Optional(nullable(Type.String())),
  previous: Type.Optional(nullable(Type.String())),
  results: Type.Optional(
    Type.Array(
      Type.Object({
        id: Type.Optional(Type.Integer()),
        uuid: Type.Optional(Uuid),
        name: Type.String(),
        group_key: Type.Optional(Type.String()),
        from: Value,
        to: Value,
      }),
    ),
  ),
});

export const presentReach = ({ affected, total }: Pick<Impact, 'affected' | 'total'>) => ({
  users_affected: affected,
  total_users: total,
});

export const presentChange = ({ target, distinctId, from, to }: ValueChange) =>
  typeof target === 'string'
    ? { group_key: target, name: target, from, to }
    : { id: target.id, uuid: target.uuid, name: personName(target.properties, [distinctId], target.id), from, to };
