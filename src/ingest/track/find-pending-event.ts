/**
 * Looks for one event among those that wait in the log. Nothing is indexed there, so entries are read in slices, with
 * the event loop free in between, and most are told apart without parsing: an id that a client gave stands in the
 * payload; one that we gave begins with the arrival time; one that was made from a message id is of version 5.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Failure } from '../../core/errors.ts';
import { identityOf } from '../../core/events/event-identity.ts';
import { extractEvents } from '../../core/events/extract-events.ts';
import { isJsonObject } from '../../core/json/json.ts';
import { parseJson } from '../../core/json/parse-json.ts';
import type { IngestLogReader, LogEntry } from '../../stores/ingest/ingest-log.ts';
import { derivedUuid } from '../accept/request-context.ts';

const BATCH_EVENTS = 2000;
const BATCH_BYTES = 4 * 1024 * 1024;
/** Further behind than this, the answer is 'ask again': the backlog is worked off faster than it is searched. */
const MAX_SEARCH_BYTES = 128 * 1024 * 1024;

interface PendingDeps {
  log: IngestLogReader;
  /** Everything up to here has been processed. */
  position(): Promise<number>;
}

/** The entry that holds the event; null when none does. */
export async function findPendingEvent(deps: PendingDeps, projectId: number, uuid: string): Promise<LogEntry | null> {
  let at = await deps.position();
  for (let bytes = 0; ; ) {
    const slice = await deps.log.read(at, BATCH_EVENTS, BATCH_BYTES);
    if (slice.length === 0) return null;
    for (const entry of slice) {
      if (entry.projectId === projectId && containsEvent(entry, uuid)) return entry;
      at = entry.seq;
      bytes += entry.payload.length;
    }
    if (bytes > MAX_SEARCH_BYTES) throw backlogTooLarge();
    await nextTurn();
  }
}

const backlogTooLarge = (): Failure =>
  new Failure('unavailable', 'Too many events wait to be processed; ask again in a moment.', { retryAfter: 5 });

function containsEvent(entry: LogEntry, uuid: string): boolean {
  return mayContainEvent(entry, uuid) && identities(entry).includes(uuid);
}

const TIME_DIGITS = 12;
/** What ids of version 5 are made from. */
const UUID_SOURCES = ['messageId', 'message_id', '$insert_id'];

function mayContainEvent({ payload, receivedAt }: LogEntry, uuid: string): boolean {
  const time = receivedAt.toString(16).padStart(TIME_DIGITS, '0');
  if (uuid.replaceAll('-', '').startsWith(time)) return true;
  if (uuid[14] === '5' && UUID_SOURCES.some((name) => payload.includes(name))) return true;
  return payload.includes(uuid) || payload.includes(uuid.toUpperCase()) || payload.includes('\\u');
}

function identities(entry: LogEntry): (string | undefined)[] {
  const { events } = extractEvents(parseJson(entry.payload.toString('utf8')));
  return events.map((raw, index) => {
    const properties = isJsonObject(raw['properties']) ? raw['properties'] : {};
    return identityOf(raw, properties, entry.projectId, derivedUuid(entry, index));
  });
}
