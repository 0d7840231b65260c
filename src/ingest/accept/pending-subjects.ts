/**
 * Subjects with changes that were acknowledged but not processed yet, so that a decision can wait for them (read your
 * writes). Kept in the memory of the thread that accepts, bounded, and answered from a map.
 *
 * Subjects are distinct ids and groups, see `changedSubjects`. Where there are too many, and for entries that were in the
 * log before the start, all subjects of the project, or of all projects, count as pending.
 */
import { isProcessed, type LogProgress, progressAt } from '../../stores/ingest/log-progress.ts';

interface PendingEntry {
  seq: number;
  projectId: number;
  subjects: readonly string[];
}

/** About 20 MB at the most. */
const MAX_SUBJECTS = 100_000;

export class PendingSubjects {
  #progress = progressAt(0);
  /** Up to this entry any subject of any project may be pending; 0 when none. */
  #anySubjectUpTo: number;
  readonly #last = new Map<number, Map<string, number>>();
  /** The last entry of a project with too many subjects. */
  readonly #anySubjectOf = new Map<number, number>();
  #entries: PendingEntry[] = [];
  #processed = 0;
  #count = 0;
  readonly #limit: number;

  constructor(initialHead: number, limit = MAX_SUBJECTS) {
    this.#anySubjectUpTo = initialHead;
    this.#limit = limit;
  }

  add(seq: number, projectId: number, subjects: readonly string[]): void {
    if (subjects.length === 0 || this.#isProcessed(seq, projectId)) return;
    if (this.#count + subjects.length > this.#limit) {
      this.addProject(seq, projectId);
      return;
    }
    this.#count += subjects.length;
    this.#entries.push({ seq, projectId, subjects });
    const last = this.#last.get(projectId) ?? new Map<string, number>();
    this.#last.set(projectId, last);
    for (const subject of subjects) last.set(subject, Math.max(seq, last.get(subject) ?? 0));
  }

  /** All subjects of the project wait for this entry. */
  addProject(seq: number, projectId: number): void {
    if (!this.#isProcessed(seq, projectId)) this.#anySubjectOf.set(projectId, seq);
  }

  /** All subjects of all projects do. */
  addAllProjects(seq: number): void {
    if (seq > this.#progress.position) this.#anySubjectUpTo = Math.max(this.#anySubjectUpTo, seq);
  }

  get isEmpty(): boolean {
    return this.#count === 0 && this.#anySubjectUpTo === 0 && this.#anySubjectOf.size === 0;
  }

  /** The entry up to which the log must be processed for these subjects; 0 when nothing is pending. */
  lastEntryFor(projectId: number, subjects: readonly string[]): number {
    let seq = Math.max(this.#anySubjectUpTo, this.#anySubjectOf.get(projectId) ?? 0);
    const last = this.#last.get(projectId);
    if (last !== undefined) for (const subject of subjects) seq = Math.max(seq, last.get(subject) ?? 0);
    return this.#isProcessed(seq, projectId) ? 0 : seq;
  }

  removeProcessed(progress: LogProgress): void {
    if (progress.position >= this.#progress.position) this.#progress = progress;
    const { position } = this.#progress;
    if (this.#anySubjectUpTo <= position) this.#anySubjectUpTo = 0;
    for (const [id, seq] of this.#anySubjectOf) if (this.#isProcessed(seq, id)) this.#anySubjectOf.delete(id);
    while (this.#entries[this.#processed] !== undefined && (this.#entries[this.#processed]?.seq ?? 0) <= position) {
      this.#remove(this.#entries[this.#processed++] as PendingEntry);
    }
    // Half of the list is processed: time to drop it.
    if (this.#processed * 2 > this.#entries.length) this.#entries = this.#entries.slice(this.#processed);
    else return;
    this.#processed = 0;
  }

  #remove({ projectId, subjects }: PendingEntry): void {
    this.#count -= subjects.length;
    const last = this.#last.get(projectId);
    if (last === undefined) return;
    for (const subject of subjects) if ((last.get(subject) ?? 0) <= this.#progress.position) last.delete(subject);
    if (last.size === 0) this.#last.delete(projectId);
  }

  #isProcessed(seq: number, projectId: number): boolean {
    return isProcessed(this.#progress, { seq, projectId });
  }
}
