/** Answers of one round of checks: alerts that ask the same, also at the same time, share one. */
export class SharedAnswers {
  readonly #answers = new Map<string, Promise<unknown>>();

  /** `question` says all that the answer depends on. */
  get<T>(question: readonly unknown[], answer: () => Promise<T>): Promise<T> {
    const key = JSON.stringify(question);
    const known = this.#answers.get(key) as Promise<T> | undefined;
    if (known !== undefined) return known;
    const made = answer();
    this.#answers.set(key, made);
    return made;
  }
}
