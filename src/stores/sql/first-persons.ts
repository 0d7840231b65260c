/** The first few of the list of persons (newest first, then by uuid) out of many who come in any order. */
import type { ListedPerson, PersonCursor } from '../metadata/persons.ts';

export class FirstPersons {
  readonly #after: PersonCursor | null;
  readonly #limit: number;
  #persons: ListedPerson[] = [];
  /** The last of the first few, once there are enough. */
  #last: PersonCursor | null = null;

  constructor(after: PersonCursor | null, limit: number) {
    this.#after = after;
    this.#limit = limit;
  }

  /** Whether they come after the beginning, and before the last of those who are there. */
  canTake(person: PersonCursor): boolean {
    if (this.#after !== null && inOrder(person, this.#after) <= 0) return false;
    return this.#last === null || inOrder(person, this.#last) < 0;
  }

  /** Whether there can be such in a span of time. */
  canTakeFrom({ newest, oldest }: { newest: number; oldest: number }): boolean {
    if (this.#after !== null && oldest > this.#after.createdAt) return false;
    if (this.#last === null && this.#persons.length >= this.#limit) this.#cut();
    return this.#last === null || newest >= this.#last.createdAt;
  }

  take({ id, createdAt, uuid }: ListedPerson): void {
    this.#persons.push({ id, createdAt, uuid });
    // Twice as many before they are put in order: then each costs little.
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
