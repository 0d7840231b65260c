/**
 * What the processor of events reads and writes on the relational shelf. A chunk of events is one transaction: reads
 * come first and in bulk, then the rules are applied in memory, then everything is written at once, together with the
 * log position up to which the chunk reaches.
 */

import type { JsonObject } from '../../core/json/json.ts';
import type { Person } from '../../core/persons/person.ts';
import type { PersonChanges } from '../../core/persons/person-changes.ts';
import type { MirrorPosition, MirrorSlice } from '../events/person-mirror.ts';
import type { Refiled, Refiling } from '../events/reassignment.ts';
import type { WaitingMessage } from './outbox.ts';

export interface DistinctId {
  projectId: number;
  distinctId: string;
}

export interface KnownIds {
  persons: Person[];
  distinctIds: { projectId: number; distinctId: string; personUuid: string }[];
}

export interface EventId {
  projectId: number;
  uuid: string;
}

export interface GroupType {
  projectId: number;
  index: number;
  name: string;
}

export interface Group {
  projectId: number;
  typeIndex: number;
  key: string;
  properties: JsonObject;
  createdAt: number;
  version: number;
}

/** A project as far as processing must know it. */
export interface IngestProject {
  id: number;
  anonymizeIps: boolean;
  ingestedEvent: boolean;
  /** Whether somebody hears of its events, where they are marked. */
  hasWebhook: boolean;
}

export interface EventSighting {
  id: string;
  projectId: number;
  name: string;
  at: number;
}

export interface PropertySighting {
  id: string;
  projectId: number;
  kind: 'event' | 'person' | 'group';
  /** −1 where it is no property of a group. */
  groupTypeIndex: number;
  name: string;
  propertyType: string | null;
  at: number;
}

export interface EventProperty {
  projectId: number;
  event: string;
  property: string;
}

/** An event that came with an id of its own, and is stored under it. */
export interface NewSeenEvent extends EventId {
  receivedAt: number;
  processedAt: number;
}

export interface DroppedEvent extends EventId {
  reason: string;
  receivedAt: number;
  droppedAt: number;
}

export interface NewDeadLetter {
  projectId: number;
  eventUuid: string;
  error: string;
  /** The raw event as JSON. */
  payload: string;
  /** What the request said beside it, as in the log. */
  context: string;
  receivedAt: number;
  failedAt: number;
}

export interface NewWarning {
  projectId: number;
  type: string;
  details: string;
  at: number;
}

/** A name of events of which the project's webhook hears. */
export interface MarkedEvent {
  projectId: number;
  event: string;
}

/** What a webhook is to hear; added to what waits for it already under the same name. */
export type NewMessage = MarkedEvent & WaitingMessage;

/** Everything a chunk changes, written in one go. */
export interface IngestChanges {
  persons: PersonChanges;
  groupTypes: readonly GroupType[];
  groups: readonly Group[];
  seen: readonly NewSeenEvent[];
  repeats: readonly EventId[];
  events: readonly EventSighting[];
  properties: readonly PropertySighting[];
  eventProperties: readonly EventProperty[];
  dropped: readonly DroppedEvent[];
  deadLetters: readonly NewDeadLetter[];
  warnings: readonly NewWarning[];
  messages: readonly NewMessage[];
  /** Projects that have got their first event. */
  firstEvents: readonly number[];
  /** How many events met which fate: `stored`, `duplicate`, `dead_lettered`, `dropped:<reason>`. */
  counts: Readonly<Record<string, number>>;
  /** The log position up to which the chunk reaches; null where it is kept elsewhere. */
  position: number | null;
}

export interface IngestTransaction {
  position(): Promise<number>;
  /** Orders to the event store that must be done before it gets another event; oldest first. */
  refilings(): Promise<Refiling[]>;
  /** They are done: forgets them, and tells the deletions that wait for a number. */
  settleRefilings(done: readonly Refiled[]): Promise<void>;
  projects(ids: readonly number[]): Promise<IngestProject[]>;
  personsOf(ids: readonly DistinctId[]): Promise<KnownIds>;
  /** Those uuids that belong or belonged to somebody. */
  takenUuids(uuids: readonly string[]): Promise<string[]>;
  /** Those events that have been seen before. */
  seenBefore(events: readonly EventId[]): Promise<EventId[]>;
  groupTypes(projectIds: readonly number[]): Promise<GroupType[]>;
  groups(keys: readonly Pick<Group, 'projectId' | 'typeIndex' | 'key'>[]): Promise<Group[]>;
  markedEvents(projectIds: readonly number[]): Promise<MarkedEvent[]>;
  apply(changes: IngestChanges): Promise<void>;
}

export interface IngestStore {
  /** The position written last: everything up to it has been processed. */
  position(): Promise<number>;
  /** Nobody else writes to the shelf until `work` has ended: what was read stays true until it is written. */
  transaction<T>(work: (store: IngestTransaction) => Promise<T>): Promise<T>;
  counts(): Promise<Record<string, number>>;
  refilings(): Promise<Refiling[]>;
  /** What changed about the project's persons after a position; at most `limit` persons, the earliest changes first. */
  changedPersons(projectId: number, after: MirrorPosition, limit: number): Promise<MirrorSlice>;
  /** Writes the whole database afresh, so that no byte of what was removed is left on disk. */
  scrub(): Promise<void>;
  /** Forgets drops and warnings from before `time`. */
  prune(time: number): Promise<void>;
  close(): Promise<void>;
}
