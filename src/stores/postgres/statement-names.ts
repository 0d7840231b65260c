/** Statements that are prepared once on each connection. Lists of values make ever new ones: not all can be kept. */
const MAX_STATEMENTS = 500;

/** The same text of a statement gets the same name, from its second use on: preparing costs more than most answers. */
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

  /** The next use prepares it afresh, under another name. */
  forget(text: string): void {
    this.#names.delete(text);
  }
}
