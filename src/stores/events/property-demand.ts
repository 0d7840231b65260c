import type { PropertyRead } from './property-placeholders.ts';

/** Statements that read a property before it gets a column; a question with a breakdown is two of them. */
export const PROMOTE_AFTER_READS = 4;
/** Each costs something with every event that is written. */
export const MAX_PROMOTED_COLUMNS = 24;
const DAY_MS = 86_400_000;
const DROP_UNUSED_AFTER_MS = 30 * DAY_MS;
/** Makes room for another one only after so long: else more favourites than columns would drive each other out. */
const REPLACE_AFTER_MS = DAY_MS;
/** The store writes down so often that a column is used. */
const SAVE_USE_INTERVAL_MS = 3_600_000;

/** So many properties without a column are counted at a time; those that were asked for longest ago are forgotten. */
const MAX_COUNTED_PROPERTIES = 500;
/** Longer names are nobody's favourite. */
const MAX_KEY_LENGTH = 200;

/** A property, and how many statements read it. */
export interface PropertyReadCount extends PropertyRead {
  statements: number;
}

interface Used {
  /** ms UTC. */
  lastUsed: number;
}

export const isUnused = ({ lastUsed }: Used, now: number): boolean => lastUsed <= now - DROP_UNUSED_AFTER_MS;
export const isUseStale = ({ lastUsed }: Used, now: number): boolean => lastUsed <= now - SAVE_USE_INTERVAL_MS;

/** The one that was used longest ago, if that is long enough. */
export function findReplaceable<T extends Used>(columns: readonly T[], now: number): T | undefined {
  const [oldest] = [...columns].sort((a, b) => a.lastUsed - b.lastUsed);
  return oldest !== undefined && oldest.lastUsed <= now - REPLACE_AFTER_MS ? oldest : undefined;
}

/** Which properties without a column of their own are asked for, and by how many statements. */
export class PropertyUsage {
  readonly #wanted = new Map<string, PropertyReadCount>();

  add({ owner, key }: PropertyRead, more = 1): void {
    if (key.length > MAX_KEY_LENGTH) return;
    const name = nameOf({ owner, key });
    const statements = (this.#wanted.get(name)?.statements ?? 0) + more;
    // Put at the end again: the first one is that which was asked for longest ago.
    this.#wanted.delete(name);
    this.#wanted.set(name, { owner, key, statements });
    if (this.#wanted.size > MAX_COUNTED_PROPERTIES) this.#wanted.delete(this.#wanted.keys().next().value ?? '');
  }

  /** It has got one. Says whether it was wanted. */
  remove(read: PropertyRead): boolean {
    return this.#wanted.delete(nameOf(read));
  }

  /** All of them; the count begins anew. */
  drain(): PropertyReadCount[] {
    const all = [...this.#wanted.values()];
    this.#wanted.clear();
    return all;
  }

  /** What is read by enough statements, the most wanted one first. */
  mostRead(): PropertyRead[] {
    return [...this.#wanted.values()]
      .filter(({ statements }) => statements >= PROMOTE_AFTER_READS)
      .sort((a, b) => b.statements - a.statements);
  }
}

const nameOf = ({ owner, key }: PropertyRead): string => `${owner} ${key}`;
