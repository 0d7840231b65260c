/**
 * The salts of cookieless visitors: one a day, made when it is first needed, destroyed when nowhere on earth it is that day
 * any more. They are apart from all other data, so no backup, export or move has them.
 */
import { closeSync, fsyncSync, mkdirSync, openSync, readdirSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { isOpenDay } from '../../../core/cookieless/cookieless-day.ts';
import type { Clock } from '../../../lib/clock.ts';
import { newDaySalt } from '../../../lib/secrets.ts';
import type { InstallationStore } from '../../../stores/metadata/metadata-store.ts';

/** Where salts are kept. */
interface SaltStore {
  /** The day's salt: the stored one, or else `fresh`, which is stored now. */
  getOrAdd(day: string, fresh: Buffer): Promise<Buffer>;
  /** Destroys those of days that are over. */
  destroy(isOver: (day: string) => boolean): Promise<void>;
}

export class CookielessSalts {
  readonly #store: SaltStore;
  readonly #clock: Clock;
  readonly #known = new Map<string, Buffer>();

  constructor(store: SaltStore, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** Undefined where the day is over or has not begun anywhere. */
  async get(day: string): Promise<Buffer | undefined> {
    if (!isOpenDay(day, this.#clock.now())) return undefined;
    const salt = this.#known.get(day) ?? (await this.#store.getOrAdd(day, newDaySalt()));
    this.#known.set(day, salt);
    return salt;
  }

  async destroyOld(): Promise<void> {
    const isOver = (day: string): boolean => !isOpenDay(day, this.#clock.now());
    for (const [day, salt] of this.#known) {
      if (!isOver(day)) continue;
      salt.fill(0);
      this.#known.delete(day);
    }
    await this.#store.destroy(isOver);
  }
}

const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** One file a day, for one process. */
export function saltFolder(folder: string): SaltStore {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return {
    async getOrAdd(day, fresh) {
      try {
        const salt = readFileSync(join(folder, day));
        if (salt.length === fresh.length) return salt;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      }
      overwrite(join(folder, day), fresh);
      return fresh;
    },
    async destroy(isOver) {
      for (const name of readdirSync(folder)) {
        if (!DAY.test(name) || !isOver(name)) continue;
        overwrite(join(folder, name), Buffer.alloc(newDaySalt().length));
        rmSync(join(folder, name));
      }
    },
  };
}

/** In place, so that the former bytes are gone. */
function overwrite(file: string, bytes: Buffer): void {
  const descriptor = openSync(file, 'a+', 0o600);
  closeSync(descriptor);
  const writable = openSync(file, 'r+');
  writeSync(writable, bytes, 0, bytes.length, 0);
  fsyncSync(writable);
  closeSync(writable);
}

const SALT_NAME = 'cookieless_salt:';
/** Older ones were destroyed, unless no server has run since. */
const DAYS_TO_DESTROY = 60;

/** For a cluster: whichever node comes first makes the salt. */
export const sharedSalts = (installation: InstallationStore, clock: Clock): SaltStore => ({
  async getOrAdd(day, fresh) {
    return Buffer.from(await installation.getOrAdd(SALT_NAME + day, fresh.toString('base64')), 'base64');
  },
  async destroy(isOver) {
    for (let back = 1; back <= DAYS_TO_DESTROY; back++) {
      const day = new Date(clock.now() - back * 86_400_000).toISOString().slice(0, 10);
      if (isOver(day)) await installation.delete(SALT_NAME + day);
    }
  },
});
