/** Names of events and properties: seen by the processor (`ingest-store.ts`), described by people. */
import type { PropertyType } from '../../core/events/property-types.ts';

/** What people say about a name, whatever it is a name of. */
export interface DefinitionDetails {
  description: string;
  tags: string[];
  /** When and by whom it was found to be right; null while nobody has. */
  verifiedAt: number | null;
  verifiedBy: number | null;
  /** The last change by a person; null while there was none. */
  updatedAt: number | null;
  updatedBy: number | null;
}

export interface EventDetails extends DefinitionDetails {
  ownerId: number | null;
  /** Whether the project's webhook hears of each such event. */
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
  /** True: a person has chosen the type (or that there is none), and what events suggest no longer counts. */
  isTypeChosen: boolean;
}

export interface PropertyDefinition extends PropertyDetails, PropertyKindQuery {
  id: string;
  name: string;
  createdAt: number;
}

export interface PropertyKindQuery {
  kind: 'event' | 'person' | 'group';
  /** −1 where it is no property of a group. */
  groupTypeIndex: number;
}

export interface DefinitionStore {
  /** All of the project's, by name. */
  listEvents(projectId: number): Promise<EventDefinition[]>;
  getEvent(projectId: number, id: string): Promise<EventDefinition | null>;
  updateEvent(projectId: number, id: string, details: Partial<EventDetails>): Promise<void>;
  /** All of the project's of one kind, by name. */
  listProperties(projectId: number, query: PropertyKindQuery): Promise<PropertyDefinition[]>;
  getProperty(projectId: number, id: string): Promise<PropertyDefinition | null>;
  updateProperty(projectId: number, id: string, details: Partial<PropertyDetails>): Promise<void>;
  /** Names of properties that were seen on one of these events. */
  listPropertyNamesByEvents(projectId: number, events: readonly string[]): Promise<string[]>;
}
