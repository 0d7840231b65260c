/**
 * Whose changes have been acknowledged but not processed yet: so that a decision about somebody can wait for what they
 * sent before (read your writes). It lives in the memory of the thread that accepts, is bounded, and answers from a map.
 *
 * Subjects are distinct ids and groups, see `changedSubjects`. Where they are too many to remember, and for entries
 * that were in the log before the start, it answers 'perhaps': everybody of the project, or of all, is taken to wait.
 */
interface PendingEntry {
  seq: number;
  projectId: number;
  subjects: readonly string[];
}

/** About 20 MB at the most. */
const MAX_SUBJECTS = 100_000;

export class PendingSubjects {
  /** Everything up to here is processed. */
  #position = 0;
  /** Entries up to here were in the log before anybody took notes. */
  #unread: number;
  readonly #last = new Map<number, Map<string, number>>();
  /** The last entry of a project whose subjects were too many. */
  readonly #crowded = new Map<number, number>();
  #noted: PendingEntry[] = [];
  #done = 0;
  #count = 0;
  readonly #limit: number;

  constructor(unread: number, limit = MAX_SUBJECTS) {
    this.#unread = unread;
    this.#limit = limit;
  }

  add(seq: number, projectId: number, subjects: readonly string[]): void {
    if (subjects.length === 0 || seq <= this.#position) return;
    if (this.#count + subjects.length > this.#limit) {
      this.addProject(seq, projectId);
      return;
    }
    this.#count += subjects.length;
    this.#noted.push({ seq, projectId, subjects });
    const last = this.#last.get(projectId) ?? new Map<string, number>();
    this.#last.set(projectId, last);
    for (const subject of subjects) last.set(subject, Math.max(seq, last.get(subject) ?? 0));
  }

  /** Everybody of the project is taken to wait for this entry. */
  addProject(seq: number, projectId: number): void {
    if (seq > this.#position) this.#crowded.set(projectId, seq);
  }

  /** Everybody of any project is. */
  addAllProjects(seq: number): void {
    if (seq > this.#position) this.#unread = Math.max(this.#unread, seq);
  }

  get isEmpty(): boolean {
    return this.#count === 0 && this.#unread === 0 && this.#crowded.size === 0;
  }

  /** The entry up to which the log must be processed before these subjects are as they were told; 0 when they are. */
  lastEntryFor(projectId: number, subjects: readonly string[]): number {
    let seq = Math.max(this.#unread, this.#crowded.get(projectId) ?? 0);
    const last = this.#last.get(projectId);
    if (last !== undefined) for (const subject of subjects) seq = Math.max(seq, last.get(subject) ?? 0);
    return seq > this.#position ? seq : 0;
  }

  /** The log is processed up to `position`. */
  removeProcessed(position: number): void {
    this.#position = Math.max(this.#position, position);
    if (this.#unread <= this.#position) this.#unread = 0;
    for (const [projectId, seq] of this.#crowded) if (seq <= this.#position) this.#crowded.delete(projectId);
    while (this.#noted[this.#done] !== undefined && (this.#noted[this.#done]?.seq ?? 0) <= this.#position) {
      this.#drop(this.#noted[this.#done++] as PendingEntry);
    }
    // Half of the list is done with: time to let go of it.
    if (this.#done * 2 > this.#noted.length) this.#noted = this.#noted.slice(this.#done);
    else return;
    this.#done = 0;
  }

  #drop({ projectId, subjects }: PendingEntry): void {
    this.#count -= subjects.length;
    const last = this.#last.get(projectId);
    if (last === undefined) return;
    for (const subject of subjects) if ((last.get(subject) ?? 0) <= this.#position) last.delete(subject);
    if (last.size === 0) this.#last.delete(projectId);
  }
}
