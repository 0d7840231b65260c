/** Logins whose person does not exist yet. In memory and bounded, since the person follows within moments. */
const MAX_PENDING = 10_000;

export class PendingLogins {
  readonly #anonymousIds = new Map<string, string>();

  /** The first login of a distinct id stays. */
  add(projectId: number, distinctId: string, anonDistinctId: string): void {
    const key = keyOf(projectId, distinctId);
    if (this.#anonymousIds.has(key)) return;
    const [oldest] = this.#anonymousIds.keys();
    if (this.#anonymousIds.size >= MAX_PENDING && oldest !== undefined) this.#anonymousIds.delete(oldest);
    this.#anonymousIds.set(key, anonDistinctId);
  }

  get(projectId: number, distinctId: string): string | undefined {
    return this.#anonymousIds.size === 0 ? undefined : this.#anonymousIds.get(keyOf(projectId, distinctId));
  }

  /** To be called once the override is stored. */
  delete(projectId: number, distinctId: string): void {
    this.#anonymousIds.delete(keyOf(projectId, distinctId));
  }
}

const keyOf = (projectId: number, distinctId: string): string => `${projectId}:${distinctId}`;
