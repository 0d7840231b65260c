import { closeSync, openSync, readSync } from 'node:fs';
import { isProcessed, type LogProgress } from '../ingest/log-progress.ts';
import { DamagedLog } from './damaged-log.ts';
import { type LogFolder, readLogFolder, type Segment } from './log-folder.ts';
import { type RecordHeader, walkHeaders } from './record.ts';
import { SEGMENT_HEADER_BYTES } from './segment-header.ts';

export interface LogTotals {
  /** Events ever accepted. */
  accepted: number;
  /** Events of the entries that are not processed. */
  pending: number;
}

const CHUNK_BYTES = 1024 * 1024;

/** Of a log that nobody writes; null if there is none. */
export function readLogTotals(folder: string, progress: LogProgress): LogTotals | null {
  const found = readLogFolder(folder);
  return found.segments.length === 0 ? null : totalsOf(found, progress);
}

export function totalsOf(folder: LogFolder, progress: LogProgress): LogTotals {
  const from = Math.max(progress.position, folder.trimmed);
  const ahead = Math.max(0, ...progress.ahead.values());
  let pending = 0;
  for (const segment of folder.segments) {
    if (segment.last <= from) continue;
    // Only those are read that were processed in part.
    if (segment.header.first > from && segment.header.first > ahead) pending += segment.counts.events;
    else {
      visitEntries(segment, (entry) => {
        if (entry.seq > from && !isProcessed(progress, entry)) pending += entry.events;
      });
    }
  }
  return { accepted: folder.accepted, pending };
}

function visitEntries(segment: Segment, visit: (header: RecordHeader) => void): void {
  const file = openSync(segment.path, 'r');
  const bytes = Buffer.allocUnsafe(CHUNK_BYTES);
  try {
    for (let at = SEGMENT_HEADER_BYTES; at < segment.length; ) {
      const read = readSync(file, bytes, 0, Math.min(bytes.length, segment.length - at), at);
      const { next } = walkHeaders(bytes.subarray(0, read), 0, (header) => {
        if (header.kind === 'entry') visit(header);
        return true;
      });
      if (next === 0) throw new DamagedLog(segment.path, `the record at byte ${at} cannot be read`);
      at += next;
    }
  } finally {
    closeSync(file);
  }
}
