/** The segment that is being written. All of this runs in the thread pool: no call waits for the disk. */
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { syncToDisk } from '../../lib/sync-to-disk.ts';
import { NO_COUNTS, type Segment } from './log-folder.ts';
import { encodeSegmentHeader, SEGMENT_HEADER_BYTES, type SegmentHeader, segmentName } from './segment-header.ts';

const FILE_MODE = 0o600;
/** Unfinished segments; removed at start. */
export const UNFINISHED = '.new';

export class ActiveSegment {
  readonly segment: Segment;
  readonly #file: FileHandle;
  /** After a failed sync nobody knows what is on disk: nothing more is written here. */
  #isBroken = false;

  private constructor(segment: Segment, file: FileHandle) {
    this.segment = segment;
    this.#file = file;
  }

  /** Goes on with a segment; what is behind its length is cut off. */
  static async open(segment: Segment, tornBytes: number): Promise<ActiveSegment> {
    const file = await open(segment.path, 'r+');
    if (tornBytes > 0) {
      await file.truncate(segment.length);
      await file.sync();
    }
    return new ActiveSegment(segment, file);
  }

  /** It has its name only once its header is on disk. */
  static async create(folder: string, header: SegmentHeader): Promise<ActiveSegment> {
    const path = join(folder, segmentName(header.first));
    const file = await open(`${path}${UNFINISHED}`, 'w+', FILE_MODE);
    try {
      await writeAll(file, [encodeSegmentHeader(header)], 0);
      await file.sync();
      await rename(`${path}${UNFINISHED}`, path);
      await syncToDisk(folder);
    } catch (error) {
      await file.close();
      await rm(`${path}${UNFINISHED}`, { force: true }).catch(() => undefined);
      throw error;
    }
    const segment = { path, header, length: SEGMENT_HEADER_BYTES, last: header.first - 1, counts: NO_COUNTS };
    return new ActiveSegment(segment, file);
  }

  get isBroken(): boolean {
    return this.#isBroken;
  }

  /** Writes behind what counts; the caller raises the length. Rejects if it is not on disk. */
  async write(buffers: readonly Buffer[], { sync }: { sync: boolean }): Promise<void> {
    try {
      await writeAll(this.#file, buffers, this.segment.length);
    } catch (error) {
      await this.#cut();
      throw error;
    }
    if (!sync) return;
    try {
      await this.#file.datasync();
    } catch (error) {
      this.#isBroken = true;
      await this.#cut();
      throw error;
    }
  }

  async close(): Promise<void> {
    await this.#file.close();
  }

  /** What failed must not be there after a crash. Where it cannot be cut off, the next segment says what counts. */
  async #cut(): Promise<void> {
    await this.#file.truncate(this.segment.length).catch(() => {
      this.#isBroken = true;
    });
  }
}

async function writeAll(file: FileHandle, buffers: readonly Buffer[], at: number): Promise<void> {
  const wanted = buffers.reduce((sum, { length }) => sum + length, 0);
  const { bytesWritten } = await file.writev(buffers, at);
  if (bytesWritten === wanted) return;
  // A full disk takes a part, and says why only to the rest.
  await file.write(Buffer.concat(buffers), bytesWritten, wanted - bytesWritten, at + bytesWritten).then((rest) => {
    if (rest.bytesWritten < wanted - bytesWritten)
      throw Object.assign(new Error('ENOSPC: short write'), { code: 'ENOSPC' });
  });
}
