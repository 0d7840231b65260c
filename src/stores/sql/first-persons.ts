/** Collects the first persons of the list (newest first, then by uuid) from persons in any order. */
import type { ListedPerson, PersonCursor } from '../metadata/persons.ts';

export class FirstPersons {
  readonly #after: PersonCursor | null;
  readonly #limit: number;
  #persons: ListedPerson[] = [];
  /** The last one to keep, once there are enough. */
  #last: PersonCursor | null = null;

  constructor(after: PersonCursor | null, limit: number) {
    this.#after = after;
    this.#limit = limit;
  }

  /** Whether the person comes after the start and before the last one kept. */
  canTake(person: PersonCursor): boolean {
    if (this.#after !== null && inOrder(person, this.#after) <= 0) return false;
    return this.#last === null || inOrder(person, this.#last) < 0;
  }

  /** Whether a block with this range of creation times may contain such persons. */
  canTakeFrom({ newest, oldest }: { newest: number; oldest: number }): boolean {
    if (this.#after !== null && oldest > this.#after.createdAt) return false;
    if (this.#last === null && this.#persons.length >= this.#limit) this.#cut();
    return this.#last === null || newest >= this.#last.createdAt;
  }

  take({ id, createdAt, uuid }: ListedPerson): void {
    this.#persons.push({ id, createdAt, uuid });
    // Sorted only after doubling, which keeps the cost per person low.
    if (this.#persons.length >= 2 * this.#limit) this.#cut();
  }

  list(): ListedPerson[] {
    this.#cut();
    return this.#persons;
  }

  #cut(): void {
    this.#persons = this.#persons.sort(inOrder).slice(0, this.#limit);
    this.#last = this.#persons[this.#limit - 1] ?? null;
  }
}

function inOrder(a: PersonCursor, b: PersonCursor): number {
  if (a.createdAt !== b.createdAt) return b.createdAt - a.createdAt;
  return a.uuid < b.uuid ? -1 : a.uuid > b.uuid ? 1 : 0;
}
