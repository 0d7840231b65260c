/** Events, what became of them, and those that were set aside. */
import { get, post, projectPath, type Query, withQuery } from './request.ts';
import type { DeadLetter, Event, EventFate, EventList, IngestionWarning, Page } from './types.ts';

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

export const listWarnings = (projectId: number, query: Query, signal?: AbortSignal): Promise<Page<IngestionWarning>> =>
  get<Page<IngestionWarning>>(projectPath(projectId, 'ingestion_warnings'), query, signal);

/** Sends an event the way SDKs do, by the project's public key. */
export const capture = (
  projectKey: string,
  event: { event: string; distinct_id: string; uuid?: string; properties?: Record<string, unknown> },
): Promise<unknown> => post('/capture/', { api_key: projectKey, ...event });

export interface LiveHandlers {
  onEvent(event: LiveEvent): void;
  /** So many were passed over because there were too many to show. */
  onMissed(count: number): void;
  /** False while the connection is being made again. */
  onConnected(isConnected: boolean): void;
}

/** Events as they are stored, until the function that is returned is called. The browser connects again by itself. */
export function watchEvents(projectId: number, query: Query, handlers: LiveHandlers): () => void {
  const source = new EventSource(withQuery(projectPath(projectId, 'events', 'live'), query));
  source.onopen = () => handlers.onConnected(true);
  source.onerror = () => handlers.onConnected(false);
  source.onmessage = ({ data }: MessageEvent<string>) => handlers.onEvent(JSON.parse(data) as LiveEvent);
  source.addEventListener('dropped', ({ data }: MessageEvent<string>) =>
    handlers.onMissed((JSON.parse(data) as { count: number }).count),
  );
  return () => source.close();
}
