/**
 * An order to the event store to file events elsewhere, because somebody was split, a merge was undone or a person was
 * deleted. Orders are written on the relational shelf in the transaction of the change itself, and done by the thread
 * that owns the event store before it stores another event: so 'the events of this id so far' means the same on both.
 */
export type Reassignment = {
  /** Strictly growing: one that is not past the last one done was done before. */
  id: number;
  projectId: number;
  /** Whose events it is about: those that queries show under this person at this moment. */
  personId: string;
} & (
  | {
      kind: 'move';
      /** Events of each distinct id belong to `to` from now on, who is nobody's past: an override from it is taken back. */
      moves: readonly DistinctIdMove[];
    }
  | {
      kind: 'remove';
      /** Events of these ids go too, whoever had them: what is left of persons who were deleted without their events. */
      distinctIds: readonly string[];
    }
);

export interface DistinctIdMove {
  distinctId: string;
  to: string;
}

/** An order that was done, and how many events it moved or removed. */
export interface Reassigned {
  id: number;
  events: number;
}
