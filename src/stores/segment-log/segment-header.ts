/** The name and the first bytes of a segment: what came before it, so that older segments need not be read to know that. */
import { crc32 } from 'node:zlib';

/** What a part of the log holds. */
export interface LogCounts {
  entries: number;
  events: number;
  /** Of payloads. */
  bytes: number;
}

export interface SegmentHeader {
  /** The number of its first entry. */
  first: number;
  /** Starts the checksums of its records. */
  salt: number;
  /** Entries ever written before it. */
  before: LogCounts;
  /** Events ever accepted before it: those, and what a lost log had accepted. */
  accepted: number;
  /** Entries up to here were trimmed when it was begun. */
  trimmed: number;
  /** The segment before it, and how many of its bytes count; null for the first one of a log. */
  previous: { first: number; length: number } | null;
}

export const SEGMENT_HEADER_BYTES = 96;

const MAGIC = Buffer.from('CAIRNLOG');
const VERSION = 1;
const CHECKSUM_AT = SEGMENT_HEADER_BYTES - 4;

export function encodeSegmentHeader({ first, salt, before, accepted, trimmed, previous }: SegmentHeader): Buffer {
  const bytes = Buffer.alloc(SEGMENT_HEADER_BYTES);
  MAGIC.copy(bytes);
  bytes.writeUInt32LE(VERSION, 8);
  bytes.writeUInt32LE(salt, 12);
  const numbers = [first, before.entries, before.events, before.bytes, accepted, trimmed];
  [...numbers, previous?.first ?? 0, previous?.length ?? 0].forEach((value, i) => {
    bytes.writeDoubleLE(value, 16 + 8 * i);
  });
  bytes.writeUInt32LE(crc32(bytes.subarray(0, CHECKSUM_AT)), CHECKSUM_AT);
  return bytes;
}

type Decoded = { kind: 'header'; header: SegmentHeader } | { kind: 'damaged' } | { kind: 'newer'; version: number };

export function decodeSegmentHeader(bytes: Buffer): Decoded {
  if (bytes.length < SEGMENT_HEADER_BYTES || !bytes.subarray(0, 8).equals(MAGIC)) return { kind: 'damaged' };
  const version = bytes.readUInt32LE(8);
  if (version > VERSION) return { kind: 'newer', version };
  if (crc32(bytes.subarray(0, CHECKSUM_AT)) !== bytes.readUInt32LE(CHECKSUM_AT)) return { kind: 'damaged' };
  const number = (i: number): number => bytes.readDoubleLE(16 + 8 * i);
  const header = {
    first: number(0),
    salt: bytes.readUInt32LE(12),
    before: { entries: number(1), events: number(2), bytes: number(3) },
    accepted: number(4),
    trimmed: number(5),
    previous: number(6) === 0 ? null : { first: number(6), length: number(7) },
  };
  return { kind: 'header', header };
}

const NAME = /^(\d{16})\.log$/;

export const segmentName = (first: number): string => `${String(first).padStart(16, '0')}.log`;

/** The number of its first entry; null for other files. */
export function firstOfName(name: string): number | null {
  const digits = NAME.exec(name)?.[1];
  return digits === undefined ? null : Number(digits);
}
