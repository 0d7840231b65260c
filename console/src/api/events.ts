/** Events, their ingestion status, and the events that were not stored. */
import type { Static } from '@sinclair/typebox';
import type {
  DeadLetterSchema,
  DroppedEventSchema,
  EventFateSchema,
  IngestionWarningSchema,
} from '../../../src/features/events/api/event-fate-schemas.ts';
import type { EventListSchema, EventSchema } from '../../../src/features/events/api/event-schemas.ts';
import { get, type Paged, post, projectPath, type Query, withQuery } from './request.ts';

export type Event = Static<typeof EventSchema>;
type EventList = Static<typeof EventListSchema>;
export type EventFate = Static<typeof EventFateSchema>;
export type DroppedEvent = Static<typeof DroppedEventSchema>;
export type DeadLetter = Static<typeof DeadLetterSchema>;
export type IngestionWarning = Static<typeof IngestionWarningSchema>;

/** An event as the live stream shows one. */
export type LiveEvent = Pick<Event, 'id' | 'event' | 'distinct_id' | 'timestamp' | 'properties'> & {
  /** The live stream sends the person's id, the list the person. */
  person_id?: string;
  person?: Event['person'];
};

export const listEvents = (projectId: number, query: Query, signal?: AbortSignal): Promise<EventList> =>
  get<EventList>(projectPath(projectId, 'events'), query, signal);

export const eventsCsvPath = (projectId: number, query: Query): string =>
  withQuery(projectPath(projectId, 'events'), { ...query, format: 'csv' });

export const getEvent = (projectId: number, uuid: string, signal?: AbortSignal): Promise<Event> =>
  get<Event>(projectPath(projectId, 'events', uuid), { include_person: true }, signal);

export const getEventFate = (projectId: number, uuid: string, signal?: AbortSignal): Promise<EventFate> =>
  get<EventFate>(projectPath(projectId, 'events', uuid, 'fate'), undefined, signal);

export const listDeadLetters = (projectId: number, query: Query, signal?: AbortSignal): Promise<Paged<DeadLetter>> =>
  get<Paged<DeadLetter>>(projectPath(projectId, 'dead_letters'), query, signal);

export const replayDeadLetter = (projectId: number, id: number): Promise<{ event_uuid: string }> =>
  post<{ event_uuid: string }>(projectPath(projectId, 'dead_letters', id, 'replay'));

export const listDropped = (projectId: number, query: Query, signal?: AbortSignal): Promise<Paged<DroppedEvent>> =>
  get<Paged<DroppedEvent>>(projectPath(projectId, 'dropped_events'), query, signal);

export const listWarnings = (projectId: number, query: Query, signal?: AbortSignal): Promise<Paged<IngestionWarning>> =>
  get<Paged<IngestionWarning>>(projectPath(projectId, 'ingestion_warnings'), query, signal);

/** Sends an event as an SDK does, with the project key. */
export const capture = (
  projectKey: string,
  event: { event: string; distinct_id: string; uuid?: string; properties?: Record<string, unknown> },
): Promise<unknown> => post('/capture/', { api_key: projectKey, ...event });
