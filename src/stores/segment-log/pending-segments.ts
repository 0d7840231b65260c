/** The segments with entries that are not trimmed, and how many these are. A segment is deleted once all of it is trimmed. */
import { rm } from 'node:fs/promises';
import { addCounts, NO_COUNTS, type Segment, subtractCounts } from './log-folder.ts';
import type { LogCounts } from './segment-header.ts';
import { TrimCursor } from './trim-cursor.ts';

export class PendingSegments {
  /** Oldest first, with at least the one that is being written. */
  readonly #segments: Segment[];
  #cursor: TrimCursor;
  #counts: LogCounts;
  #oldestReceivedAt: number | null = null;

  constructor(older: readonly Segment[], active: Segment) {
    this.#segments = [...older, active];
    this.#cursor = new TrimCursor(older[0] ?? active);
    this.#counts = this.#segments.map(({ counts }) => counts).reduce(addCounts, NO_COUNTS);
  }

  /** Of entries that are not trimmed. */
  get counts(): LogCounts {
    return this.#counts;
  }

  get oldestReceivedAt(): number | null {
    return this.#oldestReceivedAt;
  }

  /** The number of the first entry of the oldest one. */
  get first(): number {
    return this.#segments[0]?.header.first ?? 0;
  }

  /** Entries that are on disk now, in the last segment. */
  add(counts: LogCounts, receivedAt: number): void {
    this.#counts = addCounts(this.#counts, counts);
    this.#oldestReceivedAt ??= receivedAt;
  }

  /** It takes the place of an empty one with the same first entry. */
  async push(segment: Segment): Promise<void> {
    const replaced = this.#segments.at(-1)?.header.first === segment.header.first ? this.#segments.pop() : undefined;
    this.#segments.push(segment);
    if (replaced && this.#cursor.segment === replaced) await this.#moveCursorTo(segment);
  }

  /** Entries up to `seq` are no longer needed. Returns the files to delete. */
  async trim(seq: number): Promise<string[]> {
    const obsolete: string[] = [];
    for (
      let [oldest, next] = this.#segments;
      oldest && next && this.#cursor.isEndedBy(seq);
      [oldest, next] = this.#segments
    ) {
      this.#counts = subtractCounts(this.#counts, subtractCounts(oldest.counts, this.#cursor.counts));
      obsolete.push(oldest.path);
      this.#segments.shift();
      await this.#moveCursorTo(next);
    }
    const cursor = this.#cursor;
    const before = cursor.counts;
    if (cursor.isEndedBy(seq)) {
      cursor.moveToEnd();
      this.#oldestReceivedAt = null;
    } else this.#oldestReceivedAt = await cursor.moveTo(seq);
    this.#counts = subtractCounts(this.#counts, subtractCounts(cursor.counts, before));
    return obsolete;
  }

  async close(): Promise<void> {
    await this.#cursor.close();
  }

  async #moveCursorTo(segment: Segment): Promise<void> {
    const old = this.#cursor;
    this.#cursor = new TrimCursor(segment);
    await old.close();
  }
}

export const deleteFiles = async (paths: readonly string[]): Promise<void> => {
  for (const path of paths) await rm(path, { force: true });
};
