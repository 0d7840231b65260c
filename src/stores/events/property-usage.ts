import { DAY_MS, HOUR_MS } from '../../core/time/units.ts';
import type { PropertyRead } from './property-placeholders.ts';

/** Number of statements that read a property before it gets a column; some queries consist of two. */
export const PROMOTE_AFTER_READS = 3;
/** Each makes writing events slower. */
export const MAX_PROMOTED_COLUMNS = 24;
const DROP_UNUSED_AFTER_MS = 30 * DAY_MS;
/** A column used more recently is not replaced by another, or frequently used properties would displace each other. */
const REPLACE_AFTER_MS = DAY_MS;
/** How often the use of a column is saved. */
const SAVE_USE_INTERVAL_MS = HOUR_MS;

/** Properties without a column that are counted at a time; the least recently used is dropped. */
const MAX_COUNTED_PROPERTIES = 500;
/** A property with a longer name gets no column. */
export const MAX_KEY_LENGTH = 200;

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

/** The least recently used column, if that was long enough ago. */
export function findReplaceable<T extends Used>(columns: readonly T[], now: number): T | undefined {
  const [oldest] = [...columns].sort((a, b) => a.lastUsed - b.lastUsed);
  return oldest !== undefined && oldest.lastUsed <= now - REPLACE_AFTER_MS ? oldest : undefined;
}

/** Counts the statements that read each property without a column. */
export class PropertyUsage {
  readonly #counts = new Map<string, PropertyReadCount>();

  add({ owner, key }: PropertyRead, more = 1): void {
    if (key.length > MAX_KEY_LENGTH) return;
    const name = nameOf({ owner, key });
    const statements = (this.#counts.get(name)?.statements ?? 0) + more;
    // Moved to the end: the first one is the least recently used.
    this.#counts.delete(name);
    this.#counts.set(name, { owner, key, statements });
    if (this.#counts.size > MAX_COUNTED_PROPERTIES) this.#counts.delete(this.#counts.keys().next().value ?? '');
  }

  /** The property has a column now. Returns whether it was counted. */
  remove(read: PropertyRead): boolean {
    return this.#counts.delete(nameOf(read));
  }

  /** Returns all counts and starts again from zero. */
  drain(): PropertyReadCount[] {
    const all = [...this.#counts.values()];
    this.#counts.clear();
    return all;
  }

  /** Properties read often enough for a column, most read first. */
  mostRead(): PropertyRead[] {
    return [...this.#counts.values()]
      .filter(({ statements }) => statements >= PROMOTE_AFTER_READS)
      .sort((a, b) => b.statements - a.statements);
  }
}

const nameOf = ({ owner, key }: PropertyRead): string => `${owner} ${key}`;
