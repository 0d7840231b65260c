/**
 * A change of events' persons, after a split, an undone merge or a deletion. Written to the relational database in the
 * transaction of that change, and applied by the thread that owns the event store before it stores more events: so "the
 * events of this id so far" means the same in both.
 */
export type Reassignment = {
  /** Strictly increasing: one that is not past the last applied id was applied before. */
  id: number;
  projectId: number;
  /** Concerns the events that queries show under this person now. */
  personId: string;
} & (
  | {
      kind: 'move';
      /** From now on, events of each distinct id belong to `to`; an override of `to` is removed. */
      moves: readonly DistinctIdMove[];
    }
  | {
      kind: 'remove';
      /** Also removes events of these ids, whoever has them: of persons deleted earlier without their events. */
      distinctIds: readonly string[];
    }
);

export interface DistinctIdMove {
  distinctId: string;
  to: string;
}

/** An applied reassignment, and how many events it moved or removed. */
export interface Reassigned {
  id: number;
  events: number;
}
