import type { PropertyRead } from './property-placeholders.ts';

/** Statements that read a property before it gets a column; a question with a breakdown is two of them. */
export const WANTED_AFTER = 4;
/** Each costs something with every event that is written. */
export const MOST_COLUMNS = 24;
const DAY_MS = 86_400_000;
const UNUSED_MS = 30 * DAY_MS;
/** Makes room for another one only after so long: else more favourites than columns would drive each other out. */
const RESTED_MS = DAY_MS;
/** The store writes down so often that a column is used. */
const SAVE_USE_MS = 3_600_000;

/** So many properties without a column are counted at a time; those that were asked for longest ago are forgotten. */
const COUNTED = 500;
/** Longer names are nobody's favourite. */
const LONGEST_KEY = 200;

/** A property, and how many statements read it. */
export interface CountedRead extends PropertyRead {
  statements: number;
}

interface Used {
  /** ms UTC. */
  lastUsed: number;
}

export const isUnused = ({ lastUsed }: Used, now: number): boolean => lastUsed <= now - UNUSED_MS;
export const isUseOld = ({ lastUsed }: Used, now: number): boolean => lastUsed <= now - SAVE_USE_MS;

/** The one that was used longest ago, if that is long enough. */
export function replaceable<T extends Used>(columns: readonly T[], now: number): T | undefined {
  const [oldest] = [...columns].sort((a, b) => a.lastUsed - b.lastUsed);
  return oldest !== undefined && oldest.lastUsed <= now - RESTED_MS ? oldest : undefined;
}

/** Which properties without a column of their own are asked for, and by how many statements. */
export class PropertyDemand {
  readonly #wanted = new Map<string, CountedRead>();

  add({ owner, key }: PropertyRead, more = 1): void {
    if (key.length > LONGEST_KEY) return;
    const name = nameOf({ owner, key });
    const statements = (this.#wanted.get(name)?.statements ?? 0) + more;
    // Put at the end again: the first one is that which was asked for longest ago.
    this.#wanted.delete(name);
    this.#wanted.set(name, { owner, key, statements });
    if (this.#wanted.size > COUNTED) this.#wanted.delete(this.#wanted.keys().next().value ?? '');
  }

  /** It has got one. Says whether it was wanted. */
  remove(read: PropertyRead): boolean {
    return this.#wanted.delete(nameOf(read));
  }

  /** All of them; the count begins anew. */
  takeAll(): CountedRead[] {
    const all = [...this.#wanted.values()];
    this.#wanted.clear();
    return all;
  }

  /** What is read by enough statements, the most wanted one first. */
  most(): PropertyRead[] {
    return [...this.#wanted.values()]
      .filter(({ statements }) => statements >= WANTED_AFTER)
      .sort((a, b) => b.statements - a.statements);
  }
}

const nameOf = ({ owner, key }: PropertyRead): string => `${owner} ${key}`;
