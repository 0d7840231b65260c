/** From log entries to normalised events, in the order of the log. An event that fails does so alone. */
import type { VisitorFacts } from '../../core/events/enrich-properties.ts';
import type { Event } from '../../core/events/event.ts';
import { extractEvents } from '../../core/events/extract-events.ts';
import { arrivalOf } from '../../core/events/import-line.ts';
import { type NormaliseContext, type Normalised, normalise } from '../../core/events/normalise.ts';
import { hasCleanText } from '../../core/json/clean-json.ts';
import type { JsonObject } from '../../core/json/json.ts';
import { parseJsonBytes } from '../../core/json/parse-json.ts';
import type { LogEntry } from '../../stores/ingest/ingest-log.ts';
import type { IngestProject } from '../../stores/ingest/ingest-store.ts';
import { derivedUuid, parseRequestContext, type RequestContext } from '../accept/request-context.ts';
import type { WrittenProperties } from './written-properties.ts';

export type Projects = ReadonlyMap<number, IngestProject>;

/** One event of the log with all that is needed to decide about it, or to make a dead letter of it. */
export interface NormalisedEvent {
  entry: LogEntry;
  /** What the request said; `engage` only where it applies to this event. */
  context: RequestContext;
  raw: JsonObject;
  /** Its id if it brings none. */
  readonly fallbackUuid: string;
  outcome: Normalised | { kind: 'failed'; error: unknown } | { kind: 'no_project' };
  /** Its properties, where it was read ahead. */
  written?: WrittenProperties | null;
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
    const isClean = hasCleanText(entry.payload);
    for (const [index, raw] of events.entries()) {
      const event = new LoggedEvent(entry, context, raw, index, isClean);
      event.outcome = outcomeOf(event, project);
      normalised.push(event);
    }
  }
  return normalised;
}

const NO_PROJECT = { kind: 'no_project' } as const;

/** What a raw event comes with is also what it is normalised with: one object for both, since there are so many. */
class LoggedEvent implements NormalisedEvent, NormaliseContext {
  readonly entry: LogEntry;
  readonly context: RequestContext;
  readonly raw: JsonObject;
  readonly isClean: boolean;
  readonly projectId: number;
  readonly sentAt: number | null;
  readonly visitor: VisitorFacts;
  readonly ip: string | null;
  readonly engage: boolean;
  receivedAt: number;
  anonymizeIps = false;
  outcome: NormalisedEvent['outcome'] = NO_PROJECT;
  written: WrittenProperties | null = null;
  readonly #index: number;

  constructor(entry: LogEntry, context: RequestContext, raw: JsonObject, index: number, isClean: boolean) {
    this.entry = entry;
    this.context = context;
    this.raw = raw;
    this.isClean = isClean;
    this.projectId = entry.projectId;
    this.sentAt = context.sentAt;
    this.visitor = context;
    this.ip = context.ip;
    this.engage = context.engage;
    this.receivedAt = entry.receivedAt;
    this.#index = index;
  }

  get fallbackUuid(): string {
    return derivedUuid(this.entry, this.#index);
  }
}

function outcomeOf(event: LoggedEvent, project: IngestProject | undefined): NormalisedEvent['outcome'] {
  if (!project) return NO_PROJECT;
  try {
    event.anonymizeIps = project.anonymizeIps;
    if (event.context.imported) event.receivedAt = arrivalOf(event.raw, event.entry.receivedAt);
    return normalise(event.raw, event);
  } catch (error) {
    return { kind: 'failed', error };
  }
}
