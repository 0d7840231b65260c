/** Destinations of events: webhooks, PostHog's `hog_functions`. */
import type { Static } from '@sinclair/typebox';
import type {
  DestinationChangeSchema,
  DestinationCreateSchema,
  DestinationLogSchema,
  DestinationSchema,
  DestinationTestSchema,
  DestinationTotalsSchema,
} from '../../../src/features/destinations/api/destination-schemas.ts';
import { get, type Paged, patch, post, projectPath, type Query, remove } from './request.ts';

export type Destination = Static<typeof DestinationSchema>;
export type DestinationWrite = Static<typeof DestinationCreateSchema>;
export type DestinationChange = Static<typeof DestinationChangeSchema>;
export type SentRequest = Static<typeof DestinationLogSchema>;
export type DestinationTest = Static<typeof DestinationTestSchema>;

const path = (projectId: number, ...parts: string[]): string => projectPath(projectId, 'hog_functions', ...parts);

export const listDestinations = (projectId: number, query: Query, signal?: AbortSignal): Promise<Paged<Destination>> =>
  get<Paged<Destination>>(path(projectId), query, signal);
export const getDestination = (projectId: number, id: string, signal?: AbortSignal): Promise<Destination> =>
  get<Destination>(path(projectId, id), {}, signal);
export const createDestination = (projectId: number, body: DestinationWrite): Promise<Destination> =>
  post<Destination>(path(projectId), body);
export const updateDestination = (projectId: number, id: string, body: DestinationChange): Promise<Destination> =>
  patch<Destination>(path(projectId, id), body);
export const deleteDestination = (projectId: number, id: string): Promise<unknown> => remove(path(projectId, id));
export const testDestination = (projectId: number, id: string): Promise<DestinationTest> =>
  post<DestinationTest>(path(projectId, id, 'test'), {});
export const listSentRequests = (
  projectId: number,
  id: string,
  query: Query,
  signal?: AbortSignal,
): Promise<Paged<SentRequest>> => get<Paged<SentRequest>>(path(projectId, id, 'logs'), query, signal);
export const getDestinationTotals = (
  projectId: number,
  id: string,
  signal?: AbortSignal,
): Promise<Static<typeof DestinationTotalsSchema>> => get(path(projectId, id, 'metrics', 'totals'), {}, signal);
