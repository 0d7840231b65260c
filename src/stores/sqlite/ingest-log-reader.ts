import type { IngestLogReader, LogEntry } from '../ingest/ingest-log.ts';
import { openLogFileForReading } from './ingest-log-file.ts';

/** Reads synchronously. */
export interface SqliteLogReader extends IngestLogReader {
  read(...args: Parameters<IngestLogReader['read']>): LogEntry[];
}

/**
 * The reader for the processing thread. It has its own connection and holds no snapshot between calls, so it never blocks
 * the writer's checkpoints.
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
