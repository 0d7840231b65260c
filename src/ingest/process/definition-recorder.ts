/**
 * Event and property definitions are recorded from the events. What has been written is cached, so that a chunk of known
 * names costs no statement and one look-up for each property. The cache may be lost at any time: writing again does no
 * harm.
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
import { MINUTE_MS } from '../../core/time/units.ts';
import type { Ids } from '../../lib/ids.ts';
import type {
  EventProperty,
  IngestChanges,
  SeenEventDefinition,
  SeenPropertyDefinition,
} from '../../stores/ingest/ingest-store.ts';
import type { GroupRecorder } from './group-recorder.ts';

/** `last_seen_at` is updated when it is older than this: exact enough, and cheap. */
const LAST_SEEN_STEP_MS = MINUTE_MS;
/** More names than this are a mistake, such as ids in names: the cache is cleared. */
const CACHE_SIZE = 100_000;
/** Pairs of an event and a flag's property are not recorded: they would outnumber all others. */
const isFlagProperty = (name: string): boolean =>
  name.startsWith('$feature/') || name.startsWith('$feature_enrollment/');

/** Names that need no further look, by their owner: an event, persons, or a group type. */
type CompleteNames = Map<string, Set<string>>;

/** Knows what has been committed. */
export class DefinitionRecorder {
  readonly #ids: Ids;
  readonly #completeNames: CompleteNames = new Map();
  readonly #lastSeen = new Map<string, number>();
  #names = 0;

  constructor(ids: Ids) {
    this.#ids = ids;
  }

  startChunk(): SeenDefinitions {
    return new SeenDefinitions(this.#ids, this.#completeNames, this.#lastSeen);
  }

  /** To be called after the chunk is committed. */
  remember(seen: SeenDefinitions): void {
    if (this.#names > CACHE_SIZE) this.#clear();
    for (const [owner, names] of seen.completeNames()) {
      const known = this.#completeNames.get(owner) ?? new Set();
      for (const name of names) known.add(name);
      this.#completeNames.set(owner, known);
      this.#names += names.size;
    }
    for (const [owner, at] of seen.lastSeen()) this.#lastSeen.set(owner, at);
  }

  #clear(): void {
    this.#completeNames.clear();
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
  readonly #completeNames: CompleteNames = new Map();

  constructor(ids: Ids, known: ReadonlyMap<string, ReadonlySet<string>>, lastSeen: ReadonlyMap<string, number>) {
    this.#ids = ids;
    this.#known = known;
    this.#knownLastSeen = lastSeen;
  }

  record(event: Event, groups: GroupRecorder): void {
    this.#recordEvent(event);
    for (const bag of propertyBags(event)) {
      const index = bag.groupType === null ? -1 : groups.indexOf(event.projectId, bag.groupType);
      if (index !== undefined) this.#recordBag(event, bag, index);
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
    return this.#completeNames;
  }

  lastSeen(): Iterable<[string, number]> {
    return [...this.#events].map(([owner, { at }]) => [owner, at]);
  }

  #recordEvent({ projectId, event: name, timestamp: at }: Event): void {
    const owner = `${projectId}:${name}`;
    const seen = this.#events.get(owner);
    if (seen) seen.at = Math.max(seen.at, at);
    else if (at >= (this.#knownLastSeen.get(owner) ?? -Infinity) + LAST_SEEN_STEP_MS) {
      this.#events.set(owner, { id: this.#ids.uuid(), projectId, name, at });
    }
  }

  #recordBag(event: Event, bag: PropertyBag, groupTypeIndex: number): void {
    // What an event's own properties define depends on its name.
    const owner =
      bag.kind === 'event'
        ? `${event.projectId}:event:${event.event}`
        : `${event.projectId}:${bag.kind}:${groupTypeIndex}`;
    const known = this.#known.get(owner) ?? NONE;
    const complete = this.#completeNamesOf(owner);
    for (const name in bag.values) {
      if (known.has(name) || complete.has(name) || !isDefinable(name)) continue;
      const value = bag.values[name] ?? null;
      const isTyped = this.#recordProperty(event, bag.kind, groupTypeIndex, name, value);
      if (bag.kind === 'event') this.#recordOwnProperty(event, name, value);
      if (isTyped) complete.add(name);
    }
  }

  #completeNamesOf(owner: string): Set<string> {
    const complete = this.#completeNames.get(owner) ?? new Set();
    this.#completeNames.set(owner, complete);
    return complete;
  }

  /** True once the property has a type; until then every value is inspected. */
  #recordProperty(event: Event, kind: PropertyKind, groupTypeIndex: number, name: string, value: Json): boolean {
    const { projectId, receivedAt: at } = event;
    const key = `${projectId}:${kind}:${groupTypeIndex}:${name}`;
    const before = this.#properties.get(key);
    const type = before?.propertyType ?? propertyType(name, value);
    const id = before?.id ?? this.#ids.uuid();
    this.#properties.set(key, { id, projectId, kind, groupTypeIndex, name, propertyType: type, at });
    return type !== null;
  }

  /** A property of the event itself, which may also set properties of the person. */
  #recordOwnProperty(event: Event, name: string, value: Json): void {
    const { projectId } = event;
    const pair = { projectId, event: event.event, property: name };
    if (!isFlagProperty(name)) this.#pairs.set(`${projectId}:${event.event}:${name}`, pair);
    for (const implied of impliedNames(event, name)) this.#recordProperty(event, 'person', -1, implied, value);
  }
}
