import type { Json, JsonObject } from '../../../core/json/json.ts';
import type { HistoryEntry } from '../../../core/persons/person-changes.ts';

interface Change {
  at: number;
  after: Json | undefined;
}

/**
 * A person's properties at any time, from the latest properties and the history entries in the order they were written.
 * The time of an entry counts, not its order: events may arrive late. Properties without entries never changed.
 */
export class PropertyHistory {
  readonly #latest: JsonObject;
  readonly #first = new Map<string, Json | undefined>();
  readonly #changes = new Map<string, Change[]>();

  constructor(latest: JsonObject, entries: readonly HistoryEntry[]) {
    this.#latest = latest;
    for (const { key, before, after, at } of entries) {
      const changes = this.#changes.get(key);
      if (changes) changes.push({ at, after });
      else {
        this.#first.set(key, before);
        this.#changes.set(key, [{ at, after }]);
      }
    }
    // A stable sort: of two changes at the same time, the one written later counts.
    for (const changes of this.#changes.values()) changes.sort((a, b) => a.at - b.at);
  }

  valueAt(key: string, time: number): Json | undefined {
    const changes = this.#changes.get(key);
    if (changes === undefined) return Object.hasOwn(this.#latest, key) ? this.#latest[key] : undefined;
    const count = countUntil(changes, time);
    return count === 0 ? this.#first.get(key) : changes[count - 1]?.after;
  }

  /** Whether there are entries for the property. */
  has(key: string): boolean {
    return this.#changes.has(key);
  }

  propertiesAt(time: number): JsonObject {
    const keys = [...new Set([...Object.keys(this.#latest), ...this.#changes.keys()])];
    const known = keys.map((key) => [key, this.valueAt(key, time)] as const);
    return Object.fromEntries(known.flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])));
  }
}

/** The number of changes up to and including `time`. */
function countUntil(changes: readonly Change[], time: number): number {
  let [low, high] = [0, changes.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((changes[middle]?.at ?? Infinity) <= time) low = middle + 1;
    else high = middle;
  }
  return low;
}
