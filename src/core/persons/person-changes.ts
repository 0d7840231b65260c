import type { Json } from '../json/json.ts';
import type { Person } from './person.ts';
import type { MergeKind } from './plan-merge.ts';

/** The last state of a person that a chunk of events created, changed or merged away. */
export interface PersonState {
  person: Person;
  /** Was not there when the chunk began. */
  isNew: boolean;
  /** The person who took over, or null while this one lives. A person can be new and merged away in one chunk. */
  mergedInto: string | null;
}

/** What happened to distinct ids, in order: a merge moves exactly the ids that its source had at that point. */
export type PersonOp =
  | { op: 'add_id'; projectId: number; distinctId: string; personUuid: string }
  | {
      op: 'merge';
      projectId: number;
      kind: MergeKind;
      /** Both as they were just before. */
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

/** Events filed under `from` belong to `to`. In order: a later entry may lead on from an earlier one's `to`. */
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
