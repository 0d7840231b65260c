/** The persons that changed last, in memory of the thread that owns the file. */

/** Some hours of a busy project, a few megabytes. */
const MAX_CHANGES = 50_000;

interface PersonChange {
  projectId: number;
  personId: string;
}

export class PersonChangeLog {
  readonly #max: number;
  #changes: PersonChange[] = [];
  /** How many were forgotten. */
  #forgotten = 0;

  constructor(max = MAX_CHANGES) {
    this.#max = max;
  }

  /** How many there have been. */
  get count(): number {
    return this.#forgotten + this.#changes.length;
  }

  /**
   * Call it when the change can be read. A reader who counts before it reads has seen everything up to the count; one who
   * sees a change that is not noted yet will find it as new.
   */
  note(projectId: number, personIds: Iterable<string>): void {
    for (const personId of personIds) this.#changes.push({ projectId, personId });
    if (this.#changes.length <= this.#max) return;
    const kept = this.#changes.slice(-Math.floor(this.#max / 2));
    this.#forgotten += this.#changes.length - kept.length;
    this.#changes = kept;
  }

  /** The different persons since a count; null if they are not known any more. */
  since(count: number, projectId: number): string[] | null {
    if (count < this.#forgotten) return null;
    const own = this.#changes.slice(count - this.#forgotten).filter((change) => change.projectId === projectId);
    return [...new Set(own.map(({ personId }) => personId))];
  }
}
