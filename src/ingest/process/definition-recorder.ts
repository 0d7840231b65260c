/**
 * Event and property definitions are recorded from the events, up to the limits of a project. What has been written is
 * cached, so that a chunk of known names costs no statement and one look-up for each property. The cache may be lost at
 * any time: writing again does no harm.
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
  SeenDefinitionChanges,
  SeenEventDefinition,
  SeenPropertyDefinition,
} from '../../stores/ingest/ingest-store.ts';
import type { GroupRecorder } from './group-recorder.ts';
import { type CompleteNames, KnownNames, type ProjectNames } from './known-names.ts';

/** `last_seen_at` is updated when it is older than this: exact enough, and cheap. */
const LAST_SEEN_STEP_MS = MINUTE_MS;
/** Of a project in one chunk; the others are recorded when they are seen again. */
const MAX_NEW_NAMES = 5000;
/** Pairs of an event and a flag's property are not recorded: they would outnumber all others. */
const isFlagProperty = (name: string): boolean =>
  name.startsWith('$feature/') || name.startsWith('$feature_enrollment/');

/** Knows what has been committed. */
export class DefinitionRecorder {
  readonly #ids: Ids;
  readonly #known = new KnownNames();

  constructor(ids: Ids) {
    this.#ids = ids;
  }

  startChunk(now: number): SeenDefinitions {
    return new SeenDefinitions(this.#ids, (projectId) => this.#known.of(projectId, now));
  }

  /** To be called after the chunk is committed. */
  remember(seen: SeenDefinitions): void {
    for (const { names, complete, events, written } of seen.byProject()) {
      for (const [owner, added] of complete) {
        const known = names.complete.get(owner) ?? new Set();
        for (const name of added) known.add(name);
        names.complete.set(owner, known);
        names.size += added.size;
      }
      for (const { name, at } of events) names.lastSeen.set(name, at);
      names.size += events.length;
      if (written) names.counts = written;
    }
  }
}

const NONE: ReadonlySet<string> = new Set();

/** What one chunk adds to a project. */
class ProjectDefinitions {
  readonly names: ProjectNames;
  readonly events = new Map<string, SeenEventDefinition>();
  readonly properties = new Map<string, SeenPropertyDefinition>();
  readonly pairs = new Map<string, EventProperty>();
  readonly complete: CompleteNames = new Map();
  /** How many definitions there are with the chunk, at most. */
  written: ProjectNames['counts'] = null;

  constructor(names: ProjectNames) {
    this.names = names;
  }

  completeOf(owner: string): Set<string> {
    const known = this.complete.get(owner);
    if (known !== undefined) return known;
    const complete = new Set<string>();
    this.complete.set(owner, complete);
    return complete;
  }
}

/** What one chunk adds. */
export class SeenDefinitions {
  readonly #ids: Ids;
  readonly #namesOf: (projectId: number) => ProjectNames;
  readonly #projects = new Map<number, ProjectDefinitions>();

  constructor(ids: Ids, namesOf: (projectId: number) => ProjectNames) {
    this.#ids = ids;
    this.#namesOf = namesOf;
  }

  record(event: Event, groups: GroupRecorder): void {
    this.#recordEvent(event);
    for (const bag of propertyBags(event)) {
      const index = bag.groupType === null ? -1 : groups.indexOf(event.projectId, bag.groupType);
      if (index !== undefined) this.#recordBag(event, bag, index);
    }
  }

  /** By project, for the limits. */
  changes(): ReadonlyMap<number, SeenDefinitionChanges> {
    return new Map(
      [...this.#projects].map(([projectId, { events, properties, pairs }]) => [
        projectId,
        { events: [...events.values()], properties: [...properties.values()], eventProperties: [...pairs.values()] },
      ]),
    );
  }

  countsOf(projectId: number): ProjectNames['counts'] {
    return this.#of(projectId).names.counts;
  }

  setCounts(projectId: number, counts: ProjectNames['counts']): void {
    this.#of(projectId).written = counts;
  }

  byProject(): {
    names: ProjectNames;
    complete: CompleteNames;
    events: SeenEventDefinition[];
    written: ProjectNames['counts'];
  }[] {
    return [...this.#projects.values()].map(({ names, complete, events, written }) => ({
      names,
      complete,
      events: [...events.values()],
      written,
    }));
  }

  #of(projectId: number): ProjectDefinitions {
    const known = this.#projects.get(projectId);
    if (known !== undefined) return known;
    const project = new ProjectDefinitions(this.#namesOf(projectId));
    this.#projects.set(projectId, project);
    return project;
  }

  #recordEvent({ projectId, event: name, timestamp: at, receivedAt: createdAt }: Event): void {
    const { events, names } = this.#of(projectId);
    const seen = events.get(name);
    if (seen) seen.at = Math.max(seen.at, at);
    else if (events.size < MAX_NEW_NAMES && at >= (names.lastSeen.get(name) ?? -Infinity) + LAST_SEEN_STEP_MS) {
      events.set(name, { id: this.#ids.uuid(), projectId, name, at, createdAt });
    }
  }

  #recordBag(event: Event, bag: PropertyBag, groupTypeIndex: number): void {
    const project = this.#of(event.projectId);
    // What an event's own properties define depends on its name.
    const owner = bag.kind === 'event' ? `event:${event.event}` : `${bag.kind}:${groupTypeIndex}`;
    const known = project.names.complete.get(owner) ?? NONE;
    const complete = project.completeOf(owner);
    for (const name in bag.values) {
      if (known.has(name) || complete.has(name) || !isDefinable(name)) continue;
      if (project.properties.size >= MAX_NEW_NAMES || project.pairs.size >= MAX_NEW_NAMES) return;
      const value = bag.values[name] ?? null;
      const isTyped = this.#recordProperty(event, bag.kind, groupTypeIndex, name, value);
      if (bag.kind === 'event') this.#recordOwnProperty(event, name, value);
      if (isTyped) complete.add(name);
    }
  }

  /** True once the property has a type; until then every value is inspected. */
  #recordProperty(event: Event, kind: PropertyKind, groupTypeIndex: number, name: string, value: Json): boolean {
    const { projectId, receivedAt: at } = event;
    const { properties } = this.#of(projectId);
    const key = `${kind}:${groupTypeIndex}:${name}`;
    const before = properties.get(key);
    const type = before?.propertyType ?? propertyType(name, value);
    const id = before?.id ?? this.#ids.uuid();
    properties.set(key, { id, projectId, kind, groupTypeIndex, name, propertyType: type, at });
    return type !== null;
  }

  /** A property of the event itself, which may also set properties of the person. */
  #recordOwnProperty(event: Event, name: string, value: Json): void {
    const { projectId } = event;
    const pair = { projectId, event: event.event, property: name };
    if (!isFlagProperty(name)) this.#of(projectId).pairs.set(JSON.stringify([event.event, name]), pair);
    for (const implied of impliedNames(event, name)) this.#recordProperty(event, 'person', -1, implied, value);
  }
}
