/**
 * Questions about events also ask about their persons, so the event store keeps a copy of what they ask for. The
 * relational shelf numbers every change of persons; the copy says up to which change it reaches, and is brought up to
 * date when somebody is about to ask.
 */
export interface MirroredPerson {
  uuid: string;
  createdAt: number;
  /** As JSON text. */
  properties: string;
}

/** A change may touch many persons: those up to the number `id` have been copied. */
export interface MirrorPosition {
  change: number;
  id: number;
}

/** Before the first change: whoever was there when changes began to be numbered has the change 0. */
export const MIRROR_START: MirrorPosition = { change: -1, id: 0 };

/** Persons who changed, and uuids of those who are no more; the latter are said first. */
export interface MirrorBatch {
  projectId: number;
  removed: readonly string[];
  persons: readonly MirroredPerson[];
  /** The copy reaches up to here once it has the slice. */
  position: MirrorPosition;
}
