/** From log entries to normalised events, in the order of the log. What fails for its own reason is set aside alone. */
import type { Event } from '../../core/events/event.ts';
import { extractEvents } from '../../core/events/extract-events.ts';
import { arrivalOf } from '../../core/events/import-line.ts';
import { type Normalised, normalise } from '../../core/events/normalise.ts';
import type { JsonObject } from '../../core/json/json.ts';
import { parseJson } from '../../core/json/parse-json.ts';
import type { LogEntry } from '../../stores/ingest/ingest-log.ts';
import type { IngestProject } from '../../stores/ingest/ingest-store.ts';
import { derivedUuid, parseRequestContext, type RequestContext } from '../accept/request-context.ts';

/** One event of the log with all that is needed to decide about it, or to set it aside. */
export interface ReadEvent {
  entry: LogEntry;
  /** What the request said; `engage` only where it holds for this event. */
  context: RequestContext;
  raw: JsonObject;
  /** Its id if it brings none. */
  fallbackUuid: string;
  outcome: Normalised | { kind: 'failed'; error: unknown } | { kind: 'no_project' };
}

/** A normalised event that is not a repetition, beside where it came from. */
export interface FreshEvent {
  event: Event;
  source: ReadEvent;
}

export function* normaliseEntries(
  entries: readonly LogEntry[],
  projects: ReadonlyMap<number, IngestProject>,
): Generator<ReadEvent> {
  for (const entry of entries) {
    const context = parseRequestContext(entry.context);
    const project = projects.get(entry.projectId);
    const { events, isSingle } = extractEvents(parseJson(entry.payload.toString('utf8')));
    context.engage &&= isSingle;
    for (const [index, raw] of events.entries()) {
      const fallbackUuid = derivedUuid(entry, index);
      const outcome = outcomeOf(raw, entry, context, project, fallbackUuid);
      yield { entry, context, raw, fallbackUuid, outcome };
    }
  }
}

function outcomeOf(
  raw: JsonObject,
  { projectId, receivedAt: acceptedAt }: LogEntry,
  { ip, sentAt, engage, imported }: RequestContext,
  project: IngestProject | undefined,
  fallbackUuid: string,
): ReadEvent['outcome'] {
  if (!project) return { kind: 'no_project' };
  try {
    const { anonymizeIps } = project;
    const receivedAt = imported ? arrivalOf(raw, acceptedAt) : acceptedAt;
    return normalise(raw, { projectId, receivedAt, sentAt, ip, anonymizeIps, engage, fallbackUuid });
  } catch (error) {
    return { kind: 'failed', error };
  }
}
