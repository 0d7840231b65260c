import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

export interface FileScan {
  files: number;
  bytes: number;
  /** For each text that was found, the files that contain it. */
  found: Map<string, string[]>;
}

/** Small enough to search for some hundred texts without blocking the thread. */
const CHUNK_BYTES = 256 * 1024;

interface Needle {
  text: string;
  bytes: Buffer;
}

/** Searches every file below a folder for texts, byte by byte. Files that are deleted meanwhile are skipped. */
export async function scanFiles(folder: string, texts: readonly string[]): Promise<FileScan> {
  const needles = [...new Set(texts)].filter((text) => text !== '').map((text) => ({ text, bytes: Buffer.from(text) }));
  const scan: FileScan = { files: 0, bytes: 0, found: new Map() };
  for (const name of (await readdir(folder, { recursive: true })).sort()) {
    const size = await sizeOf(join(folder, name));
    if (size === null) continue;
    scan.files++;
    scan.bytes += size;
    // The folder's lock is an empty file, and closing a file releases the process's locks on it.
    if (size === 0) continue;
    for (const text of await textsIn(join(folder, name), needles)) {
      scan.found.set(text, [...(scan.found.get(text) ?? []), name]);
    }
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

async function textsIn(path: string, needles: readonly Needle[]): Promise<Set<string>> {
  const found = new Set<string>();
  if (needles.length === 0) return found;
  // A text may span two chunks.
  const overlap = Math.max(...needles.map(({ bytes }) => bytes.length)) - 1;
  let previous: Buffer = Buffer.alloc(0);
  try {
    for await (const chunk of createReadStream(path, { highWaterMark: CHUNK_BYTES })) {
      const window = Buffer.concat([previous, chunk as Buffer]);
      for (const { text, bytes } of needles) if (!found.has(text) && window.includes(bytes)) found.add(text);
      previous = window.subarray(Math.max(0, window.length - overlap));
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  return found;
}
