/**
 * Events of a chunk that were received before the point up to which a project's exports have been made: imported ones,
 * replayed dead letters, slow requests. Their ids go into the chunk's transaction, and their events into the next file.
 * So every event is in exactly one file, whenever it is stored. Projects without exports cost nothing.
 */
import type { StoredEvent } from '../../stores/events/event-store.ts';
import type { EventExport, IngestTransaction, LateEvents } from '../../stores/ingest/ingest-store.ts';
import type { Projects } from './normalise-entries.ts';

/** In one row, of which a file has all or none. */
const MAX_ROW_EVENTS = 1000;

export class LateEventRecorder {
  #exports: readonly EventExport[] = [];
  readonly #late = new Map<string, StoredEvent[]>();

  async load(store: IngestTransaction, projects: Projects): Promise<void> {
    this.#exports = await store.listExports([...projects.keys()]);
  }

  record(event: StoredEvent): void {
    for (const { id, projectId, exportedUntil } of this.#exports) {
      if (projectId !== event.projectId || event.createdAt >= exportedUntil) continue;
      const known = this.#late.get(id);
      if (known) known.push(event);
      else this.#late.set(id, [event]);
    }
  }

  late(): LateEvents[] {
    return [...this.#late].flatMap(([exportId, events]) =>
      Array.from({ length: Math.ceil(events.length / MAX_ROW_EVENTS) }, (_, i) =>
        rowOf(exportId, events.slice(i * MAX_ROW_EVENTS, (i + 1) * MAX_ROW_EVENTS)),
      ),
    );
  }
}

function rowOf(exportId: string, events: readonly StoredEvent[]): LateEvents {
  const times = events.map(({ timestamp }) => timestamp);
  const arrivals = events.map(({ createdAt }) => createdAt);
  return {
    projectId: events[0]?.projectId ?? 0,
    exportId,
    uuids: events.map(({ uuid }) => uuid),
    firstTimestamp: Math.min(...times),
    lastTimestamp: Math.max(...times),
    firstCreated: Math.min(...arrivals),
    lastCreated: Math.max(...arrivals),
  };
}
