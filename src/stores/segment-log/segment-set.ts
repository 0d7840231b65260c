/** The segments of a log that is being written, as a reader in any thread sees them. */

import { basename } from 'node:path';
import type { LogEntry } from '../ingest/ingest-log.ts';
import { segmentsIn } from './log-folder.ts';
import type { LogHead } from './log-head.ts';
import { firstOfName } from './segment-header.ts';
import { SegmentReader } from './segment-reader.ts';

interface Found {
  segment: SegmentReader;
  /** Its last entry, as far as the log is complete. */
  last: number;
}

export class SegmentSet {
  readonly #folder: string;
  readonly #shared: LogHead;
  /** Oldest first. */
  #segments: SegmentReader[] = [];
  #head = 0;
  #trimmed = 0;

  constructor(folder: string, shared: LogHead) {
    this.#folder = folder;
    this.#shared = shared;
  }

  /** The newest entry, as of the last refresh. */
  get head(): number {
    return this.#head;
  }

  get trimmed(): number {
    return this.#trimmed;
  }

  /** Looks up how far the log is. What is found stays as it is until the next refresh. */
  refresh(): void {
    this.#trimmed = this.#shared.trimmed;
    this.#head = this.#shared.head;
    const isKnown = (this.#segments.at(-1)?.header.first ?? -1) >= this.#shared.active;
    if (!isKnown) this.#list();
    this.#segments = this.#segments.filter(
      (_, i) => this.#lastOf(i) > this.#trimmed || i === this.#segments.length - 1,
    );
  }

  /** Closes files. */
  release(): void {
    for (const segment of this.#segments) segment.release();
  }

  projectOf(seq: number): number | undefined {
    const found = this.#find(seq);
    return found?.segment.projectOf(seq, found.last);
  }

  entry(seq: number): LogEntry | null {
    const found = this.#find(seq);
    return found ? found.segment.entry(seq, found.last) : null;
  }

  /** Entries after `seq`, oldest first. */
  *entriesAfter(seq: number): Generator<LogEntry> {
    for (const at of this.seqsAfter(seq)) {
      const entry = this.entry(at);
      if (entry) yield entry;
    }
  }

  /** Their numbers. */
  *seqsAfter(seq: number): Generator<number> {
    for (let i = 0; i < this.#segments.length; i++) {
      const segment = this.#segments[i];
      const last = this.#lastOf(i);
      if (!segment || last <= seq) continue;
      const from = Math.max(seq, this.#trimmed, segment.header.first - 1) + 1;
      // Numbers may be skipped between two segments.
      for (let at = from; at <= last && segment.projectOf(at, last) !== undefined; at++) yield at;
    }
  }

  #find(seq: number): Found | null {
    if (seq > this.#head || seq <= this.#trimmed) return null;
    const index = this.#segments.findLastIndex(({ header }) => header.first <= seq);
    const segment = this.#segments[index];
    return segment ? { segment, last: this.#lastOf(index) } : null;
  }

  #lastOf(index: number): number {
    const next = this.#segments[index + 1];
    return next ? Math.min(this.#head, next.header.first - 1) : this.#head;
  }

  /** A segment is deleted when it is trimmed, perhaps right now. */
  #list(): void {
    const known = new Map(this.#segments.map((segment) => [segment.path, segment]));
    const { active } = this.#shared;
    this.#segments = segmentsIn(this.#folder)
      // One that is being begun.
      .filter((path) => (firstOfName(basename(path)) ?? 0) <= active)
      .flatMap((path) => known.get(path) ?? openIfThere(path));
  }
}

function openIfThere(path: string): SegmentReader[] {
  try {
    return [new SegmentReader(path)];
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
