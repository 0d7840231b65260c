/** Reads one segment. Of each entry it has seen, it remembers the place and the project. */
import { closeSync, openSync, readSync } from 'node:fs';
import type { LogEntry } from '../ingest/ingest-log.ts';
import { DamagedLog } from './damaged-log.ts';
import { readSegmentHeader } from './log-folder.ts';
import { decodeEntry, RECORD_HEADER_BYTES, type RecordHeader, readIntactHeader, readRecordHeader } from './record.ts';
import { SEGMENT_HEADER_BYTES, type SegmentHeader } from './segment-header.ts';
import { UintList } from './uint-list.ts';

/** Read at a time. */
const WINDOW_BYTES = 512 * 1024;

interface Window {
  bytes: Buffer;
  start: number;
}

const NO_WINDOW: Window = { bytes: Buffer.alloc(0), start: 0 };

export class SegmentReader {
  readonly path: string;
  readonly header: SegmentHeader;
  /** Of the entries from the first one on. */
  readonly #offsets = new UintList();
  readonly #projects = new UintList();
  /** Where the next record is that was not seen yet. */
  #next = SEGMENT_HEADER_BYTES;
  #window = NO_WINDOW;
  #file: number | null = null;

  constructor(path: string) {
    this.path = path;
    this.header = readSegmentHeader(path);
  }

  /** The project of an entry; undefined if the segment ends before it. `last`: up to where it is complete. */
  projectOf(seq: number, last: number): number | undefined {
    const index = seq - this.header.first;
    while (this.#offsets.length <= index && this.#seeNext(last));
    return index < 0 ? undefined : this.#projects.at(index);
  }

  entry(seq: number, last: number): LogEntry | null {
    if (this.projectOf(seq, last) === undefined) return null;
    const at = this.#offsets.at(seq - this.header.first) ?? 0;
    const { bytes } = this.#headerAt(at) ?? { bytes: RECORD_HEADER_BYTES };
    const window = this.#windowAt(at, bytes);
    const record = readIntactHeader(window.bytes, at - window.start, this.header.salt);
    if (record?.seq !== seq) throw this.#damagedAt(at);
    return decodeEntry(window.bytes, at - window.start, record);
  }

  /**
   * After each use: an open file stays on the disk even when it is deleted, and bytes that were read may be of a write
   * that was not complete then.
   */
  release(): void {
    if (this.#file !== null) closeSync(this.#file);
    this.#file = null;
    this.#window = NO_WINDOW;
  }

  #seeNext(last: number): boolean {
    const expected = this.header.first + this.#offsets.length;
    if (expected > last) return false;
    for (;;) {
      const record = this.#headerAt(this.#next);
      if (record === null) return false;
      const at = this.#next;
      if (record.kind === 'entry' && record.seq !== expected) throw this.#damagedAt(at);
      this.#next += record.bytes;
      if (record.kind === 'trim') continue;
      this.#offsets.push(at);
      this.#projects.push(record.projectId);
      return true;
    }
  }

  /** Null at the end of the file. */
  #headerAt(at: number): RecordHeader | null {
    const { bytes, start } = this.#windowAt(at, RECORD_HEADER_BYTES);
    if (bytes.length - (at - start) <= 0) return null;
    const header = readRecordHeader(bytes, at - start);
    if (header === null) throw this.#damagedAt(at);
    return header;
  }

  /** Bytes from `at` on, at least `length` if there are so many. */
  #windowAt(at: number, length: number): Window {
    const { start, bytes } = this.#window;
    const isInside = at >= start && at + length <= start + bytes.length;
    if (isInside) return this.#window;
    const buffer = Buffer.allocUnsafeSlow(Math.max(WINDOW_BYTES, length));
    this.#file ??= openSync(this.path, 'r');
    const read = readSync(this.#file, buffer, 0, buffer.length, at);
    this.#window = { bytes: buffer.subarray(0, read), start: at };
    return this.#window;
  }

  #damagedAt(at: number): DamagedLog {
    return new DamagedLog(this.path, `the record at byte ${at} cannot be read`);
  }
}
