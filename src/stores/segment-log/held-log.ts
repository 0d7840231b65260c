/** The log as it was at one moment, while it is written: its files stay open, even if they are deleted meanwhile. */
import { closeSync, openSync, read as readFile } from 'node:fs';
import { mkdir, open } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { type LogFolder, readLogFolder, type Segment } from './log-folder.ts';
import { verifySegment } from './verify-log.ts';

const COPY_BYTES = 1024 * 1024;
/** A segment may be deleted between listing and opening it; then later ones are there. */
const MAX_TRIES = 10;

const read = promisify(readFile);

interface HeldSegment {
  segment: Segment;
  file: number;
}

export class HeldLog {
  readonly #segments: readonly HeldSegment[];

  private constructor(segments: readonly HeldSegment[]) {
    this.#segments = segments;
  }

  /** With the entries up to `head`. */
  static open(folder: string, head: number): HeldLog {
    for (let tries = 1; ; tries++) {
      try {
        return new HeldLog(openAll(readLogFolder(folder, head)));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || tries === MAX_TRIES) throw error;
      }
    }
  }

  /** Reads everything, and returns the number of entries; throws if it is damaged. */
  verify(): number {
    for (const { file, segment } of this.#segments) verifySegment(file, segment);
    return this.#segments.reduce((sum, { segment }) => sum + segment.counts.entries, 0);
  }

  /** As a log of its own, in a new folder. */
  async copyTo(folder: string): Promise<void> {
    await mkdir(folder, { mode: 0o700 });
    for (const { file, segment } of this.#segments) {
      await copy(file, join(folder, basename(segment.path)), segment.length);
    }
  }

  close(): void {
    for (const { file } of this.#segments) closeSync(file);
  }
}

function openAll({ segments }: LogFolder): HeldSegment[] {
  const held: HeldSegment[] = [];
  try {
    for (const segment of segments) held.push({ segment, file: openSync(segment.path, 'r') });
    return held;
  } catch (error) {
    for (const { file } of held) closeSync(file);
    throw error;
  }
}

async function copy(file: number, target: string, length: number): Promise<void> {
  const copied = await open(target, 'wx', 0o600);
  const buffer = Buffer.allocUnsafe(COPY_BYTES);
  try {
    for (let at = 0; at < length; ) {
      const { bytesRead } = await read(file, buffer, 0, Math.min(buffer.length, length - at), at);
      if (bytesRead === 0) throw new Error(`${target} cannot be copied: its source has become shorter.`);
      await copied.write(buffer, 0, bytesRead, at);
      at += bytesRead;
    }
  } finally {
    await copied.close();
  }
}
