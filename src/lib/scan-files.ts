import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

export interface FileScan {
  files: number;
  bytes: number;
  /** Files that hold one of the texts. */
  found: string[];
}

const CHUNK_BYTES = 1024 * 1024;

/** Looks for texts, byte by byte, in every file below a folder. Files that vanish meanwhile are passed over. */
export async function scanFiles(folder: string, texts: readonly string[]): Promise<FileScan> {
  const needles = texts.map((text) => Buffer.from(text)).filter((needle) => needle.length > 0);
  const scan: FileScan = { files: 0, bytes: 0, found: [] };
  for (const name of (await readdir(folder, { recursive: true })).sort()) {
    const size = await sizeOf(join(folder, name));
    if (size === null) continue;
    scan.files++;
    scan.bytes += size;
    if (needles.length > 0 && (await holds(join(folder, name), needles))) scan.found.push(name);
  }
  return scan;
}

async function sizeOf(path: string): Promise<number | null> {
  try {
    const found = await stat(path);
    return found.isFile() ? found.size : null;
  } catch {
    return null;
  }
}

async function holds(path: string, needles: readonly Buffer[]): Promise<boolean> {
  const overlap = Math.max(...needles.map((needle) => needle.length)) - 1;
  let tail: Buffer = Buffer.alloc(0);
  try {
    for await (const chunk of createReadStream(path, { highWaterMark: CHUNK_BYTES })) {
      const window = Buffer.concat([tail, chunk as Buffer]);
      if (needles.some((needle) => window.includes(needle))) return true;
      tail = window.subarray(Math.max(0, window.length - overlap));
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  return false;
}
