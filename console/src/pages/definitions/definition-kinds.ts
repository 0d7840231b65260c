import {
  type EventDefinition,
  listEventDefinitions,
  listPropertyDefinitions,
  type PropertyDefinition,
  updateEventDefinition,
  updatePropertyDefinition,
} from '../../api/definitions.ts';
import type { Paged, Query } from '../../api/request.ts';
/** Events and properties are listed alike; what differs between them is here. */

export const KINDS = [
  { id: 'events', label: 'Events' },
  { id: 'event-properties', label: 'Event properties' },
  { id: 'person-properties', label: 'Person properties' },
] as const;
export type Kind = (typeof KINDS)[number]['id'];

/** A definition as the table shows it, whatever it defines. */
export interface Definition {
  id: string;
  name: string;
  description: string;
  tags: string[];
  verified: boolean;
  /** Only of events. */
  owner?: number | null;
  volume?: number | null;
  lastSeenAt?: string | null;
  notifies?: boolean;
  /** Only of properties. */
  type?: string | null;
}

/** What can be changed of either kind. */
export interface Changes {
  description?: string;
  tags?: string[];
  verified?: boolean;
  owner?: number | null;
  post_to_slack?: boolean;
  property_type?: PropertyType | null;
}

export const PROPERTY_TYPES = ['String', 'Numeric', 'Boolean', 'DateTime'] as const;
export type PropertyType = (typeof PROPERTY_TYPES)[number];

const fromEvent = (definition: EventDefinition): Definition => ({
  id: definition.id,
  name: definition.name,
  description: definition.description ?? '',
  tags: definition.tags,
  verified: definition.verified,
  owner: definition.owner,
  volume: definition.volume_30_day,
  lastSeenAt: definition.last_seen_at,
  notifies: definition.post_to_slack,
});

const fromProperty = ({ id, name, description, tags, verified, property_type }: PropertyDefinition): Definition => ({
  id,
  name,
  description,
  tags,
  verified,
  type: property_type,
});

const shown = <T>({ count, results }: Paged<T>, show: (one: T) => Definition) => ({ count, items: results.map(show) });

export async function listDefinitions(projectId: number, kind: Kind, query: Query, signal?: AbortSignal) {
  if (kind === 'events') return shown(await listEventDefinitions(projectId, query, signal), fromEvent);
  const type = kind === 'person-properties' ? 'person' : 'event';
  const { ordering: _, ...rest } = query;
  return shown(await listPropertyDefinitions(projectId, { ...rest, type }, signal), fromProperty);
}

export async function changeDefinition(projectId: number, kind: Kind, id: string, changes: Changes) {
  if (kind === 'events') {
    const { property_type: _, ...rest } = changes;
    return fromEvent(await updateEventDefinition(projectId, id, rest));
  }
  const { owner, post_to_slack, ...rest } = changes;
  return fromProperty(await updatePropertyDefinition(projectId, id, rest));
}

/** The tags of a definition after some were added to several: none twice, in the order in which they came. */
export const withTags = (tags: readonly string[], added: readonly string[]): string[] => [
  ...new Set([...tags, ...added]),
];
