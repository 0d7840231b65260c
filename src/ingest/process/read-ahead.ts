/**
 * The next chunk, read and normalised while the one before it is being committed: the engine works on its own threads
 * then, and ours would only wait. Normalising asks nothing but the project's settings, so it can be done beforehand.
 */
import type { MaybePromise } from '../../lib/maybe-async.ts';
import type { IngestLogReader, LogEntry } from '../../stores/ingest/ingest-log.ts';
import type { IngestProject } from '../../stores/ingest/ingest-store.ts';
import { normaliseEntries, type ReadEvent } from './read-entries.ts';

export type Projects = ReadonlyMap<number, IngestProject>;

export interface ReadChunk {
  /** The position after which it begins. */
  after: number;
  entries: readonly LogEntry[];
  events: readonly ReadEvent[];
  /** The settings that it was normalised by. */
  projects: Projects;
}

/** Null where there is nothing to read, or where it is better left to the usual way. */
export function readAhead(
  log: IngestLogReader,
  after: number,
  maxEvents: number,
  maxBytes: number,
  projects: Projects,
): MaybePromise<ReadChunk | null> {
  const prepare = (entries: readonly LogEntry[]): ReadChunk | null => {
    if (entries.length === 0 || !entries.every((entry) => projects.has(entry.projectId))) return null;
    return { after, entries, events: [...normaliseEntries(entries, projects)], projects };
  };
  // Whatever goes wrong comes up again when the chunk has its turn, and is dealt with there.
  try {
    const entries = log.read(after, maxEvents, maxBytes);
    return entries instanceof Promise ? entries.then(prepare).catch(() => null) : prepare(entries);
  } catch {
    return null;
  }
}

/** Whether it can be used: nobody has changed a setting, or removed a project, since it was read. */
export const isStillValid = (chunk: ReadChunk, projects: Projects): boolean =>
  chunk.entries.every(({ projectId }) => {
    const now = projects.get(projectId);
    return now !== undefined && now.anonymizeIps === chunk.projects.get(projectId)?.anonymizeIps;
  });
