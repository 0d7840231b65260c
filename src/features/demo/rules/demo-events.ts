/** What the demo product has sent so far, as an SDK would have sent it. */

import { eventUuid } from '../../../core/events/uuid.ts';
import type { JsonObject } from '../../../core/json/json.ts';
import { DEMO_CLUBS, type DemoEvent, type DemoPeriod, visitorEvents } from './demo-visitor.ts';

/** An event with its name in the story, by which it is known from one telling to the next. */
export interface ToldEvent extends DemoEvent {
  name: string;
}

/** The part of the story that is about one visitor, numbered from 1. */
export const demoEventsOf = (visitor: number, stage: DemoPeriod): ToldEvent[] =>
  visitorEvents(visitor, stage).map((event, place) => ({ ...event, name: `demo:${visitor}:${place}` }));

/** Clubs of hikers, each described by one of its members. */
export const demoClubEvents = ({ now, days }: DemoPeriod): ToldEvent[] =>
  Array.from({ length: DEMO_CLUBS }, (_, index) => ({
    event: '$groupidentify',
    distinctId: `demo-device-${index + 1}`,
    time: now - days * 86_400_000,
    name: `demo:club:${index}`,
    properties: {
      $group_type: 'club',
      $group_key: `demo-club-${index}`,
      $group_set: { name: `Demo club ${index}`, members: 20 + 7 * index },
    },
  }));

/** The same event gets the same id each time, so that telling the story twice stores nothing twice. */
export const toWireEvent = (
  projectId: number,
  { event, distinctId, time, properties, name }: ToldEvent,
): JsonObject => ({
  uuid: eventUuid(projectId, '$insert_id', name),
  event,
  distinct_id: distinctId,
  timestamp: new Date(time).toISOString(),
  properties: { ...properties, demo: true } as JsonObject,
});
