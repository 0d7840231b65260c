/** Logins that came before there was a person to remember them for. In memory, bounded: the person follows within moments. */
const MAX_PENDING = 10_000;

export class PendingLogins {
  readonly #claims = new Map<string, string>();

  /** The first one stays. */
  add(projectId: number, distinctId: string, anonDistinctId: string): void {
    const key = keyOf(projectId, distinctId);
    if (this.#claims.has(key)) return;
    const [oldest] = this.#claims.keys();
    if (this.#claims.size >= MAX_PENDING && oldest !== undefined) this.#claims.delete(oldest);
    this.#claims.set(key, anonDistinctId);
  }

  get(projectId: number, distinctId: string): string | undefined {
    return this.#claims.size === 0 ? undefined : this.#claims.get(keyOf(projectId, distinctId));
  }

  /** It has been kept where it lasts. */
  delete(projectId: number, distinctId: string): void {
    this.#claims.delete(keyOf(projectId, distinctId));
  }
}

const keyOf = (projectId: number, distinctId: string): string => `${projectId}:${distinctId}`;
