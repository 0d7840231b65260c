/**
 * The next chunk, read, normalised and its properties written as JSON while the one before it is being committed: the
 * engine works on its own threads then, and ours would only wait. That needs nothing but the projects' settings.
 */
import type { MaybePromise } from '../../lib/maybe-async.ts';
import type { ChunkReader, PlannedChunk } from '../../stores/ingest/ingest-log.ts';
import type { LogProgress } from '../../stores/ingest/log-progress.ts';
import { MAX_CHUNK_BYTES, MAX_CHUNK_EVENTS } from './chunk-pacing.ts';
import { type NormalisedEvent, normaliseEntries, type Projects } from './normalise-entries.ts';
import type { StepTimes } from './step-times.ts';
import { writeProperties } from './written-properties.ts';

export interface ReadAheadChunk extends PlannedChunk {
  /** The progress from which it was planned. */
  after: LogProgress;
  events: readonly NormalisedEvent[];
  /** The settings that it was normalised with. */
  projects: Projects;
}

/** Null where there is nothing to read, or where a project is not loaded. */
export function readAhead(
  { log, stepTimes }: { log: Pick<ChunkReader, 'next'>; stepTimes: StepTimes },
  after: LogProgress,
  projects: Projects,
): MaybePromise<ReadAheadChunk | null> {
  const normalise = (chunk: PlannedChunk): ReadAheadChunk | null => {
    const { entries } = chunk;
    if (entries.length === 0 || !entries.every((entry) => projects.has(entry.projectId))) return null;
    const finished = stepTimes.stopwatch();
    const events = normaliseEntries(entries, projects);
    finished('normalise');
    for (const event of events)
      if (event.outcome.kind === 'event') event.written = writeProperties(event.outcome.event.properties);
    finished('write_properties');
    return { ...chunk, after, events, projects };
  };
  // An error comes up again when the chunk is processed, and is handled there.
  try {
    const chunk = log.next(after, MAX_CHUNK_EVENTS, MAX_CHUNK_BYTES);
    return chunk instanceof Promise ? chunk.then(normalise).catch(() => null) : normalise(chunk);
  } catch {
    return null;
  }
}

/** Whether no setting was changed and no project deleted since it was read. */
export const isStillValid = (chunk: ReadAheadChunk, projects: Projects): boolean =>
  chunk.entries.every(({ projectId }) => {
    const current = projects.get(projectId);
    return current !== undefined && current.anonymizeIps === chunk.projects.get(projectId)?.anonymizeIps;
  });
