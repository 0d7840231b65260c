/**
 * Event and property definitions grow out of the events. What has been written before is remembered, so that a chunk
 * of known names costs no statement at all; the memory may be lost at any time, since writing again does no harm.
 */

import type { Event } from '../core/events/event.ts';
import type { Json } from '../core/events/json.ts';
import { type PropertyKind, type PropertyType, propertyType, visitProperties } from '../core/events/property-types.ts';
import type { Ids } from '../lib/ids.ts';
import type { EventProperty, EventSighting, IngestChanges, PropertySighting } from '../stores/ingest-store.ts';
import type { GroupBook } from './group-book.ts';

/** `last_seen_at` is moved on when it is behind by this much: exact enough to read, too rare to cost. */
const LAST_SEEN_STEP_MS = 60_000;
/** More names than this are no taxonomy but a mistake (ids in event names): the memory starts afresh. */
const REMEMBERED = 100_000;
/** Pairs of event and property whose property is one flag of many: they would outnumber all others. */
const isFlagProperty = (name: string): boolean =>
  name.startsWith('$feature/') || name.startsWith('$feature_enrollment/');

export class Definitions {
  readonly #ids: Ids;
  /** Event → when it was last written as seen. */
  readonly #lastSeen = new Map<string, number>();
  /** Property → whether it has a type. */
  readonly #typed = new Map<string, boolean>();
  readonly #pairs = new Set<string>();

  constructor(ids: Ids) {
    this.#ids = ids;
  }

  chunk(): Sightings {
    return new Sightings(this.#ids, this.#lastSeen, this.#typed, this.#pairs);
  }

  /** Remembers what a committed chunk has written. */
  keep(sightings: Sightings): void {
    for (const memory of [this.#lastSeen, this.#typed, this.#pairs]) if (memory.size > REMEMBERED) memory.clear();
    sightings.teach(this.#lastSeen, this.#typed, this.#pairs);
  }
}

export class Sightings {
  readonly #ids: Ids;
  readonly #knownEvents: ReadonlyMap<string, number>;
  readonly #knownTypes: ReadonlyMap<string, boolean>;
  readonly #knownPairs: ReadonlySet<string>;
  readonly #events = new Map<string, EventSighting>();
  readonly #properties = new Map<string, PropertySighting>();
  readonly #pairs = new Map<string, EventProperty>();

  constructor(
    ids: Ids,
    events: ReadonlyMap<string, number>,
    types: ReadonlyMap<string, boolean>,
    pairs: ReadonlySet<string>,
  ) {
    this.#ids = ids;
    this.#knownEvents = events;
    this.#knownTypes = types;
    this.#knownPairs = pairs;
  }

  see(event: Event, groups: GroupBook): void {
    this.#seeEvent(event);
    visitProperties(event, (kind, groupType, name, value) => {
      const index = groupType === null ? -1 : groups.indexOf(event.projectId, groupType);
      if (index === undefined) return;
      this.#seeProperty(event, kind, index, name, value);
      if (kind === 'event' && !isFlagProperty(name)) this.#seePair(event, name);
    });
  }

  changes(): Pick<IngestChanges, 'events' | 'properties' | 'eventProperties'> {
    return {
      events: [...this.#events.values()],
      properties: [...this.#properties.values()],
      eventProperties: [...this.#pairs.values()],
    };
  }

  teach(events: Map<string, number>, types: Map<string, boolean>, pairs: Set<string>): void {
    for (const [key, { at }] of this.#events) events.set(key, at);
    for (const [key, property] of this.#properties) types.set(key, property.propertyType !== null);
    for (const key of this.#pairs.keys()) pairs.add(key);
  }

  #seeEvent({ projectId, event: name, timestamp: at }: Event): void {
    const key = `${projectId}:${name}`;
    const sighting = this.#events.get(key);
    if (sighting) sighting.at = Math.max(sighting.at, at);
    else if (at >= (this.#knownEvents.get(key) ?? -Infinity) + LAST_SEEN_STEP_MS) {
      this.#events.set(key, { id: this.#ids.uuid(), projectId, name, at });
    }
  }

  #seeProperty(event: Event, kind: PropertyKind, groupTypeIndex: number, name: string, value: Json): void {
    const { projectId, receivedAt: at } = event;
    const key = `${projectId}:${kind}:${groupTypeIndex}:${name}`;
    const known = this.#knownTypes.get(key);
    if (known === true) return;
    const sighting = this.#properties.get(key);
    if (sighting?.propertyType) return;
    const type: PropertyType | null = propertyType(name, value);
    if (type === null && (known !== undefined || sighting)) return;
    const id = sighting?.id ?? this.#ids.uuid();
    this.#properties.set(key, { id, projectId, kind, groupTypeIndex, name, propertyType: type, at });
  }

  #seePair({ projectId, event }: Event, property: string): void {
    const key = `${projectId}:${event}:${property}`;
    if (!this.#knownPairs.has(key) && !this.#pairs.has(key)) this.#pairs.set(key, { projectId, event, property });
  }
}
