/** Unpacks a backup into a folder of its own and compares it with its manifest. */
import { createReadStream } from 'node:fs';
import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough, pipeline, Transform } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { unpackFiles } from '../lib/tar.ts';
import { checkManifest, isArchiveFile, MANIFEST, type Manifest } from '../operate/backup/manifest.ts';
import type { OperationProgress } from '../operate/operation.ts';
import { convertOldLog } from '../stores/embedded/convert-old-log.ts';
import { type Inspection, inspectFolder } from '../stores/embedded/inspect-folder.ts';

export interface OpenedArchive {
  manifest: Manifest;
  /** Counted in the restored stores. */
  counts: Inspection['counts'];
}

/** The folder must not exist; it is removed again if the archive is invalid. */
export async function openArchive(
  file: string,
  folder: string,
  bytes: number,
  onProgress: (now: OperationProgress) => void,
): Promise<OpenedArchive> {
  await mkdir(folder, { mode: 0o700 });
  try {
    const manifest = await unpack(file, folder, bytes, onProgress);
    onProgress({ what: 'reading the restored stores', done: 0, total: null });
    await convertOldLog(folder);
    const { counts, problems } = await inspectFolder(folder);
    for (const [name, count] of Object.entries(manifest.counts)) {
      const found = counts[name as keyof typeof counts];
      if (found !== count) problems.push(`it should contain ${count} ${name}, but contains ${found}`);
    }
    if (problems.length > 0) throw new Error(problems.join('; '));
    return { manifest, counts };
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw new Error(`${file} is not a valid backup: ${(error as Error).message}.`, { cause: error });
  }
}

async function unpack(
  file: string,
  folder: string,
  total: number,
  onProgress: (now: OperationProgress) => void,
): Promise<Manifest> {
  let done = 0;
  const counting = new Transform({
    transform(chunk: Buffer, _encoding, next) {
      done += chunk.length;
      onProgress({ what: 'unpacking', done, total });
      next(null, chunk);
    },
  });
  // An error in any of these ends the last one with it.
  const plain = pipeline(createReadStream(file), counting, createGunzip(), new PassThrough(), () => undefined);
  const files = await unpackFiles(plain, folder, isArchiveFile);
  if (!files.some(({ name }) => name === MANIFEST)) throw new Error('it ends too early');
  const manifest = checkManifest(await readFile(join(folder, MANIFEST), 'utf8'), files);
  await rm(join(folder, MANIFEST));
  return manifest;
}
