import { Type } from '@sinclair/typebox';
import { DateTime, iso, nullable } from '../../../http/schemas/common.ts';
import type { EventPerson } from '../../../stores/metadata/event-records.ts';
import type { NamedGroupType, StoredGroup } from '../../../stores/metadata/groups.ts';

const Name = nullable(Type.String({ maxLength: 400 }));

export const GroupTypeSchema = Type.Object({
  group_type: Type.String(),
  group_type_index: Type.Integer(),
  name_singular: Name,
  name_plural: Name,
});

export const presentGroupType = (type: NamedGroupType) => ({
  group_type: type.name,
  group_type_index: type.index,
  name_singular: type.nameSingular,
  name_plural: type.namePlural,
});

export const GroupTypeNamesSchema = Type.Array(
  Type.Object({
    group_type_index: Type.Integer(),
    name_singular: Type.Optional(Name),
    name_plural: Type.Optional(Name),
  }),
  { maxItems: 5 },
);

export const GroupSchema = Type.Object({
  group_type_index: Type.Integer(),
  group_key: Type.String(),
  created_at: DateTime,
  group_properties: Type.Record(Type.String(), Type.Unknown()),
});

export const presentGroup = (group: StoredGroup) => ({
  group_type_index: group.typeIndex,
  group_key: group.key,
  created_at: iso(group.createdAt),
  group_properties: group.properties,
});

export const GroupListSchema = Type.Object({
  next: nullable(Type.String({ format: 'uri' })),
  previous: nullable(Type.String({ format: 'uri' })),
  results: Type.Array(GroupSchema),
});

const RelatedPersonSchema = Type.Object({
  type: Type.Literal('person'),
  id: Type.String(),
  uuid: Type.String(),
  distinct_ids: Type.Array(Type.String(), { description: 'The first one.' }),
  is_identified: Type.Boolean(),
  properties: Type.Record(Type.String(), Type.Unknown()),
});

const RelatedGroupSchema = Type.Object({
  type: Type.Literal('group'),
  id: Type.String(),
  group_type_index: Type.Integer(),
  group_key: Type.String(),
  created_at: DateTime,
  properties: Type.Record(Type.String(), Type.Unknown()),
});

export const RelatedSchema = Type.Array(Type.Union([RelatedPersonSchema, RelatedGroupSchema]));

export const presentRelatedPerson = ({ uuid, firstDistinctId, isIdentified, properties }: EventPerson) => ({
  type: 'person' as const,
  id: uuid,
  uuid,
  distinct_ids: firstDistinctId === null ? [] : [firstDistinctId],
  is_identified: isIdentified,
  properties,
});

export const presentRelatedGroup = ({ typeIndex, key, createdAt, properties }: StoredGroup) => ({
  type: 'group' as const,
  id: key,
  group_type_index: typeIndex,
  group_key: key,
  created_at: iso(createdAt),
  properties,
});

const NameCounts = Type.Array(Type.Object({ name: Type.String(), count: Type.Integer() }));

export const GroupValuesSchema = NameCounts;
/** By `group_type_index`. */
export const GroupPropertiesSchema = Type.Record(Type.String(), NameCounts);
