/** The last definitions on disk, with which a relay starts while its server is away. */
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { parseExact, stringifyExact } from '../../core/json/exact-json.ts';
import { syncToDisk } from '../../lib/sync-to-disk.ts';
import type { ReceivedDefinitions } from './received-definitions.ts';

interface StoredCopy {
  /** When the server last said that this is current. */
  heard_at: number;
  definitions: ReceivedDefinitions;
}

export class DefinitionsCopy {
  readonly #file: string;
  #writing: Promise<void> = Promise.resolve();

  constructor(file: string) {
    this.#file = file;
  }

  /** Null if there is none. Throws if it cannot be read. */
  async read(): Promise<StoredCopy | null> {
    try {
      return parseExact<StoredCopy>(await readFile(this.#file, 'utf8'));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
      throw error;
    }
  }

  /** One after the other. A crash in between leaves the one before. */
  write(copy: StoredCopy): Promise<void> {
    this.#writing = this.#writing
      .catch(() => undefined)
      .then(async () => {
        await mkdir(dirname(this.#file), { recursive: true, mode: 0o700 });
        const fresh = `${this.#file}.new`;
        await writeFile(fresh, stringifyExact(copy as never), { mode: 0o600, flush: true });
        await rename(fresh, this.#file);
        await syncToDisk(dirname(this.#file));
      });
    return this.#writing;
  }

  remove(): Promise<void> {
    this.#writing = this.#writing.catch(() => undefined).then(() => rm(this.#file, { force: true }));
    return this.#writing;
  }
}
