import type { Json, JsonObject } from '../../../core/json/json.ts';
import type { HistoryEntry } from '../../../core/persons/person-changes.ts';

interface Change {
  at: number;
  after: Json | undefined;
}

/**
 * A person's properties at any time. What comes in: the properties as they are last known, and what changed them, in
 * the order in which it was written. Times count, not the order: an event that arrives late tells of its own time.
 *
 * Properties that no entry names are as they are last known: nobody has seen them otherwise.
 */
export class PropertyHistory {
  readonly #latest: JsonObject;
  readonly #first = new Map<string, Json | undefined>();
  readonly #steps = new Map<string, Change[]>();

  constructor(latest: JsonObject, entries: readonly HistoryEntry[]) {
    this.#latest = latest;
    for (const { key, before, after, at } of entries) {
      const steps = this.#steps.get(key);
      if (steps) steps.push({ at, after });
      else {
        this.#first.set(key, before);
        this.#steps.set(key, [{ at, after }]);
      }
    }
    // Stable: of two changes at one time the one that was written later counts.
    for (const steps of this.#steps.values()) steps.sort((a, b) => a.at - b.at);
  }

  valueAt(key: string, time: number): Json | undefined {
    const steps = this.#steps.get(key);
    if (steps === undefined) return Object.hasOwn(this.#latest, key) ? this.#latest[key] : undefined;
    const count = countUntil(steps, time);
    return count === 0 ? this.#first.get(key) : steps[count - 1]?.after;
  }

  /** Whether anything is written of the property; otherwise nobody knows since when it is as it is. */
  has(key: string): boolean {
    return this.#steps.has(key);
  }

  propertiesAt(time: number): JsonObject {
    const keys = [...new Set([...Object.keys(this.#latest), ...this.#steps.keys()])];
    const known = keys.map((key) => [key, this.valueAt(key, time)] as const);
    return Object.fromEntries(known.flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])));
  }
}

/** How many steps were taken up to and including `time`. */
function countUntil(steps: readonly Change[], time: number): number {
  let [low, high] = [0, steps.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((steps[middle]?.at ?? Infinity) <= time) low = middle + 1;
    else high = middle;
  }
  return low;
}
