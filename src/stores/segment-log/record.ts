/**
 * The bytes of one record of the ingest log. A record is an entry, or says up to where entries are trimmed.
 *
 *   0  length of what follows the checksum     24  time of arrival (ms)
 *   4  checksum of what follows it             32  project
 *   8  kind                                    36  number of events
 *  12  where its group begins in the file      40  length of the context
 *  16  number of the entry, or trimmed up to   44  length of the seed
 *  48  context, seed, payload
 *
 * Entries that are synced together are a group. A group is written only after the one before it is on disk, so any
 * record shows that everything before its group was.
 *
 * The checksum starts from the salt of the segment: what a client sends never passes for a record.
 */
import { crc32 } from 'node:zlib';
import type { LogEntry } from '../ingest/ingest-log.ts';

export const RECORD_HEADER_BYTES = 48;
const CHECKED_FROM = 8;

const ENTRY = 0x52544e45;
const TRIM = 0x4d495254;

export interface RecordHeader {
  kind: 'entry' | 'trim';
  /** Of the whole record. */
  bytes: number;
  groupStart: number;
  seq: number;
  receivedAt: number;
  projectId: number;
  events: number;
  contextBytes: number;
  seedBytes: number;
  payloadBytes: number;
}

/** Where a group begins, and the salt of its segment. */
interface RecordPlace {
  groupStart: number;
  salt: number;
}

/** Up to this size, copying a payload costs less than one more buffer to write and one more checksum to begin. */
const MAX_COPIED_BYTES = 4096;

/** One buffer, or the head of the record and a large payload as it is. */
export function encodeEntry(entry: LogEntry, place: RecordPlace): Buffer[] {
  const { payload, seed } = entry;
  const contextBytes = Buffer.byteLength(entry.context);
  const headBytes = RECORD_HEADER_BYTES + contextBytes + seed.length;
  const isCopied = payload.length <= MAX_COPIED_BYTES;
  const head = Buffer.allocUnsafe(isCopied ? headBytes + payload.length : headBytes);
  head.writeUInt32LE(headBytes - CHECKED_FROM + payload.length, 0);
  head.writeUInt32LE(ENTRY, 8);
  head.writeUInt32LE(place.groupStart, 12);
  head.writeDoubleLE(entry.seq, 16);
  head.writeDoubleLE(entry.receivedAt, 24);
  head.writeUInt32LE(entry.projectId, 32);
  head.writeUInt32LE(entry.events, 36);
  head.writeUInt32LE(contextBytes, 40);
  head.writeUInt32LE(seed.length, 44);
  head.write(entry.context, RECORD_HEADER_BYTES);
  head.set(seed, RECORD_HEADER_BYTES + contextBytes);
  if (isCopied) head.set(payload, headBytes);
  const checksum = crc32(head.subarray(CHECKED_FROM), place.salt);
  head.writeUInt32LE(isCopied ? checksum : crc32(payload, checksum), 4);
  return isCopied ? [head] : [head, payload];
}

/** `padding`: bytes that nobody reads. */
export function encodeTrim(seq: number, place: RecordPlace, padding = 0): Buffer {
  const record = Buffer.alloc(RECORD_HEADER_BYTES + padding);
  record.writeUInt32LE(record.length - CHECKED_FROM, 0);
  record.writeUInt32LE(TRIM, 8);
  record.writeUInt32LE(place.groupStart, 12);
  record.writeDoubleLE(seq, 16);
  record.writeUInt32LE(crc32(record.subarray(CHECKED_FROM), place.salt), 4);
  return record;
}

/** Null where no record can begin. Whether it is intact is another question. */
export function readRecordHeader(bytes: Buffer, at: number): RecordHeader | null {
  if (at + RECORD_HEADER_BYTES > bytes.length) return null;
  const kind = bytes.readUInt32LE(at + 8);
  if (kind !== ENTRY && kind !== TRIM) return null;
  const length = CHECKED_FROM + bytes.readUInt32LE(at);
  const contextBytes = bytes.readUInt32LE(at + 40);
  const seedBytes = bytes.readUInt32LE(at + 44);
  const payloadBytes = length - RECORD_HEADER_BYTES - contextBytes - seedBytes;
  if (payloadBytes < 0) return null;
  return {
    kind: kind === ENTRY ? 'entry' : 'trim',
    bytes: length,
    groupStart: bytes.readUInt32LE(at + 12),
    seq: bytes.readDoubleLE(at + 16),
    receivedAt: bytes.readDoubleLE(at + 24),
    projectId: bytes.readUInt32LE(at + 32),
    events: bytes.readUInt32LE(at + 36),
    contextBytes,
    seedBytes,
    payloadBytes,
  };
}

/** The header of an intact record that begins here; null if there is none. */
export function readIntactHeader(bytes: Buffer, at: number, salt: number): RecordHeader | null {
  const header = readRecordHeader(bytes, at);
  if (header === null || at + header.bytes > bytes.length) return null;
  const checked = bytes.subarray(at + CHECKED_FROM, at + header.bytes);
  return crc32(checked, salt) === bytes.readUInt32LE(at + 4) ? header : null;
}

/** Its seed and payload are parts of `bytes`, not copies. */
export function decodeEntry(bytes: Buffer, at: number, header: RecordHeader): LogEntry {
  const { seq, projectId, receivedAt, events, contextBytes, seedBytes } = header;
  const context = at + RECORD_HEADER_BYTES;
  const seed = context + contextBytes;
  const payload = seed + seedBytes;
  return {
    seq,
    projectId,
    receivedAt,
    events,
    context: bytes.toString('utf8', context, seed),
    seed: bytes.subarray(seed, payload),
    payload: bytes.subarray(payload, at + header.bytes),
  };
}

/**
 * Visits the headers that begin in these bytes, until `visit` returns false. Returns where the next record begins, which
 * may be past the end; it is the place of a record that is not complete here, or that nothing can be read from.
 */
export function walkHeaders(
  bytes: Buffer,
  from: number,
  visit: (header: RecordHeader, at: number) => boolean,
): { next: number; isStopped: boolean } {
  let at = from;
  for (;;) {
    const header = readRecordHeader(bytes, at);
    if (header === null) return { next: at, isStopped: false };
    if (!visit(header, at)) return { next: at, isStopped: true };
    at += header.bytes;
  }
}
