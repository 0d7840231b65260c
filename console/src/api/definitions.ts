/** Names of events and properties, and values they have had: what fields suggest. */
import type { Static } from '@sinclair/typebox';
import type {
  EventDefinitionWriteSchema,
  PropertyDefinitionWriteSchema,
} from '../../../src/features/definitions/api/definition-schemas.ts';
import { get, patch, projectPath, type Query } from './request.ts';
import type { EventDefinition, Page, PropertyDefinition } from './types.ts';

/** Whose property: an event's, a person's, or of the groups of a kind (0 to 4). */
export type PropertyOwner = 'event' | 'person';

const SHOWN = 30;

export const findEventNames = async (projectId: number, search: string, signal?: AbortSignal): Promise<string[]> => {
  const query = { search, limit: SHOWN };
  const page = await get<Page<EventDefinition>>(projectPath(projectId, 'event_definitions'), query, signal);
  return page.results.map(({ name }) => name);
};

export const findProperties = async (
  projectId: number,
  owner: PropertyOwner,
  search: string,
  signal?: AbortSignal,
): Promise<PropertyDefinition[]> => {
  const query = { type: owner, search, limit: SHOWN };
  return (await get<Page<PropertyDefinition>>(projectPath(projectId, 'property_definitions'), query, signal)).results;
};

export const findValues = async (
  projectId: number,
  owner: PropertyOwner,
  key: string,
  value: string,
  signal?: AbortSignal,
): Promise<string[]> => {
  const path = projectPath(projectId, owner === 'person' ? 'persons' : 'events', 'values');
  return (await get<{ name: string }[]>(path, { key, value }, signal)).map(({ name }) => name);
};

export type EventDefinitionWrite = Static<typeof EventDefinitionWriteSchema>;
export type PropertyDefinitionWrite = Static<typeof PropertyDefinitionWriteSchema>;

export const listEventDefinitions = (
  projectId: number,
  query: Query,
  signal?: AbortSignal,
): Promise<Page<EventDefinition>> =>
  get<Page<EventDefinition>>(projectPath(projectId, 'event_definitions'), query, signal);
export const listPropertyDefinitions = (
  projectId: number,
  query: Query,
  signal?: AbortSignal,
): Promise<Page<PropertyDefinition>> =>
  get<Page<PropertyDefinition>>(projectPath(projectId, 'property_definitions'), query, signal);
export const changeEventDefinition = (
  projectId: number,
  id: string,
  body: EventDefinitionWrite,
): Promise<EventDefinition> => patch<EventDefinition>(projectPath(projectId, 'event_definitions', id), body);
export const changePropertyDefinition = (
  projectId: number,
  id: string,
  body: PropertyDefinitionWrite,
): Promise<PropertyDefinition> => patch<PropertyDefinition>(projectPath(projectId, 'property_definitions', id), body);
