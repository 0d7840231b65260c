/**
 * Subjects of entries that are being written to the log. Clients send an `$identify` and ask for flags at the same
 * moment: the answer then includes what is about to be acknowledged.
 */
export class UnwrittenSubjects {
  readonly #last = new Map<string, Promise<void>>();

  /** `written`: resolves or rejects when the entry is on disk and known as pending, or refused. */
  add(projectId: number, subjects: readonly string[], written: Promise<void>): void {
    if (subjects.length === 0) return;
    const keys = subjects.map((subject) => keyOf(projectId, subject));
    const ended = written.then(NOTHING, NOTHING).then(() => {
      for (const key of keys) if (this.#last.get(key) === ended) this.#last.delete(key);
    });
    // Entries are written in their order, so the last one stands for those before it.
    for (const key of keys) this.#last.set(key, ended);
  }

  /** Resolves when all entries about these subjects are written; undefined if there are none. */
  written(projectId: number, subjects: readonly string[]): Promise<void> | undefined {
    if (this.#last.size === 0) return undefined;
    const found = subjects.flatMap((subject) => this.#last.get(keyOf(projectId, subject)) ?? []);
    return found.length === 0 ? undefined : Promise.all(found).then(NOTHING);
  }
}

const keyOf = (projectId: number, subject: string): string => `${projectId}:${subject}`;
const NOTHING = (): void => undefined;
