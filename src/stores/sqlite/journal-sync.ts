/**
 * Brings commits to the disk without blocking the thread: SQLite would sync within the call. The journal is only appended
 * to, so one sync covers all commits before it, also those of other connections.
 */
import { type FileHandle, open } from 'node:fs/promises';

export class JournalSync {
  readonly #path: string;
  #file: Promise<FileHandle> | null = null;
  #running: Promise<void> | null = null;
  /** For commits since the running one began. */
  #next: Promise<void> | null = null;

  constructor(databasePath: string) {
    this.#path = `${databasePath}-wal`;
  }

  /** Resolves when everything committed before the call is on disk. */
  sync(): Promise<void> {
    if (this.#running === null) return this.#start();
    this.#next ??= this.#running.then(
      () => this.#start(),
      () => this.#start(),
    );
    return this.#next;
  }

  async close(): Promise<void> {
    await this.#next?.catch(() => undefined);
    await this.#running?.catch(() => undefined);
    await (await this.#file)?.close();
  }

  #start(): Promise<void> {
    this.#next = null;
    this.#running = this.#sync().finally(() => {
      this.#running = null;
    });
    return this.#running;
  }

  /** The journal exists from the first write on, and stays until the last connection is closed. */
  async #sync(): Promise<void> {
    this.#file ??= open(this.#path, 'r').catch((error: unknown) => {
      this.#file = null;
      throw error;
    });
    await (await this.#file).datasync();
  }
}
