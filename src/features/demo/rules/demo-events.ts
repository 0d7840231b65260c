/** The events of the demo, as an SDK would send them. */

import { uuidOfIdAlone } from '../../../core/events/uuid.ts';
import type { JsonObject } from '../../../core/json/json.ts';
import { DAY_MS } from '../../../core/time/units.ts';
import { DEMO_CLUBS, type DemoPeriod, demoClub, demoDevice, type VisitorEvent, visitorEvents } from './demo-visitor.ts';

/** An event with a name that is the same whenever it is generated. */
export interface DemoEvent extends VisitorEvent {
  name: string;
}

/** Events of one visitor, numbered from 1. */
export const demoEventsOf = (visitor: number, stage: DemoPeriod): DemoEvent[] =>
  visitorEvents(visitor, stage).map((event, place) => ({ ...event, name: `demo:${visitor}:${place}` }));

/** Groups: clubs of hikers, each described by one of its members. */
export const demoClubEvents = ({ now, days }: DemoPeriod): DemoEvent[] =>
  Array.from({ length: DEMO_CLUBS }, (_, index) => ({
    event: '$groupidentify',
    distinctId: demoDevice(index + 1),
    time: now - days * DAY_MS,
    name: `demo:club:${index}`,
    properties: {
      $group_type: 'club',
      $group_key: demoClub(index),
      $group_set: { name: `Demo club ${index}`, members: 20 + 7 * index },
    },
  }));

/**
 * The uuid is the same each time, so that nothing is stored twice, until the demo data is removed: an event that was
 * stored once is known for good.
 */
export const toWireEvent = (
  projectId: number,
  removals: number,
  { event, distinctId, time, properties, name }: DemoEvent,
): JsonObject => ({
  uuid: uuidOfIdAlone(projectId, '$insert_id', removals === 0 ? name : `${name}:${removals}`),
  event,
  distinct_id: distinctId,
  timestamp: new Date(time).toISOString(),
  properties: { ...properties, demo: true } as JsonObject,
});
