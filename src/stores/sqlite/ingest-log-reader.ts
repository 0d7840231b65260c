import type { IngestLogReader, LogEntry } from '../ingest/ingest-log.ts';
import { openLogFileForReading } from './ingest-log-file.ts';

/** It answers at once. */
export interface SqliteLogReader extends IngestLogReader {
  read(...question: Parameters<IngestLogReader['read']>): LogEntry[];
}

/**
 * The reading side, for the thread that processes. It looks through a connection of its own and never holds a
 * snapshot between two calls, so the writer's checkpoints can always get past it.
 */
export function openIngestLogReader(path: string): SqliteLogReader {
  const db = openLogFileForReading(path);
  const after = db.prepare<[number], LogEntry>(`
    select seq, project_id as projectId, received_at as receivedAt, events, context, seed, payload
    from entries
    where seq > ?
    order by seq`);

  return {
    read(seq, maxEvents, maxBytes) {
      const entries: LogEntry[] = [];
      let events = 0;
      let bytes = 0;
      for (const entry of after.iterate(seq)) {
        events += entry.events;
        bytes += entry.payload.length;
        if (entries.length > 0 && (events > maxEvents || bytes > maxBytes)) break;
        entries.push(entry);
      }
      return entries;
    },
    close: () => {
      db.close();
    },
  };
}
