/** Statements with lists of values vary without end, so not all can be prepared. */
const MAX_STATEMENTS = 500;

/** Names statements from their second use on, so that they are prepared: that costs more than running most once. */
export class StatementNames {
  readonly #names = new Map<string, string | null>();
  #given = 0;

  nameOf(text: string): string | undefined {
    const name = this.#names.get(text);
    if (name === undefined) {
      if (this.#names.size < MAX_STATEMENTS) this.#names.set(text, null);
      return undefined;
    }
    if (name !== null) return name;
    const given = `cairn_${++this.#given}`;
    this.#names.set(text, given);
    return given;
  }

  /** The next use prepares it again, under another name. */
  forget(text: string): void {
    this.#names.delete(text);
  }
}
