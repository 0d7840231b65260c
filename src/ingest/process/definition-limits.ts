/**
 * Limits of the names of a project. Beyond them, events are stored without new definitions, and a warning says so. What
 * there is already stays up to date.
 */
import { HOUR_MS } from '../../core/time/units.ts';
import type { IngestTransaction, SeenDefinitionChanges } from '../../stores/ingest/ingest-store.ts';
import type { SeenDefinitions } from './definition-recorder.ts';
import type { FateRecorder } from './fate-recorder.ts';

export interface NameLimits {
  eventNames: number;
  /** Of events, persons and groups together. */
  propertyNames: number;
}

/** Pairs of an event and a property, for each property name of the limit. */
const PAIRS_PER_NAME = 5;
const WARNING_INTERVAL_MS = HOUR_MS;

type Kind = keyof SeenDefinitionChanges;
const KINDS = ['events', 'properties', 'eventProperties'] as const satisfies readonly Kind[];
const NOTHING: SeenDefinitionChanges = { events: [], properties: [], eventProperties: [] };

export class DefinitionLimits {
  readonly #limits: Readonly<Record<Kind, number>>;
  readonly #warnedAt = new Map<string, number>();

  constructor({ eventNames, propertyNames }: NameLimits) {
    this.#limits = { events: eventNames, properties: propertyNames, eventProperties: PAIRS_PER_NAME * propertyNames };
  }

  /** What is to be written of what the chunk has seen. */
  async apply(
    store: IngestTransaction,
    seen: SeenDefinitions,
    fates: FateRecorder,
    now: number,
  ): Promise<SeenDefinitionChanges> {
    const all = { ...NOTHING };
    for (const [projectId, changes] of seen.changes()) {
      const counts = seen.countsOf(projectId) ?? (await store.countDefinitions(projectId));
      const fits = KINDS.every((kind) => counts[kind] + changes[kind].length <= this.#limits[kind]);
      // Names that are there already count twice so far: count again before anything is refused.
      const written = fits ? changes : await this.#limit(store, projectId, changes, fates, now);
      const base = fits ? counts : await store.countDefinitions(projectId);
      seen.setCounts(projectId, {
        events: base.events + written.events.length,
        properties: base.properties + written.properties.length,
        eventProperties: base.eventProperties + written.eventProperties.length,
      });
      all.events = [...all.events, ...written.events];
      all.properties = [...all.properties, ...written.properties];
      all.eventProperties = [...all.eventProperties, ...written.eventProperties];
    }
    return all;
  }

  async #limit(
    store: IngestTransaction,
    projectId: number,
    changes: SeenDefinitionChanges,
    fates: FateRecorder,
    now: number,
  ): Promise<SeenDefinitionChanges> {
    const counts = await store.countDefinitions(projectId);
    const known = await store.listDefined(projectId, changes);
    const within = <T>(kind: Kind, items: readonly T[], isKnown: (item: T) => boolean): T[] => {
      let room = this.#limits[kind] - counts[kind];
      const kept = items.filter((item) => isKnown(item) || room-- > 0);
      if (kept.length < items.length) this.#warn(projectId, kind, fates, now);
      return kept;
    };
    return {
      events: within('events', changes.events, ({ name }) => known.events.has(name)),
      properties: within('properties', changes.properties, ({ kind, groupTypeIndex, name }) =>
        known.properties.has(`${kind}:${groupTypeIndex}:${name}`),
      ),
      eventProperties: within('eventProperties', changes.eventProperties, () => false),
    };
  }

  /** Not with every chunk. */
  #warn(projectId: number, kind: Kind, fates: FateRecorder, now: number): void {
    if (kind === 'eventProperties') return;
    const key = `${projectId}:${kind}`;
    if (now - (this.#warnedAt.get(key) ?? -Infinity) < WARNING_INTERVAL_MS) return;
    this.#warnedAt.set(key, now);
    const type = kind === 'events' ? 'too_many_event_names' : 'too_many_property_names';
    fates.recordProjectWarning(projectId, { type, details: { limit: this.#limits[kind] } });
  }
}
