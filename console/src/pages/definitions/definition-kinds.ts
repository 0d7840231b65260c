import {
  deleteEventDefinition,
  deletePropertyDefinition,
  type EventDefinition,
  listEventDefinitions,
  listPropertyDefinitions,
  type PropertyDefinition,
  updateEventDefinition,
  updatePropertyDefinition,
} from '../../api/definitions.ts';
import type { Paged, Query } from '../../api/request.ts';
import { matchingEvents, matchingProperties } from '../../lib/friendly-names.ts';
/** What differs between the lists of events and properties. */

export const KINDS = [
  { id: 'events', label: 'Events' },
  { id: 'event-properties', label: 'Event properties' },
  { id: 'person-properties', label: 'Person properties' },
] as const;
export type Kind = (typeof KINDS)[number]['id'];

/** A row of the table. */
export interface Definition {
  id: string;
  name: string;
  description: string;
  tags: string[];
  verified: boolean;
  /** Events only. */
  owner?: number | null;
  volume?: number | null;
  lastSeenAt?: string | null;
  notifies?: boolean;
  /** Properties only. */
  type?: string | null;
}

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

interface DefinitionPage {
  count: number;
  items: Definition[];
}

const toPage = <T>({ count, results }: Paged<T>, toDefinition: (one: T) => Definition): DefinitionPage => ({
  count,
  items: results.map(toDefinition),
});

async function listPage(projectId: number, kind: Kind, query: Query, signal?: AbortSignal): Promise<DefinitionPage> {
  if (kind === 'events') return toPage(await listEventDefinitions(projectId, query, signal), fromEvent);
  const type = kind === 'person-properties' ? 'person' : 'event';
  const { ordering: _, ...rest } = query;
  return toPage(await listPropertyDefinitions(projectId, { ...rest, type }, signal), fromProperty);
}

/** The server searches raw names; what only its label matches is added to the first page. */
export async function listDefinitions(
  projectId: number,
  kind: Kind,
  query: Query & { search: string; offset: number },
  signal?: AbortSignal,
): Promise<DefinitionPage> {
  const names = kind === 'events' ? matchingEvents(query.search) : matchingProperties(query.search);
  const searches = [...(query.offset === 0 ? names : []), query.search];
  const pages = await Promise.all(searches.map((search) => listPage(projectId, kind, { ...query, search }, signal)));
  const items = [...new Map(pages.flatMap((page) => page.items.map((one) => [one.id, one]))).values()];
  return { count: pages.reduce((sum, { count }) => sum + count, 0), items };
}

export async function updateDefinition(projectId: number, kind: Kind, id: string, changes: Changes) {
  if (kind === 'events') {
    const { property_type: _, ...rest } = changes;
    return fromEvent(await updateEventDefinition(projectId, id, rest));
  }
  const { owner, post_to_slack, ...rest } = changes;
  return fromProperty(await updatePropertyDefinition(projectId, id, rest));
}

export const deleteDefinition = (projectId: number, kind: Kind, id: string): Promise<unknown> =>
  kind === 'events' ? deleteEventDefinition(projectId, id) : deletePropertyDefinition(projectId, id);

export const withTags = (tags: readonly string[], added: readonly string[]): string[] => [
  ...new Set([...tags, ...added]),
];
