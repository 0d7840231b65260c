/** Events, what became of them, and those that were set aside. */
import { get, post, projectPath, type Query } from './request.ts';
import type { DeadLetter, DroppedEvent, Event, EventFate, EventList, IngestionWarning, Page } from './types.ts';

/** An event as the live stream shows one. */
export type LiveEvent = Pick<Event, 'id' | 'event' | 'distinct_id' | 'timestamp' | 'properties'> & {
  /** The stream knows the person's id, the list the person. */
  person_id?: string;
  person?: Event['person'];
};

export const listEvents = (projectId: number, query: Query, signal?: AbortSignal): Promise<EventList> =>
  get<EventList>(projectPath(projectId, 'events'), query, signal);

export const readEvent = (projectId: number, uuid: string, signal?: AbortSignal): Promise<Event> =>
  get<Event>(projectPath(projectId, 'events', uuid), { include_person: true }, signal);

export const readFate = (projectId: number, uuid: string, signal?: AbortSignal): Promise<EventFate> =>
  get<EventFate>(projectPath(projectId, 'events', uuid, 'fate'), undefined, signal);

export const listDeadLetters = (projectId: number, query: Query, signal?: AbortSignal): Promise<Page<DeadLetter>> =>
  get<Page<DeadLetter>>(projectPath(projectId, 'dead_letters'), query, signal);

export const replayDeadLetter = (projectId: number, id: number): Promise<{ event_uuid: string }> =>
  post<{ event_uuid: string }>(projectPath(projectId, 'dead_letters', id, 'replay'));

export const listDropped = (projectId: number, query: Query, signal?: AbortSignal): Promise<Page<DroppedEvent>> =>
  get<Page<DroppedEvent>>(projectPath(projectId, 'dropped_events'), query, signal);

export const listWarnings = (projectId: number, query: Query, signal?: AbortSignal): Promise<Page<IngestionWarning>> =>
  get<Page<IngestionWarning>>(projectPath(projectId, 'ingestion_warnings'), query, signal);

/** Sends an event the way SDKs do, by the project's public key. */
export const capture = (
  projectKey: string,
  event: { event: string; distinct_id: string; uuid?: string; properties?: Record<string, unknown> },
): Promise<unknown> => post('/capture/', { api_key: projectKey, ...event });
