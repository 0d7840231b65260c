import { closeSync, openSync, readSync } from 'node:fs';
import { DamagedLog } from './damaged-log.ts';
import type { LogFolder, Segment } from './log-folder.ts';
import { readIntactHeader } from './record.ts';
import { SEGMENT_HEADER_BYTES } from './segment-header.ts';

/** Reads a log that nobody writes completely; throws if it is damaged. */
export function verifyLog({ segments }: LogFolder): void {
  for (const segment of segments) {
    const file = openSync(segment.path, 'r');
    try {
      verifySegment(file, segment);
    } finally {
      closeSync(file);
    }
  }
}

export function verifySegment(file: number, { path, header, length, last }: Segment): void {
  const bytes = Buffer.allocUnsafe(length);
  const read = readSync(file, bytes, 0, length, 0);
  let seq = header.first - 1;
  for (let at = SEGMENT_HEADER_BYTES; at < read; ) {
    const record = readIntactHeader(bytes, at, header.salt);
    if (record === null) throw new DamagedLog(path, `the record at byte ${at} cannot be read`);
    if (record.kind === 'entry') seq = record.seq;
    at += record.bytes;
  }
  if (read < length || seq !== last) throw new DamagedLog(path, `its last entry is ${seq}, and not ${last}`);
}
