/** What became of each event of a chunk: nothing vanishes silently, and the counts add up. */

import type { DropReason } from '../../core/events/drop-reasons.ts';
import type { Event } from '../../core/events/event.ts';
import { identityOf } from '../../core/events/event-identity.ts';
import { hasUsableUuid as isUsable } from '../../core/events/validate-events.ts';
import type { Warning } from '../../core/events/warning.ts';
import { toJsonText } from '../../core/json/clean-json.ts';
import { isJsonObject } from '../../core/json/json.ts';
import type {
  DroppedEvent,
  EventId,
  IngestChanges,
  NewDeadLetter,
  NewSeenEvent,
  NewWarning,
} from '../../stores/ingest/ingest-store.ts';
import { serializeRequestContext } from '../accept/request-context.ts';
import type { ReadEvent } from './read-entries.ts';

/** Counted, but not written down one by one: browsers send them by the thousand, and nobody asks for one of them. */
const UNLISTED_REASONS: ReadonlySet<string> = new Set([
  'session_recording',
  'performance_event',
  'client_ingestion_warning',
]);

/** So many warnings of one chunk are kept: enough to see what is wrong, too few to fill the disk. */
const MAX_WARNINGS = 200;
const MAX_DROPS = 1000;
/** Stands for what cannot even be written down. */
const TOO_DEEP = '{"unreadable":"nested too deeply"}';

export class FateRecorder {
  readonly #now: number;
  readonly #seen: NewSeenEvent[] = [];
  readonly #repeats: EventId[] = [];
  readonly #dropped: DroppedEvent[] = [];
  readonly #deadLetters: NewDeadLetter[] = [];
  readonly #warnings: NewWarning[] = [];
  readonly #counts: Record<string, number> = {};

  constructor(now: number) {
    this.#now = now;
  }

  get total(): number {
    return Object.values(this.#counts).reduce((sum, count) => sum + count, 0);
  }

  count(fate: string, by = 1): void {
    if (by > 0) this.#counts[fate] = (this.#counts[fate] ?? 0) + by;
  }

  recordSeen({ projectId, uuid, receivedAt }: Event): void {
    this.#seen.push({ projectId, uuid, receivedAt, processedAt: this.#now });
  }

  recordDuplicate({ projectId, uuid }: Event): void {
    this.count('duplicate');
    this.#repeats.push({ projectId, uuid });
  }

  recordDropped({ entry }: ReadEvent, reason: DropReason | 'project_deleted', uuid: string): void {
    this.count(`dropped:${reason}`);
    if (UNLISTED_REASONS.has(reason) || this.#dropped.length >= MAX_DROPS) return;
    const { projectId, receivedAt } = entry;
    this.#dropped.push({ projectId, uuid, reason, receivedAt, droppedAt: this.#now });
  }

  /**
   * The event itself made its processing fail: it is set aside with the error, and can be replayed. It is written down
   * under the id by which it would have been stored, so that neither a replay nor its sender's retry makes two of it.
   */
  recordFailed(source: ReadEvent, error: unknown): void {
    const { entry, raw, context } = source;
    const uuid = uuidOf(source);
    this.count('dead_lettered');
    this.#deadLetters.push({
      projectId: entry.projectId,
      eventUuid: uuid,
      error: `Event ingestion failed. Error: ${error instanceof Error ? error.message : String(error)}`,
      payload: toJsonText(isUsable(raw) ? { ...raw, uuid } : raw) ?? TOO_DEEP,
      context: serializeRequestContext(context),
      receivedAt: entry.receivedAt,
      failedAt: this.#now,
    });
  }

  recordWarnings({ entry }: ReadEvent, warnings: readonly Warning[]): void {
    for (const { type, details } of warnings) {
      if (this.#warnings.length >= MAX_WARNINGS) return;
      this.#warnings.push({ projectId: entry.projectId, type, details: JSON.stringify(details), at: this.#now });
    }
  }

  changes(): Pick<IngestChanges, 'seen' | 'repeats' | 'dropped' | 'deadLetters' | 'warnings' | 'counts'> {
    return {
      seen: this.#seen,
      repeats: this.#repeats,
      dropped: this.#dropped,
      deadLetters: this.#deadLetters,
      warnings: this.#warnings,
      counts: this.#counts,
    };
  }
}

function uuidOf({ outcome, raw, entry, fallbackUuid }: ReadEvent): string {
  if (outcome.kind === 'event') return outcome.event.uuid;
  const properties = isJsonObject(raw['properties']) ? raw['properties'] : {};
  return identityOf(raw, properties, entry.projectId, fallbackUuid) ?? fallbackUuid;
}
