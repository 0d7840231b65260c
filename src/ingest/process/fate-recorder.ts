/** What became of each event of a chunk: every one is counted, and the counts add up. */
import type { DropReason } from '../../core/events/drop-reasons.ts';
import type { Event } from '../../core/events/event.ts';
import { hasUsableUuid, identityOf } from '../../core/events/event-identity.ts';
import type { Warning } from '../../core/events/warning.ts';
import { toJsonText } from '../../core/json/clean-json.ts';
import { stringifyExact } from '../../core/json/exact-json.ts';
import { isJsonObject } from '../../core/json/json.ts';
import type { LogEntry } from '../../stores/ingest/ingest-log.ts';
import {
  type DroppedEvent,
  type EventId,
  type IngestChanges,
  LABEL,
  type NewDeadLetter,
  type NewSeenEvent,
  type NewWarning,
} from '../../stores/ingest/ingest-store.ts';
import { serializeRequestContext } from '../accept/request-context.ts';
import type { NormalisedEvent } from './normalise-entries.ts';

/** Counted but not listed: browsers send them by the thousand. */
const UNLISTED_REASONS: ReadonlySet<string> = new Set([
  'session_recording',
  'performance_event',
  'client_ingestion_warning',
]);

/** Per chunk: enough to see what is wrong, too few to fill the disk. */
const MAX_WARNINGS = 200;
const MAX_DROPS = 1000;
const ENDS_PROCESS = 'processing it ended the process several times, perhaps because it needs too much memory';
/** In place of a payload that cannot be serialized. */
const TOO_DEEP = '{"unreadable":"nested too deeply"}';

export class FateRecorder {
  readonly #now: number;
  readonly #seen: NewSeenEvent[] = [];
  readonly #duplicates: EventId[] = [];
  readonly #dropped: DroppedEvent[] = [];
  readonly #deadLetters: NewDeadLetter[] = [];
  readonly #warnings: NewWarning[] = [];
  readonly #counts: Record<string, number> = {};
  readonly #labels: Record<string, number> = {};

  constructor(now: number) {
    this.#now = now;
  }

  get total(): number {
    return Object.values(this.#counts).reduce((sum, count) => sum + count, 0);
  }

  count(fate: string, by = 1): void {
    if (by > 0) this.#counts[fate] = (this.#counts[fate] ?? 0) + by;
  }

  /** Stored events that a site's numbers leave out. */
  countLabels({ $is_bot: isBot, $internal_visit: isOwn }: Event['properties']): void {
    if (isBot === true) this.#countLabel('bot');
    if (isOwn === true) this.#countLabel('own');
  }

  #countLabel(name: string): void {
    this.#labels[LABEL + name] = (this.#labels[LABEL + name] ?? 0) + 1;
  }

  recordSeen({ projectId, uuid, receivedAt }: Event): void {
    this.#seen.push({ projectId, uuid, receivedAt, processedAt: this.#now });
  }

  recordDuplicate({ projectId, uuid }: EventId): void {
    this.count('duplicate');
    this.#duplicates.push({ projectId, uuid });
  }

  recordDropped({ entry }: NormalisedEvent, reason: DropReason | 'project_deleted', uuid: string): void {
    this.count(`dropped:${reason}`);
    if (UNLISTED_REASONS.has(reason) || this.#dropped.length >= MAX_DROPS) return;
    const { projectId, receivedAt } = entry;
    this.#dropped.push({ projectId, uuid, reason, receivedAt, droppedAt: this.#now });
  }

  /**
   * Makes a dead letter of the event, which can be replayed. It has the uuid that the event would have been stored
   * under, so that neither a replay nor a retry by the sender stores it twice.
   */
  recordFailed(source: NormalisedEvent, error: unknown): void {
    const { entry, raw, context } = source;
    const uuid = uuidOf(source);
    this.count('dead_lettered');
    this.#deadLetters.push({
      projectId: entry.projectId,
      eventUuid: uuid,
      error: `Event ingestion failed. Error: ${error instanceof Error ? error.message : String(error)}`,
      payload: toJsonText(hasUsableUuid(raw) ? { ...raw, uuid } : raw) ?? TOO_DEEP,
      context: serializeRequestContext(context),
      receivedAt: entry.receivedAt,
      failedAt: this.#now,
    });
  }

  /** One dead letter for the whole request, as it came. */
  recordUnreadable({ projectId, receivedAt, context, payload, events }: LogEntry, eventUuid: string): void {
    this.count('dead_lettered', events);
    this.#deadLetters.push({
      projectId,
      eventUuid,
      error: `Event ingestion failed. Error: ${ENDS_PROCESS}`,
      payload: payload.toString('utf8'),
      requestEvents: events,
      context,
      receivedAt,
      failedAt: this.#now,
    });
  }

  /** About the project, not about one event. */
  recordProjectWarning(projectId: number, { type, details }: Warning): void {
    this.#warnings.push({ projectId, type, details: JSON.stringify(details), at: this.#now });
  }

  recordWarnings({ entry }: NormalisedEvent, warnings: readonly Warning[]): void {
    for (const { type, details } of warnings) {
      if (this.#warnings.length >= MAX_WARNINGS) return;
      this.#warnings.push({ projectId: entry.projectId, type, details: stringifyExact(details), at: this.#now });
    }
  }

  changes(): Pick<IngestChanges, 'seen' | 'repeats' | 'dropped' | 'deadLetters' | 'warnings' | 'counts'> {
    return {
      seen: this.#seen,
      repeats: this.#duplicates,
      dropped: this.#dropped,
      deadLetters: this.#deadLetters,
      warnings: this.#warnings,
      counts: { ...this.#counts, ...this.#labels },
    };
  }
}

function uuidOf({ outcome, raw, entry, context, fallbackUuid }: NormalisedEvent): string {
  if (outcome.kind === 'event') return outcome.event.uuid;
  const properties = isJsonObject(raw['properties']) ? raw['properties'] : {};
  const identity = identityOf(raw, properties, { projectId: entry.projectId, engage: context.engage, fallbackUuid });
  return identity?.uuid ?? fallbackUuid;
}
