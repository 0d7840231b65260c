import { Type } from '@sinclair/typebox';
import {
  DateTime,
  iso,
  isoOrNull,
  nullable,
  presentUserOrNull,
  UserSummarySchema,
  Uuid,
} from '../../../http/schemas/common.ts';
import type { User } from '../../../stores/metadata/accounts.ts';
import type { DefinitionDetails, EventDefinition, PropertyDefinition } from '../../../stores/metadata/definitions.ts';
import type { EventCounts } from '../list-definitions.ts';

/** Users that definitions refer to, by id. */
type Users = ReadonlyMap<number, User>;

export const userIdsOf = ({ updatedBy, verifiedBy }: DefinitionDetails): (number | null)[] => [updatedBy, verifiedBy];

export const EventDefinitionSchema = Type.Object({
  id: Uuid,
  name: Type.String(),
  owner: nullable(Type.Integer()),
  description: nullable(Type.String()),
  tags: Type.Array(Type.String()),
  volume_30_day: nullable(Type.Integer()),
  query_usage_30_day: nullable(Type.Integer()),
  created_at: DateTime,
  updated_at: DateTime,
  updated_by: nullable(UserSummarySchema),
  last_seen_at: nullable(DateTime),
  last_updated_at: nullable(DateTime),
  verified: Type.Boolean(),
  verified_at: nullable(DateTime),
  verified_by: nullable(UserSummarySchema),
  is_action: nullable(Type.String()),
  action_id: nullable(Type.Integer()),
  is_calculating: nullable(Type.Boolean()),
  last_calculated_at: nullable(DateTime),
  created_by: nullable(UserSummarySchema),
  post_to_slack: Type.Boolean(),
});

const WRITABLE = {
  description: nullable(Type.String({ maxLength: 10_000 })),
  tags: Type.Array(Type.String({ maxLength: 255 }), { maxItems: 1000 }),
  verified: Type.Boolean(),
};

export const EventDefinitionWriteSchema = Type.Partial(
  Type.Object({ ...WRITABLE, owner: nullable(Type.Integer()), post_to_slack: Type.Boolean() }),
);

/** `volumes` is null while the event store is down. */
type KnownCounts = Pick<EventCounts, 'usage'> & { volumes: EventCounts['volumes'] | null };

/** Fields that only actions have are null. */
export const presentEventDefinition = (definition: EventDefinition, { volumes, usage }: KnownCounts, users: Users) => ({
  id: definition.id,
  name: definition.name,
  owner: definition.ownerId,
  description: definition.description,
  tags: definition.tags,
  volume_30_day: volumes && (volumes.get(definition.name) ?? 0),
  query_usage_30_day: usage.get(definition.name) ?? 0,
  created_at: iso(definition.createdAt),
  updated_at: iso(definition.updatedAt ?? definition.createdAt),
  updated_by: presentUserOrNull(users, definition.updatedBy),
  last_seen_at: iso(definition.lastSeenAt),
  last_updated_at: null,
  ...presentVerified(definition, users),
  is_action: null,
  action_id: null,
  is_calculating: null,
  last_calculated_at: null,
  created_by: null,
  post_to_slack: definition.postToSlack,
});

const presentVerified = ({ verifiedAt, verifiedBy }: DefinitionDetails, users: Users) => ({
  verified: verifiedAt !== null,
  verified_at: isoOrNull(verifiedAt),
  verified_by: presentUserOrNull(users, verifiedBy),
});

export const PropertyDefinitionSchema = Type.Object({
  id: Uuid,
  name: Type.String(),
  description: Type.String(),
  tags: Type.Array(Type.String()),
  is_numerical: Type.Boolean(),
  updated_at: DateTime,
  updated_by: nullable(UserSummarySchema),
  query_usage_30_day: nullable(Type.Integer()),
  is_seen_on_filtered_events: nullable(Type.Boolean()),
  property_type: nullable(Type.String()),
  verified: Type.Boolean(),
  verified_at: nullable(DateTime),
  verified_by: nullable(UserSummarySchema),
});

const TYPES = ['DateTime', 'String', 'Numeric', 'Boolean'] as const;

export const PropertyDefinitionWriteSchema = Type.Partial(
  Type.Object({
    ...WRITABLE,
    property_type: nullable(Type.Union(TYPES.map((type) => Type.Literal(type)))),
    is_numerical: Type.Boolean(),
  }),
);

/** `isSeen`: whether it was seen on the requested events; null without such a request. */
export const presentPropertyDefinition = (
  definition: PropertyDefinition,
  usage: ReadonlyMap<string, number>,
  users: Users,
  isSeen: boolean | null,
) => ({
  id: definition.id,
  name: definition.name,
  description: definition.description,
  tags: definition.tags,
  is_numerical: definition.propertyType === 'Numeric',
  updated_at: iso(definition.updatedAt ?? definition.createdAt),
  updated_by: presentUserOrNull(users, definition.updatedBy),
  query_usage_30_day: usage.get(definition.name) ?? 0,
  is_seen_on_filtered_events: isSeen,
  property_type: definition.propertyType,
  ...presentVerified(definition, users),
});
