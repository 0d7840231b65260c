/** Names of events and properties. The processor records them (`ingest-store.ts`), users describe them. */
import type { PropertyType } from '../../core/events/property-types.ts';
import type { Page, Paged } from './page.ts';

/** What users can say about an event or property. */
export interface DefinitionDetails {
  description: string;
  tags: string[];
  /** Null until a user has verified it. */
  verifiedAt: number | null;
  verifiedBy: number | null;
  /** The last change by a user; null if there was none. */
  updatedAt: number | null;
  updatedBy: number | null;
}

export interface EventDetails extends DefinitionDetails {
  ownerId: number | null;
  /** Whether the project's webhook is notified of each such event. */
  postToSlack: boolean;
}

export interface EventDefinition extends EventDetails {
  id: string;
  name: string;
  createdAt: number;
  lastSeenAt: number;
}

export interface PropertyDetails extends DefinitionDetails {
  propertyType: PropertyType | null;
  /** True: a user has chosen the type (or none), so events no longer determine it. */
  isTypeChosen: boolean;
}

export interface PropertyDefinition extends PropertyDetails, PropertyKindQuery {
  id: string;
  name: string;
  createdAt: number;
}

export interface PropertyKindQuery {
  kind: 'event' | 'person' | 'group';
  /** −1 if it is not a group property. */
  groupTypeIndex: number;
}

export interface EventDefinitionFilter {
  /** Each must be in the name, ignoring the case of Latin letters. */
  words: readonly string[];
  /** Standard names start with `$`; all others are custom. */
  only: 'custom' | 'standard' | undefined;
}

export interface PropertyDefinitionFilter extends PropertyKindQuery {
  words: readonly string[];
  names: readonly string[] | undefined;
  excluded: readonly string[];
  numerical: boolean | undefined;
  /** True: only `$feature/…`; false: none of them. */
  flags: boolean | undefined;
  /** Only properties that were seen on one of these events. */
  seenOn: readonly string[] | undefined;
}

/** By score, then by name; names without one have 0. Null: by name. */
export interface NameOrder {
  scores: ReadonlyMap<string, number> | null;
  descending: boolean;
}

export interface DefinitionStore {
  pageOfEvents(
    projectId: number,
    filter: EventDefinitionFilter,
    order: NameOrder,
    page: Page,
  ): Promise<Paged<EventDefinition>>;
  pageOfProperties(
    projectId: number,
    filter: PropertyDefinitionFilter,
    order: NameOrder,
    page: Page,
  ): Promise<Paged<PropertyDefinition>>;
  /** The event may get a new definition when it is seen again. */
  deleteEvent(projectId: number, definition: EventDefinition): Promise<void>;
  deleteProperty(projectId: number, definition: PropertyDefinition): Promise<void>;
  /** By name. */
  listEvents(projectId: number): Promise<EventDefinition[]>;
  getEvent(projectId: number, id: string): Promise<EventDefinition | null>;
  updateEvent(projectId: number, id: string, details: Partial<EventDetails>): Promise<void>;
  /** By name. */
  listProperties(projectId: number, query: PropertyKindQuery): Promise<PropertyDefinition[]>;
  getProperty(projectId: number, id: string): Promise<PropertyDefinition | null>;
  updateProperty(projectId: number, id: string, details: Partial<PropertyDetails>): Promise<void>;
  /** Properties seen on any of these events, at most `limit`; with `among`, only of these. */
  listPropertyNamesByEvents(
    projectId: number,
    events: readonly string[],
    options?: { limit?: number; among?: readonly string[] },
  ): Promise<string[]>;
}
