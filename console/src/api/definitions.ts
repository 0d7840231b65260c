/** Event and property definitions, and the suggestions of fields. */
import type { Static } from '@sinclair/typebox';
import type {
  EventDefinitionSchema,
  EventDefinitionWriteSchema,
  PropertyDefinitionSchema,
  PropertyDefinitionWriteSchema,
} from '../../../src/features/definitions/api/definition-schemas.ts';
import { matchingEvents, matchingProperties } from '../lib/friendly-names.ts';
import { get, type Paged, patch, projectPath, type Query, remove } from './request.ts';

export type EventDefinition = Static<typeof EventDefinitionSchema>;
export type PropertyDefinition = Static<typeof PropertyDefinitionSchema>;

export type PropertyOwner = 'event' | 'person';

const MAX_SUGGESTIONS = 30;

export const findEventNames = async (projectId: number, search: string, signal?: AbortSignal): Promise<string[]> =>
  (await findEvents(projectId, search, signal)).map(({ name }) => name);

/** By raw name or by label. */
export const findEvents = async (
  projectId: number,
  search: string,
  signal?: AbortSignal,
): Promise<EventDefinition[]> => {
  const pages = await Promise.all(
    [search, ...matchingEvents(search)].map((text) =>
      listEventDefinitions(projectId, { search: text, limit: MAX_SUGGESTIONS }, signal),
    ),
  );
  return [...new Map(pages.flatMap(({ results }) => results.map((one) => [one.name, one]))).values()];
};

/** By raw name or by label. */
export const findProperties = async (
  projectId: number,
  owner: PropertyOwner,
  search: string,
  signal?: AbortSignal,
): Promise<PropertyDefinition[]> => {
  const labelled = matchingProperties(search);
  const queries = [{ search }, ...(labelled.length > 0 ? [{ properties: labelled.join(',') }] : [])];
  const pages = await Promise.all(
    queries.map((query) =>
      listPropertyDefinitions(projectId, { type: owner, limit: MAX_SUGGESTIONS, ...query }, signal),
    ),
  );
  return [...new Map(pages.flatMap(({ results }) => results.map((one) => [one.name, one]))).values()];
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

type EventDefinitionWrite = Static<typeof EventDefinitionWriteSchema>;
type PropertyDefinitionWrite = Static<typeof PropertyDefinitionWriteSchema>;

export const listEventDefinitions = (
  projectId: number,
  query: Query,
  signal?: AbortSignal,
): Promise<Paged<EventDefinition>> =>
  get<Paged<EventDefinition>>(projectPath(projectId, 'event_definitions'), query, signal);
export const listPropertyDefinitions = (
  projectId: number,
  query: Query,
  signal?: AbortSignal,
): Promise<Paged<PropertyDefinition>> =>
  get<Paged<PropertyDefinition>>(projectPath(projectId, 'property_definitions'), query, signal);
export const updateEventDefinition = (
  projectId: number,
  id: string,
  body: EventDefinitionWrite,
): Promise<EventDefinition> => patch<EventDefinition>(projectPath(projectId, 'event_definitions', id), body);
export const updatePropertyDefinition = (
  projectId: number,
  id: string,
  body: PropertyDefinitionWrite,
): Promise<PropertyDefinition> => patch<PropertyDefinition>(projectPath(projectId, 'property_definitions', id), body);
export const deleteEventDefinition = (projectId: number, id: string): Promise<void> =>
  remove(projectPath(projectId, 'event_definitions', id));
export const deletePropertyDefinition = (projectId: number, id: string): Promise<void> =>
  remove(projectPath(projectId, 'property_definitions', id));
