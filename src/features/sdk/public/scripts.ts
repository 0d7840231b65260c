/**
 * The browser SDK and the parts that it loads later, from the posthog-js package. The names are listed once at the start,
 * so no path from a request reaches the file system. A file is read and compressed when it is first used.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire as requireFrom } from 'node:module';
import { dirname, join } from 'node:path';
import { makeScript, type Script } from '../../../http/script.ts';

export class Scripts {
  /** Of the SDK. */
  readonly version: string;
  readonly #folder: string;
  readonly #names: ReadonlySet<string>;
  readonly #cache = new Map<string, Promise<Script>>();

  constructor() {
    const manifest = requireFrom(import.meta.url).resolve('posthog-js/package.json');
    this.version = (JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }).version;
    this.#folder = join(dirname(manifest), 'dist');
    this.#names = new Set(readdirSync(this.#folder).filter(isForBrowsers));
  }

  /** Undefined where there is no script of that name. */
  get(name: string): Promise<Script> | undefined {
    if (!this.#names.has(name)) return undefined;
    const known = this.#cache.get(name);
    if (known !== undefined) return known;
    const read = readFile(join(this.#folder, name)).then(makeScript);
    this.#cache.set(name, read);
    // A failure is not cached.
    read.catch(() => this.#cache.delete(name));
    return read;
  }
}

/** The package also has builds for bundlers. */
const isForBrowsers = (name: string): boolean => /^[\w.-]+\.js$/.test(name) && !/^(?:module|main)\./.test(name);
