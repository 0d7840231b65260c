import { Type } from '@sinclair/typebox';
import type { ListedProperty } from '../../insights/list-definitions.ts';
import type { EventDefinition } from '../../stores/event-records.ts';
import { DateTime, iso, nullable, UserSummarySchema, Uuid } from './common.ts';

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

/** What only actions have is null; what nobody can set yet has the value of a fresh definition. */
export const presentEventDefinition = (definition: EventDefinition, volume: number) => ({
  id: definition.id,
  name: definition.name,
  owner: null,
  description: '',
  tags: [],
  volume_30_day: volume,
  // No questions can be saved yet, so none has used it.
  query_usage_30_day: 0,
  created_at: iso(definition.createdAt),
  updated_at: iso(definition.createdAt),
  updated_by: null,
  last_seen_at: iso(definition.lastSeenAt),
  last_updated_at: null,
  verified: false,
  verified_at: null,
  verified_by: null,
  is_action: null,
  action_id: null,
  is_calculating: null,
  last_calculated_at: null,
  created_by: null,
  post_to_slack: false,
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
});

export const presentPropertyDefinition = (definition: ListedProperty) => ({
  id: definition.id,
  name: definition.name,
  description: '',
  tags: [],
  is_numerical: definition.propertyType === 'Numeric',
  updated_at: iso(definition.createdAt),
  updated_by: null,
  query_usage_30_day: 0,
  is_seen_on_filtered_events: definition.isSeen,
  property_type: definition.propertyType,
});
