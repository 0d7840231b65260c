/**
 * The parts of a project's definitions, each with the version in which it last changed: enough to tell what changed since
 * any version that is still known, without keeping the versions themselves.
 */

/** Name of a part → its JSON. */
export type DefinitionParts = ReadonlyMap<string, string>;

export interface DefinitionChanges {
  /** Parts that are new or have changed. */
  put: Map<string, string>;
  /** Names of the parts that are gone. */
  drop: string[];
}

/** How many versions back changes are known. */
export const MAX_KNOWN_VERSIONS = 1000;

export class DefinitionHistory {
  #version: number;
  /** The first version since which changes are known. */
  #since: number;
  readonly #parts = new Map<string, { text: string; version: number }>();
  readonly #dropped = new Map<string, number>();

  constructor(version: number, parts: DefinitionParts) {
    this.#version = version;
    this.#since = version;
    for (const [name, text] of parts) this.#parts.set(name, { text, version });
  }

  get version(): number {
    return this.#version;
  }

  /** The definitions as they are now. Versions may have been left out in between. */
  update(version: number, parts: DefinitionParts): void {
    this.#version = version;
    for (const name of [...this.#parts.keys()].filter((one) => !parts.has(one))) {
      this.#parts.delete(name);
      this.#dropped.set(name, version);
    }
    for (const [name, text] of parts) {
      this.#dropped.delete(name);
      if (this.#parts.get(name)?.text !== text) this.#parts.set(name, { text, version });
    }
    this.#forgetBefore(version - MAX_KNOWN_VERSIONS);
  }

  #forgetBefore(version: number): void {
    if (version <= this.#since) return;
    this.#since = version;
    for (const [name, dropped] of this.#dropped) if (dropped <= version) this.#dropped.delete(name);
  }

  /** Null if that is not known: the version is too old, or was never given. */
  changesSince(version: number): DefinitionChanges | null {
    if (!(version >= this.#since && version <= this.#version)) return null;
    const put = new Map<string, string>();
    for (const [name, part] of this.#parts) if (part.version > version) put.set(name, part.text);
    return { put, drop: [...this.#dropped].filter(([, dropped]) => dropped > version).map(([name]) => name) };
  }

  get everything(): DefinitionChanges {
    return { put: new Map([...this.#parts].map(([name, { text }]) => [name, text])), drop: [] };
  }
}
