/** Writes a whole log at once, where nobody else uses the folder. */
import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { LogEntry } from '../ingest/ingest-log.ts';
import { addCounts, NO_COUNTS } from './log-folder.ts';
import { newSalt } from './new-salt.ts';
import { encodeEntry } from './record.ts';
import {
  encodeSegmentHeader,
  type LogCounts,
  SEGMENT_HEADER_BYTES,
  type SegmentHeader,
  segmentName,
} from './segment-header.ts';

const MAX_SEGMENT_BYTES = 32 * 1024 * 1024;

export interface WholeLog {
  /** The newest number that was given. */
  head: number;
  /** Events ever accepted, and those of the entries. */
  accepted: number;
  pending: number;
  /** Oldest first, with any numbers. */
  entries(): Iterable<LogEntry>;
}

/** Into an empty folder. Everything is on disk when it returns, but for the names in the folder. */
export function writeSegments(folder: string, log: WholeLog): void {
  const writer = new SegmentsWriter(folder, log.accepted - log.pending);
  for (const entry of log.entries()) writer.add(entry);
  writer.finish(log.head);
}

const countEntry = (counts: LogCounts, { events, payload }: LogEntry): LogCounts =>
  addCounts(counts, { entries: 1, events, bytes: payload.length });

class SegmentsWriter {
  readonly #folder: string;
  /** Accepted before the first entry. */
  readonly #accepted: number;
  #trimmed = 0;
  #written = NO_COUNTS;
  #last = 0;
  #segment: { header: SegmentHeader; file: number; length: number } | null = null;

  constructor(folder: string, accepted: number) {
    this.#folder = folder;
    this.#accepted = accepted;
  }

  add(entry: LogEntry): void {
    if (this.#segment === null) this.#trimmed = entry.seq - 1;
    const isFollowing = entry.seq === this.#last + 1 && (this.#segment?.length ?? 0) < MAX_SEGMENT_BYTES;
    const segment = this.#segment && isFollowing ? this.#segment : this.#begin(entry.seq);
    const { length, header, file } = segment;
    for (const bytes of encodeEntry(entry, { groupStart: length, salt: header.salt })) {
      writeSync(file, bytes);
      segment.length += bytes.length;
    }
    this.#last = entry.seq;
    this.#written = countEntry(this.#written, entry);
  }

  finish(head: number): void {
    if (this.#segment === null) this.#trimmed = head;
    if (this.#segment === null || head > this.#last) this.#begin(head + 1);
    this.#end();
  }

  #begin(first: number) {
    const old = this.#segment;
    this.#end();
    const header: SegmentHeader = {
      first,
      salt: newSalt(),
      before: this.#written,
      accepted: this.#accepted + this.#written.events,
      trimmed: this.#trimmed,
      previous: old && { first: old.header.first, length: old.length },
    };
    const file = openSync(join(this.#folder, segmentName(first)), 'wx', 0o600);
    writeSync(file, encodeSegmentHeader(header));
    this.#segment = { header, file, length: SEGMENT_HEADER_BYTES };
    return this.#segment;
  }

  #end(): void {
    if (this.#segment === null) return;
    fsyncSync(this.#segment.file);
    closeSync(this.#segment.file);
  }
}
