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
  const ids = candidates.filter(hasClientUuid).map(({ event: { projectId, uuid } }) => ({ projectId, uuid }));
  const seen = new Set((await store.listSeenEvents(ids)).map(keyOf));
  return candidates.filter((candidate) => {
    if (!hasClientUuid(candidate)) return true;
    const key = keyOf(candidate.event);
    const isNew = !seen.has(key);
    if (isNew) seen.add(key);
    else fates.recordDuplicate(candidate.event);
    return isNew;
  });
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
export const hasClientUuid = ({ event, source }: NewEvent): boolean => event.uuid !== source.fallbackUuid;

const keyOf = ({ projectId, uuid }: EventId): string => `${projectId}:${uuid}`;
