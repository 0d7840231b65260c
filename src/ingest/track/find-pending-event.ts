/**
 * Searches the log for one pending event. Nothing is indexed there, so entries are read in batches, and most are ruled
 * out without parsing: a uuid that the client gave is in the payload; one that we gave begins with the arrival time; one
 * that was derived from a message id is of version 5.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Failure } from '../../core/errors.ts';
import { identityOf } from '../../core/events/event-identity.ts';
import { extractEvents } from '../../core/events/extract-events.ts';
import { isJsonObject } from '../../core/json/json.ts';
import { parseJsonBytes } from '../../core/json/parse-json.ts';
import type { IngestLogReader, LogEntry } from '../../stores/ingest/ingest-log.ts';
import { isProcessed, type LogProgress } from '../../stores/ingest/log-progress.ts';
import { derivedUuid, parseRequestContext } from '../accept/request-context.ts';

const BATCH_EVENTS = 2000;
const BATCH_BYTES = 4 * 1024 * 1024;
/** With a larger backlog the answer is 'try again': it is processed faster than it is searched. */
const MAX_SEARCH_BYTES = 128 * 1024 * 1024;

interface PendingDeps {
  log: IngestLogReader;
  progress(): Promise<LogProgress>;
}

/** The entry with the event, or null. */
export async function findPendingEvent(deps: PendingDeps, projectId: number, uuid: string): Promise<LogEntry | null> {
  const progress = await deps.progress();
  let at = progress.position;
  for (let bytes = 0; ; ) {
    const batch = await deps.log.read(at, BATCH_EVENTS, BATCH_BYTES);
    if (batch.length === 0) return null;
    for (const entry of batch) {
      if (entry.projectId === projectId && !isProcessed(progress, entry) && containsEvent(entry, uuid)) return entry;
      at = entry.seq;
      bytes += entry.payload.length;
    }
    if (bytes > MAX_SEARCH_BYTES) throw backlogTooLarge();
    await nextTurn();
  }
}

const backlogTooLarge = (): Failure =>
  new Failure('unavailable', 'Too many events are waiting to be processed; try again in a moment.', { retryAfter: 5 });

function containsEvent(entry: LogEntry, uuid: string): boolean {
  return mayContainEvent(entry, uuid) && uuidsIn(entry).includes(uuid);
}

const TIME_DIGITS = 12;
/** Uuids of version 5 are derived from these. */
const UUID_SOURCES = ['messageId', 'message_id', '$insert_id'];

function mayContainEvent({ payload, receivedAt }: LogEntry, uuid: string): boolean {
  const time = receivedAt.toString(16).padStart(TIME_DIGITS, '0');
  if (uuid.replaceAll('-', '').startsWith(time)) return true;
  if (uuid[14] === '5' && UUID_SOURCES.some((name) => payload.includes(name))) return true;
  const hex = uuid.replaceAll('-', '');
  return (
    [uuid, hex].some((form) => payload.includes(form) || payload.includes(form.toUpperCase())) ||
    payload.includes('\\u')
  );
}

function uuidsIn(entry: LogEntry): (string | undefined)[] {
  const { projectId } = entry;
  const { events, isSingle } = extractEvents(parseJsonBytes(entry.payload));
  const engage = parseRequestContext(entry.context).engage && isSingle;
  return events.map((raw, index) => {
    const properties = isJsonObject(raw['properties']) ? raw['properties'] : {};
    return identityOf(raw, properties, { projectId, engage, fallbackUuid: derivedUuid(entry, index) })?.uuid;
  });
}
