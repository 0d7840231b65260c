import type { Json } from '../json/json.ts';
import type { Person } from './person.ts';
import type { MergeKind } from './plan-merge.ts';

/** The final state of a person that a chunk of events created, changed or merged away. */
export interface PersonState {
  person: Person;
  /** Created by this chunk. */
  isNew: boolean;
  /** The person it was merged into, or null. A person can be created and merged away in one chunk. */
  mergedInto: string | null;
}

/** Changes of distinct ids, in order: a merge moves the ids that its source has at that point. */
export type PersonOp =
  | { op: 'add_id'; projectId: number; distinctId: string; personUuid: string }
  | {
      op: 'merge';
      projectId: number;
      kind: MergeKind;
      /** Both as they were before. */
      source: Person;
      target: Person;
      targetUuid: string;
      at: number;
      eventUuid: string;
    };

/** One person property changed by one event. Absent values are undefined. */
export interface HistoryEntry {
  projectId: number;
  personUuid: string;
  key: string;
  before: Json | undefined;
  after: Json | undefined;
  at: number;
  eventUuid: string;
}

/** Events stored under `from` belong to `to`. In order: a later entry may continue from an earlier `to`. */
export interface Override {
  projectId: number;
  from: string;
  to: string;
}

export interface PersonChanges {
  persons: PersonState[];
  ops: PersonOp[];
  history: HistoryEntry[];
  overrides: Override[];
}
