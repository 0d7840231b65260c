import type { Event } from '../../core/events/event.ts';
import { eventKey } from '../../stores/ingest/event-key.ts';
import type { EventId, IngestTransaction } from '../../stores/ingest/ingest-store.ts';
import type { FateRecorder } from './fate-recorder.ts';
import type { NewEvent, NormalisedEvent } from './normalise-entries.ts';

/** Records what is dropped, failed or seen before; returns the rest. */
export async function selectNewEvents(
  store: IngestTransaction,
  events: readonly NormalisedEvent[],
  fates: FateRecorder,
): Promise<NewEvent[]> {
  const candidates = events.flatMap((source) => candidateOf(source, fates) ?? []);
  const ids = candidates.filter(hasClientUuid).flatMap(({ event }) => idsOf(event));
  const seen = new Map((await store.listSeenEvents(ids)).map((one) => [eventKey(one), one.receivedAt]));
  return candidates.filter((candidate) => {
    if (!hasClientUuid(candidate)) return true;
    const { event } = candidate;
    const stored = storedId(event, seen);
    if (stored === undefined) seen.set(eventKey(event), event.receivedAt);
    else fates.recordDuplicate({ ...event, uuid: stored });
    return stored === undefined;
  });
}

const idsOf = ({ projectId, uuid, formerUuid }: Event): EventId[] =>
  formerUuid === undefined
    ? [{ projectId, uuid }]
    : [
        { projectId, uuid },
        { projectId, uuid: formerUuid },
      ];

/**
 * The uuid that the event is stored under; undefined where it is new. Under the former one another event may be stored,
 * since a `messageId` alone identified it; but what happened after that event arrived is certainly not the same.
 */
function storedId(event: Event, seen: ReadonlyMap<string, number>): string | undefined {
  const { projectId, uuid, formerUuid, timestamp } = event;
  if (seen.has(eventKey(event))) return uuid;
  const arrival = formerUuid === undefined ? undefined : seen.get(eventKey({ projectId, uuid: formerUuid }));
  return arrival !== undefined && timestamp <= arrival ? formerUuid : undefined;
}

function candidateOf(source: NormalisedEvent, fates: FateRecorder): NewEvent | null {
  const { outcome } = source;
  switch (outcome.kind) {
    case 'event':
      fates.recordWarnings(source, outcome.warnings);
      return { event: outcome.event, source };
    case 'dropped':
      fates.recordWarnings(source, outcome.warnings);
      fates.recordDropped(source, outcome.reason, outcome.uuid);
      return null;
    case 'no_project':
      fates.recordDropped(source, 'project_deleted', source.fallbackUuid);
      return null;
    case 'failed':
      fates.recordFailed(source, outcome.error);
      return null;
  }
}

/** A uuid that we made ourselves is new by construction. */
export const hasClientUuid = ({ event }: NewEvent): boolean => event.isGenerated !== true;
