/** Packs and unpacks tar archives, hashing each file. */
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { PassThrough, type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Extract, extract, pack } from 'tar-stream';

export interface HashedFile {
  name: string;
  size: number;
  sha256: string;
}

/** Fewer, larger chunks cost less. */
const CHUNK_BYTES = 1024 * 1024;

/** The files of a folder in the order given, and a last one that is generated from their sizes and hashes. */
export function packFiles(
  folder: string,
  names: readonly string[],
  last: (files: readonly HashedFile[]) => { name: string; text: string },
): Readable {
  const archive = pack();
  const fill = async (): Promise<void> => {
    const files: HashedFile[] = [];
    for (const name of names) {
      const { size } = await stat(join(folder, name));
      const hash = createHash('sha256');
      const source = createReadStream(join(folder, name), { highWaterMark: CHUNK_BYTES });
      source.on('data', (chunk) => hash.update(chunk));
      await put(name, size, (sink) => pipeline(source, sink));
      files.push({ name, size, sha256: hash.digest('hex') });
    }
    const { name, text } = last(files);
    const bytes = Buffer.from(text);
    await put(name, bytes.length, async (sink) => void sink.end(bytes));
    archive.finalize();
  };
  const put = (name: string, size: number, write: (sink: NodeJS.WritableStream) => Promise<void>): Promise<void> =>
    new Promise((resolve, reject) => {
      const sink = archive.entry({ name, size, mode: 0o600 }, (error) => (error ? reject(error) : resolve()));
      write(sink).catch(reject);
    });
  fill().catch((error: Error) => archive.destroy(error));
  // Leaving a loop over a stream of tar-stream never ends, because its `destroy` ignores the callback.
  const output = new PassThrough();
  pipeline(archive, output).catch(() => undefined);
  return output;
}

/** Writes the files of an archive into a folder; throws if one is not allowed. */
export async function unpackFiles(
  source: Readable,
  folder: string,
  isAllowed: (name: string) => boolean,
): Promise<HashedFile[]> {
  const files: HashedFile[] = [];
  const sink: Extract = extract();
  sink.on('entry', (headers, stream, next) => {
    const take = async (): Promise<void> => {
      const { name } = headers;
      if (headers.type !== 'file' || !isAllowed(name))
        throw new Error(`it holds "${name}", which does not belong there`);
      // Before anything listens: the stream waits for nobody who comes later.
      await mkdir(dirname(join(folder, name)), { recursive: true, mode: 0o700 });
      const hash = createHash('sha256');
      let size = 0;
      stream.on('data', (chunk: Buffer) => {
        hash.update(chunk);
        size += chunk.length;
      });
      await pipeline(stream, createWriteStream(join(folder, name), { mode: 0o600, flush: true } as object));
      files.push({ name, size, sha256: hash.digest('hex') });
    };
    take().then(() => next(), next);
  });
  await pipeline(source, sink);
  return files;
}
