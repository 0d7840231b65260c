/** What the worker thread says after each chunk, when both stores have it. */
export interface ProcessedNotice {
  position: number;
  events: number;
  /** Projects that have got events, or whose persons changed. */
  projects: readonly number[];
  /** Projects that have got a new kind of group. */
  projectsWithNewGroupTypes: readonly number[];
  /** Persons who are new, have changed or are no more. */
  persons: readonly string[];
}
