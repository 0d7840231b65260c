/** Copies of one project, which statements of users read. */

export interface CopiedDistinctId {
  distinctId: string;
  personUuid: string;
  isIdentified: boolean;
}

export interface CopiedGroup {
  typeIndex: number;
  type: string;
  key: string;
  createdAt: number;
  properties: string;
}

export interface CopiedCohort {
  id: number;
  name: string;
  isStatic: boolean;
  count: number | null;
  lastCalculation: number | null;
}

export interface CopiedMember {
  cohortId: number;
  personUuid: string;
}

export interface CopySource {
  distinctIds(projectId: number): AsyncIterable<readonly CopiedDistinctId[]>;
  groups(projectId: number): AsyncIterable<readonly CopiedGroup[]>;
  cohorts(projectId: number): Promise<readonly CopiedCohort[]>;
  members(projectId: number): AsyncIterable<readonly CopiedMember[]>;
}

export interface ProjectCopyRequest {
  projectId: number;
  target: string;
  source: CopySource;
  /** An earlier copy, and the last row that it has. */
  base: (Pick<ProjectCopy, 'lastRow' | 'eventsFrom'> & { path: string }) | null;
  /** Leaves out the events that `base` has, so that both files are read together. Otherwise they are copied from it. */
  isAddition: boolean;
  /**
   * Of the file, with that of `base` if both are read. Without `base`, the newest months that fit are copied where not all
   * of them do.
   */
  maxBytes: number;
}

/** The copy would be larger than it may be: with what is added to `base`, or with the newest month alone. */
export class CopyTooLarge extends Error {
  readonly bytes: number;

  constructor(bytes: number) {
    super('The copy of the project is too large.');
    this.bytes = bytes;
  }
}

/** A copy, and what is needed to add to it later. */
interface ProjectCopy {
  lastRow: number;
  /** How many events are in the file. */
  events: number;
  /** The start of the first month whose events are copied; ms UTC. Null: all are. */
  eventsFrom: number | null;
  /** Changes when rows before `lastRow` were changed or deleted: then a new copy is needed. */
  generation: number;
}

export interface ProjectCopier {
  /** Changes when rows were changed or deleted, rather than added. */
  readonly generation: number;
  /** Writes the data of one project to a new file, beside writes. One at a time. */
  copyProject(request: ProjectCopyRequest): Promise<ProjectCopy>;
}
