/**
 * Event and property definitions grow out of the events. What has been written before is remembered, so that a chunk
 * of known names costs no statement, and hardly any time: one look-up for each property. The memory may be lost at any
 * time, since writing again does no harm.
 */
import type { Event } from '../../core/events/event.ts';
import {
  impliedNames,
  isDefinable,
  type PropertyBag,
  type PropertyKind,
  propertyBags,
  propertyType,
} from '../../core/events/property-types.ts';
import type { Json } from '../../core/json/json.ts';
import type { Ids } from '../../lib/ids.ts';
import type {
  EventProperty,
  IngestChanges,
  SeenEventDefinition,
  SeenPropertyDefinition,
} from '../../stores/ingest/ingest-store.ts';
import type { GroupRecorder } from './group-recorder.ts';

/** `last_seen_at` is moved on when it is behind by this much: exact enough to read, too rare to cost. */
const LAST_SEEN_STEP_MS = 60_000;
/** More names than this are no taxonomy but a mistake (ids in names): the memory starts afresh. */
const CACHE_SIZE = 100_000;
/** Pairs of an event and a property that stands for one flag of many: they would outnumber all others. */
const isFlagProperty = (name: string): boolean =>
  name.startsWith('$feature/') || name.startsWith('$feature_enrollment/');

/** Names that need no further look, by the thing they belong to: an event, persons, or a kind of group. */
type CompleteNames = Map<string, Set<string>>;

/** What has been committed. */
export class DefinitionRecorder {
  readonly #ids: Ids;
  readonly #settled: CompleteNames = new Map();
  readonly #lastSeen = new Map<string, number>();
  #names = 0;

  constructor(ids: Ids) {
    this.#ids = ids;
  }

  startChunk(): SeenDefinitions {
    return new SeenDefinitions(this.#ids, this.#settled, this.#lastSeen);
  }

  /** Remembers what a committed chunk has written. */
  remember(sightings: SeenDefinitions): void {
    if (this.#names > CACHE_SIZE) this.#forget();
    for (const [owner, names] of sightings.completeNames()) {
      const known = this.#settled.get(owner) ?? new Set();
      for (const name of names) known.add(name);
      this.#settled.set(owner, known);
      this.#names += names.size;
    }
    for (const [owner, at] of sightings.lastSeen()) this.#lastSeen.set(owner, at);
  }

  #forget(): void {
    this.#settled.clear();
    this.#lastSeen.clear();
    this.#names = 0;
  }
}

const NONE: ReadonlySet<string> = new Set();

/** What one chunk adds. */
export class SeenDefinitions {
  readonly #ids: Ids;
  readonly #known: ReadonlyMap<string, ReadonlySet<string>>;
  readonly #knownLastSeen: ReadonlyMap<string, number>;
  readonly #events = new Map<string, SeenEventDefinition>();
  readonly #properties = new Map<string, SeenPropertyDefinition>();
  readonly #pairs = new Map<string, EventProperty>();
  readonly #settled: CompleteNames = new Map();

  constructor(ids: Ids, known: ReadonlyMap<string, ReadonlySet<string>>, lastSeen: ReadonlyMap<string, number>) {
    this.#ids = ids;
    this.#known = known;
    this.#knownLastSeen = lastSeen;
  }

  record(event: Event, groups: GroupRecorder): void {
    this.#seeEvent(event);
    for (const bag of propertyBags(event)) {
      const index = bag.groupType === null ? -1 : groups.indexOf(event.projectId, bag.groupType);
      if (index !== undefined) this.#seeBag(event, bag, index);
    }
  }

  changes(): Pick<IngestChanges, 'events' | 'properties' | 'eventProperties'> {
    return {
      events: [...this.#events.values()],
      properties: [...this.#properties.values()],
      eventProperties: [...this.#pairs.values()],
    };
  }

  completeNames(): ReadonlyMap<string, ReadonlySet<string>> {
    return this.#settled;
  }

  lastSeen(): Iterable<[string, number]> {
    return [...this.#events].map(([owner, { at }]) => [owner, at]);
  }

  #seeEvent({ projectId, event: name, timestamp: at }: Event): void {
    const owner = `${projectId}:${name}`;
    const sighting = this.#events.get(owner);
    if (sighting) sighting.at = Math.max(sighting.at, at);
    else if (at >= (this.#knownLastSeen.get(owner) ?? -Infinity) + LAST_SEEN_STEP_MS) {
      this.#events.set(owner, { id: this.#ids.uuid(), projectId, name, at });
    }
  }

  #seeBag(event: Event, bag: PropertyBag, groupTypeIndex: number): void {
    // What an event's own properties give rise to depends on its name and on whether it has a person.
    const owner =
      bag.kind === 'event'
        ? `${event.projectId}:event:${event.event}`
        : `${event.projectId}:${bag.kind}:${groupTypeIndex}`;
    const known = this.#known.get(owner) ?? NONE;
    const settled = this.#settledOf(owner);
    for (const name in bag.values) {
      if (known.has(name) || settled.has(name) || !isDefinable(name)) continue;
      const value = bag.values[name] ?? null;
      const isTyped = this.#seeProperty(event, bag.kind, groupTypeIndex, name, value);
      if (bag.kind === 'event') this.#seeOwn(event, name, value);
      if (isTyped) settled.add(name);
    }
  }

  #settledOf(owner: string): Set<string> {
    const settled = this.#settled.get(owner) ?? new Set();
    this.#settled.set(owner, settled);
    return settled;
  }

  /** True once the property has a type; until then every value is looked at. */
  #seeProperty(event: Event, kind: PropertyKind, groupTypeIndex: number, name: string, value: Json): boolean {
    const { projectId, receivedAt: at } = event;
    const key = `${projectId}:${kind}:${groupTypeIndex}:${name}`;
    const before = this.#properties.get(key);
    const type = before?.propertyType ?? propertyType(name, value);
    const id = before?.id ?? this.#ids.uuid();
    this.#properties.set(key, { id, projectId, kind, groupTypeIndex, name, propertyType: type, at });
    return type !== null;
  }

  /** A property of the event itself: it goes with the event, and may say something about the person. */
  #seeOwn(event: Event, name: string, value: Json): void {
    const { projectId } = event;
    const pair = { projectId, event: event.event, property: name };
    if (!isFlagProperty(name)) this.#pairs.set(`${projectId}:${event.event}:${name}`, pair);
    for (const implied of impliedNames(event, name)) this.#seeProperty(event, 'person', -1, implied, value);
  }
}
