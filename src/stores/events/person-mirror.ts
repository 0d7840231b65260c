/**
 * The event store's copy of persons, for queries that join events with persons. The relational database numbers every
 * change of a person; the copy records the last change it has, and is updated before a query.
 */
export interface MirroredPerson {
  uuid: string;
  createdAt: number;
  /** As JSON text. */
  properties: string;
}

/** A change may concern many persons; those up to `id` have been copied. */
export interface MirrorPosition {
  change: number;
  id: number;
}

/** Before the first change. Persons from before changes were numbered have the change 0. */
export const MIRROR_START: MirrorPosition = { change: -1, id: 0 };

/** Changed persons, and uuids of removed ones, which are applied first. */
export interface MirrorBatch {
  projectId: number;
  removed: readonly string[];
  persons: readonly MirroredPerson[];
  /** The position after this batch. */
  position: MirrorPosition;
}
