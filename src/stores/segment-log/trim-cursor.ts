/** The place of the first entry that is not trimmed, in the oldest segment. */
import { type FileHandle, open } from 'node:fs/promises';
import { DamagedLog } from './damaged-log.ts';
import { addCounts, countsOf, NO_COUNTS, type Segment } from './log-folder.ts';
import { type RecordHeader, walkHeaders } from './record.ts';
import { type LogCounts, SEGMENT_HEADER_BYTES } from './segment-header.ts';

/** Read at a time: little enough for one turn of the event loop. */
const CHUNK_BYTES = 128 * 1024;

export class TrimCursor {
  readonly segment: Segment;
  /** Of its trimmed entries. */
  counts: LogCounts = NO_COUNTS;
  #offset = SEGMENT_HEADER_BYTES;
  #file: FileHandle | null = null;

  constructor(segment: Segment) {
    this.segment = segment;
  }

  /** Whether no entry of the segment is left when those up to `seq` are trimmed. */
  isEndedBy(seq: number): boolean {
    const { last, counts } = this.segment;
    return last <= seq || counts.entries === this.counts.entries;
  }

  /** Past every entry of the segment. */
  moveToEnd(): void {
    this.#offset = this.segment.length;
    this.counts = this.segment.counts;
  }

  /** Past every entry up to `seq`; a later one must be there. Resolves with when that was received. */
  async moveTo(seq: number): Promise<number> {
    this.#file ??= await open(this.segment.path, 'r');
    let first: RecordHeader | null = null;
    const bytes = Buffer.allocUnsafe(CHUNK_BYTES);
    while (first === null) {
      const { bytesRead } = await this.#file.read(bytes, 0, CHUNK_BYTES, this.#offset);
      const { next } = walkHeaders(bytes.subarray(0, bytesRead), 0, (header) => {
        if (header.kind === 'entry' && header.seq > seq) first = header;
        else if (header.kind === 'entry') this.counts = addCounts(this.counts, countsOf(header));
        return first === null;
      });
      if (next === 0 && first === null) {
        throw new DamagedLog(this.segment.path, `the record at byte ${this.#offset} cannot be read`);
      }
      this.#offset += next;
    }
    return (first as RecordHeader).receivedAt;
  }

  async close(): Promise<void> {
    const file = this.#file;
    this.#file = null;
    await file?.close();
  }
}
