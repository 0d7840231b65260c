/**
 * What the folder of an ingest log holds. Only the last segment is read completely: the header of each one says what came
 * before it.
 */
import { closeSync, openSync, readdirSync, readFileSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DamagedLog } from './damaged-log.ts';
import { RECORD_HEADER_BYTES, type RecordHeader, readIntactHeader, readRecordHeader } from './record.ts';
import {
  decodeSegmentHeader,
  firstOfName,
  type LogCounts,
  SEGMENT_HEADER_BYTES,
  type SegmentHeader,
} from './segment-header.ts';

export interface Segment {
  path: string;
  header: SegmentHeader;
  /** Bytes that count; what is behind them was never acknowledged. */
  length: number;
  /** The number of its last entry; that of the one before its first if it has none. */
  last: number;
  /** What it holds, trimmed entries too. */
  counts: LogCounts;
}

export interface LogFolder {
  /** Oldest first; empty where there is no log yet. */
  segments: Segment[];
  head: number;
  accepted: number;
  /** Entries up to here are trimmed. */
  trimmed: number;
  /** Bytes at the end that were never acknowledged. */
  tornBytes: number;
}

export const NO_COUNTS: LogCounts = { entries: 0, events: 0, bytes: 0 };

/** `head`: of a log that is being written, the entry up to which it is complete. */
export function readLogFolder(folder: string, head?: number): LogFolder {
  const headers = segmentsIn(folder).map((path) => ({ path, header: readSegmentHeader(path) }));
  const files = headers.filter(({ header }, i) => head === undefined || header.first <= head + 1 || i === 0);
  const tails: Tail[] = [];
  const segments = files.map(({ path, header }, i): Segment => {
    const next = files[i + 1]?.header;
    if (next?.previous?.first === header.first) return sealedSegment(path, header, next, next.previous.length);
    const tail = readTail(path, header, next ? undefined : head);
    tails.push(tail);
    return { path, header, ...tail };
  });
  const last = segments.at(-1);
  return {
    segments,
    head: last?.last ?? 0,
    accepted: last ? last.header.accepted + last.counts.events : 0,
    trimmed: Math.max(0, last?.header.trimmed ?? 0, ...tails.map(({ trimmed }) => trimmed)),
    tornBytes: tails.at(-1)?.tornBytes ?? 0,
  };
}

/** Paths, oldest first. */
export function segmentsIn(folder: string): string[] {
  return listNames(folder)
    .filter((name) => firstOfName(name) !== null)
    .sort()
    .map((name) => join(folder, name));
}

function listNames(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

export function readSegmentHeader(path: string): SegmentHeader {
  if (statSync(path).isDirectory()) throw new DamagedLog(path, 'it is a folder');
  const bytes = Buffer.alloc(SEGMENT_HEADER_BYTES);
  const file = openSync(path, 'r');
  try {
    readSync(file, bytes, 0, bytes.length, 0);
  } finally {
    closeSync(file);
  }
  const decoded = decodeSegmentHeader(bytes);
  if (decoded.kind === 'newer') {
    throw new Error(
      `The ingest log ${path} was written by a newer version of Cairn (format ${decoded.version}). Start that version.`,
    );
  }
  if (decoded.kind === 'damaged') throw new DamagedLog(path, 'its header cannot be read');
  return decoded.header;
}

function sealedSegment(path: string, header: SegmentHeader, next: SegmentHeader, length: number): Segment {
  if (statSync(path).size < length) throw new DamagedLog(path, `${length} bytes were written, and some are missing`);
  const counts = subtractCounts(next.before, header.before);
  return { path, header, length, last: header.first + counts.entries - 1, counts };
}

export const addCounts = (a: LogCounts, b: LogCounts): LogCounts => ({
  entries: a.entries + b.entries,
  events: a.events + b.events,
  bytes: a.bytes + b.bytes,
});

export const subtractCounts = (a: LogCounts, b: LogCounts): LogCounts => ({
  entries: a.entries - b.entries,
  events: a.events - b.events,
  bytes: a.bytes - b.bytes,
});

export const countsOf = ({ events, payloadBytes }: RecordHeader): LogCounts => ({
  entries: 1,
  events,
  bytes: payloadBytes,
});

interface Tail extends Pick<Segment, 'length' | 'last' | 'counts'> {
  trimmed: number;
  tornBytes: number;
}

/** Reads a segment whose end is not recorded elsewhere, and checks every record. */
function readTail(path: string, header: SegmentHeader, head?: number): Tail {
  const bytes = readFileSync(path);
  const tail: Tail = {
    length: SEGMENT_HEADER_BYTES,
    last: header.first - 1,
    counts: NO_COUNTS,
    trimmed: 0,
    tornBytes: 0,
  };
  while (tail.length < bytes.length && (head === undefined || tail.last < head)) {
    const record = readIntactHeader(bytes, tail.length, header.salt);
    if (record === null || (record.kind === 'entry' && record.seq !== tail.last + 1)) break;
    if (record.kind === 'trim') tail.trimmed = Math.max(tail.trimmed, record.seq);
    else {
      tail.last = record.seq;
      tail.counts = addCounts(tail.counts, countsOf(record));
    }
    tail.length += record.bytes;
  }
  if (head === undefined) requireTorn(path, bytes, tail.length, header.salt);
  else if (tail.last < head) throw new DamagedLog(path, `the record at byte ${tail.length} cannot be read`);
  return { ...tail, tornBytes: bytes.length - tail.length };
}

/** Enough for any unfinished write; it bounds what bytes that look like many records can cost. */
const MAX_SEARCH_BYTES = 1024 ** 3;

/**
 * What is left of a write that a crash has cut off was never acknowledged. If a record behind it shows that it was on
 * disk once, it is damaged.
 */
function requireTorn(path: string, bytes: Buffer, end: number, salt: number): void {
  let searched = 0;
  for (let at = end + 1; at + RECORD_HEADER_BYTES <= bytes.length && searched < MAX_SEARCH_BYTES; at++) {
    const record = readRecordHeader(bytes, at);
    if (record === null || record.groupStart <= end || record.groupStart > at) continue;
    searched += record.bytes;
    if (readIntactHeader(bytes, at, salt)) throw new DamagedLog(path, `the record at byte ${end} cannot be read`);
  }
}
