import type { PersonOverride } from './event-store.ts';

/**
 * Overrides kept flat: each person that gave up its events points straight at the one that has them now, so a query
 * needs one look-up and never a chain of them.
 */
export class FlatOverrides {
  readonly #heirs = new Map<string, PersonOverride>();
  /** For each heir, those that point at it. */
  readonly #followers = new Map<string, Set<string>>();
  readonly #changed = new Map<string, PersonOverride>();

  /** `known`: the overrides so far that share a person with the ones to come; they must be flat. */
  constructor(known: readonly PersonOverride[]) {
    for (const override of known) this.#point(override);
  }

  add({ projectId, from, to }: PersonOverride): void {
    const heir = this.#heirs.get(keyOf(projectId, to))?.to ?? to;
    if (heir === from) this.#swap(projectId, from, to);
    else this.#move(projectId, from, heir);
  }

  /** What is new or different now. An override of a person to itself says: no override any more. */
  changes(): PersonOverride[] {
    return [...this.#changed.values()];
  }

  /** `to` had been given to `from`, and now takes all of it back. */
  #swap(projectId: number, from: string, to: string): void {
    if (from === to) return;
    this.#change({ projectId, from: to, to });
    this.#move(projectId, from, to);
  }

  #move(projectId: number, from: string, to: string): void {
    const followers = [...(this.#followers.get(keyOf(projectId, from)) ?? [])];
    for (const follower of followers) this.#change({ projectId, from: follower, to });
    this.#change({ projectId, from, to });
  }

  #change(override: PersonOverride): void {
    const key = keyOf(override.projectId, override.from);
    const before = this.#heirs.get(key);
    if (before?.to === override.to) return;
    if (before !== undefined) this.#followers.get(keyOf(before.projectId, before.to))?.delete(before.from);
    if (override.from === override.to) this.#heirs.delete(key);
    else this.#point(override);
    this.#changed.set(key, override);
  }

  #point(override: PersonOverride): void {
    this.#heirs.set(keyOf(override.projectId, override.from), override);
    const heir = keyOf(override.projectId, override.to);
    const followers = this.#followers.get(heir) ?? new Set();
    this.#followers.set(heir, followers.add(override.from));
  }
}

const keyOf = (projectId: number, personId: string): string => `${projectId}/${personId}`;
