import { Type } from '@sinclair/typebox';
import { orderDistinctIds, personName } from '../../../core/persons/person-name.ts';
import { DateTime, iso, nullable, PAGE_QUERY, Uuid } from '../../../http/schemas/common.ts';
import type { StoredPerson } from '../../../stores/metadata/persons.ts';

const Properties = Type.Record(Type.String(), Type.Unknown());

const FIELDS = {
  id: Type.Integer(),
  uuid: Uuid,
  name: Type.String(),
  distinct_ids: Type.Array(Type.String()),
  properties: Properties,
  created_at: DateTime,
  is_identified: Type.Boolean(),
};

export const PersonSchema = Type.Object(FIELDS);

export const ChangedPersonSchema = Type.Object({ ...FIELDS, success: Type.Boolean() });

export const ListedPersonSchema = Type.Object({
  type: Type.Literal('person'),
  ...FIELDS,
  matched_recordings: Type.Array(Type.Unknown()),
  value_at_data_point: nullable(Type.Number()),
});

/** Without `count`, which would have to scan all persons. */
export const PersonListSchema = Type.Object({
  next: nullable(Type.String({ format: 'uri' })),
  previous: nullable(Type.String({ format: 'uri' })),
  results: Type.Array(ListedPersonSchema),
});

export const NameCountsSchema = Type.Array(Type.Object({ name: Type.String(), count: Type.Integer() }));

export const PersonWriteSchema = Type.Object({ properties: Properties });

/** Property names are data: leading and trailing spaces count. */
const Name = Type.String({ keepSpaces: true });

/** Optional here because both may be in the query instead. */
export const UpdatePropertySchema = Type.Object({
  key: Type.Optional(Name),
  value: Type.Optional(Type.Unknown()),
});

export const DeletePropertySchema = Type.Object({ $unset: Type.Optional(Name) });

export const PERSON_QUERY = {
  distinct_id: 'Only the person with this distinct id.',
  email: 'Only persons with exactly this e-mail.',
  search: 'Part of the e-mail, or a complete distinct id.',
  properties:
    'Property filters as JSON: a list, one filter, a group `{type, values}`, or an object `{key__operator: value}`. If repeated, all apply. Filters of type `hogql` have an expression as key.',
  ...PAGE_QUERY,
} as const;

const presentFields = (person: StoredPerson, distinctIds: readonly string[]) => ({
  id: person.id,
  uuid: person.uuid,
  created_at: iso(person.createdAt),
  properties: person.properties,
  is_identified: person.isIdentified,
  name: personName(person.properties, distinctIds, person.id),
});

/** A single person: ids chosen by people come first. */
export const presentPerson = (person: StoredPerson, distinctIds: readonly string[]) => ({
  ...presentFields(person, distinctIds),
  distinct_ids: orderDistinctIds(distinctIds),
});

/** A person in a list: ids in order of creation. */
export const presentListedPerson = (person: StoredPerson, distinctIds: readonly string[]) => ({
  type: 'person' as const,
  ...presentFields(person, distinctIds),
  distinct_ids: [...distinctIds],
  matched_recordings: [],
  value_at_data_point: null,
});
