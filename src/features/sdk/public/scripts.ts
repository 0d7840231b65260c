/**
 * The browser SDK and the parts that it loads later, from the posthog-js package, and the script of our own for sites
 * that want no SDK. The names are listed once at the start,
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
  /** Where each script is, by its name. */
  readonly #files: ReadonlyMap<string, string | URL>;
  readonly #cache = new Map<string, Promise<Script>>();

  /** `siteScript`: the built `browser/cairn.js`. */
  constructor(siteScript: URL) {
    const manifest = requireFrom(import.meta.url).resolve('posthog-js/package.json');
    this.version = (JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }).version;
    const folder = join(dirname(manifest), 'dist');
    const names = readdirSync(folder).filter(isForBrowsers);
    this.#files = new Map<string, string | URL>([
      ...names.map((name) => [name, join(folder, name)] as const),
      [SITE_SCRIPT, siteScript],
    ]);
  }

  /** Undefined where there is no script of that name. */
  get(name: string): Promise<Script> | undefined {
    const file = this.#files.get(name);
    if (file === undefined) return undefined;
    const known = this.#cache.get(name);
    if (known !== undefined) return known;
    const read = readFile(file).then(makeScript);
    this.#cache.set(name, read);
    // A failure is not cached.
    read.catch(() => this.#cache.delete(name));
    return read;
  }
}

const SITE_SCRIPT = 'cairn.js';

/** The package also has builds for bundlers. */
const isForBrowsers = (name: string): boolean => /^[\w.-]+\.js$/.test(name) && !/^(?:module|main)\./.test(name);
