import type { PersonOverride } from './event-store.ts';

/**
 * Overrides without chains: each overridden person points directly at the one that has its events now, so a query needs
 * one lookup.
 */
export class FlatOverrides {
  readonly #targets = new Map<string, PersonOverride>();
  /** For each target, the persons that point at it. */
  readonly #followers = new Map<string, Set<string>>();
  readonly #changed = new Map<string, PersonOverride>();

  /** `known`: the existing overrides that the new ones may affect (`affectedBy`); they must be flat. */
  constructor(known: readonly PersonOverride[]) {
    for (const override of known) this.#point(override);
  }

  add({ projectId, from, to }: PersonOverride): void {
    const target = this.#targets.get(keyOf(projectId, to))?.to ?? to;
    if (target === from) this.#swap(projectId, from, to);
    else this.#move(projectId, from, target);
  }

  /** New and changed overrides. An override of a person to itself means that it was removed. */
  changes(): PersonOverride[] {
    return [...this.#changed.values()];
  }

  /** `to` was overridden by `from`, and now takes everything back. */
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
    const before = this.#targets.get(key);
    if (before?.to === override.to) return;
    if (before !== undefined) this.#followers.get(keyOf(before.projectId, before.to))?.delete(before.from);
    if (override.from === override.to) this.#targets.delete(key);
    else this.#point(override);
    this.#changed.set(key, override);
  }

  #point(override: PersonOverride): void {
    this.#targets.set(keyOf(override.projectId, override.from), override);
    const target = keyOf(override.projectId, override.to);
    const followers = this.#followers.get(target) ?? new Set();
    this.#followers.set(target, followers.add(override.from));
  }
}

/**
 * Which existing overrides new ones need to know: those of `ids`, and those to one of `moved`. A person may have taken over
 * any number of others, which stay where they are.
 */
export function affectedBy(overrides: readonly PersonOverride[]): { ids: string[]; moved: string[] } {
  return {
    ids: [...new Set(overrides.flatMap(({ from, to }) => [from, to]))],
    moved: [...new Set(overrides.map(({ from }) => from))],
  };
}

const keyOf = (projectId: number, personId: string): string => `${projectId}/${personId}`;
