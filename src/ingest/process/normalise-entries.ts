/** From log entries to normalised events, in the order of the log. An event that fails does so alone. */
import type { Event } from '../../core/events/event.ts';
import { extractEvents } from '../../core/events/extract-events.ts';
import { arrivalOf } from '../../core/events/import-line.ts';
import { type Normalised, normalise } from '../../core/events/normalise.ts';
import type { JsonObject } from '../../core/json/json.ts';
import { parseJsonBytes } from '../../core/json/parse-json.ts';
import type { LogEntry } from '../../stores/ingest/ingest-log.ts';
import type { IngestProject } from '../../stores/ingest/ingest-store.ts';
import { derivedUuid, parseRequestContext, type RequestContext } from '../accept/request-context.ts';

export type Projects = ReadonlyMap<number, IngestProject>;

/** One event of the log with all that is needed to decide about it, or to make a dead letter of it. */
export interface NormalisedEvent {
  entry: LogEntry;
  /** What the request said; `engage` only where it applies to this event. */
  context: RequestContext;
  raw: JsonObject;
  /** Its id if it brings none. */
  fallbackUuid: string;
  outcome: Normalised | { kind: 'failed'; error: unknown } | { kind: 'no_project' };
}

/** An event to be stored: neither dropped nor a duplicate. */
export interface NewEvent {
  event: Event;
  source: NormalisedEvent;
}

export function normaliseEntries(entries: readonly LogEntry[], projects: Projects): NormalisedEvent[] {
  const normalised: NormalisedEvent[] = [];
  for (const entry of entries) {
    const context = parseRequestContext(entry.context);
    const project = projects.get(entry.projectId);
    const { events, isSingle } = extractEvents(parseJsonBytes(entry.payload));
    context.engage &&= isSingle;
    for (const [index, raw] of events.entries()) {
      const fallbackUuid = derivedUuid(entry, index);
      const outcome = outcomeOf(raw, entry, context, project, fallbackUuid);
      normalised.push({ entry, context, raw, fallbackUuid, outcome });
    }
  }
  return normalised;
}

function outcomeOf(
  raw: JsonObject,
  { projectId, receivedAt: acceptedAt }: LogEntry,
  { ip, sentAt, engage, imported }: RequestContext,
  project: IngestProject | undefined,
  fallbackUuid: string,
): NormalisedEvent['outcome'] {
  if (!project) return { kind: 'no_project' };
  try {
    const { anonymizeIps } = project;
    const receivedAt = imported ? arrivalOf(raw, acceptedAt) : acceptedAt;
    return normalise(raw, { projectId, receivedAt, sentAt, ip, anonymizeIps, engage, fallbackUuid });
  } catch (error) {
    return { kind: 'failed', error };
  }
}
