import { changedSubjects } from '../../core/events/changed-subjects.ts';
import type { JsonObject } from '../../core/json/json.ts';
import type { Ids } from '../../lib/ids.ts';
import type { EventIntake } from './event-intake.ts';
import { type RequestContext, serializeRequestContext } from './request-context.ts';
import { serializeEvents } from './serialize-events.ts';

export interface AcceptDeps {
  ingestion: Pick<EventIntake, 'accept'>;
  ids: Pick<Ids, 'seed'>;
}

interface Origin {
  projectId: number;
  receivedAt: number;
  /** Null and false unless given. */
  context?: Partial<RequestContext>;
}

interface ParsedEvents {
  events: readonly JsonObject[];
  /** The same as JSON, where it is at hand. */
  payload?: Buffer;
  /** Those whose flags the events may change; determined unless given. */
  subjects?: readonly string[];
}

interface SerializedEvents {
  count: number;
  payload: Buffer;
  subjects: readonly string[];
}

const NO_CONTEXT: RequestContext = { ip: null, sentAt: null, engage: false, historical: false };

/** Appends events to the log as one entry, wherever they come from. Resolves when they are on disk. */
export function acceptEvents(
  { ingestion, ids }: AcceptDeps,
  sent: Origin & (ParsedEvents | SerializedEvents),
): Promise<void> {
  const { projectId, receivedAt, context } = sent;
  const events = 'events' in sent ? sent.events : undefined;
  const subjects = sent.subjects ?? changedSubjects(events ?? [], context?.engage ?? false);
  const log = (payload: Buffer): Promise<void> => {
    const entry = {
      projectId,
      receivedAt,
      events: 'events' in sent ? sent.events.length : sent.count,
      context: serializeRequestContext({ ...NO_CONTEXT, ...context }),
      seed: ids.seed(),
      payload,
    };
    return ingestion.accept(entry, subjects, events);
  };
  return sent.payload ? log(sent.payload) : serializeEvents(events ?? []).then(log);
}
