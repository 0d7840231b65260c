/**
 * What the processor of events reads and writes on the relational shelf. A chunk of events is one transaction: reads
 * come first and in bulk, then the rules are applied in memory, then everything is written at once, together with the
 * log position up to which the chunk reaches.
 */

import type { JsonObject } from '../../core/json/json.ts';
import type { Person } from '../../core/persons/person.ts';
import type { PersonChanges } from '../../core/persons/person-changes.ts';
import type { MirrorBatch, MirrorPosition } from '../events/person-mirror.ts';
import type { Reassigned, Reassignment } from '../events/reassignment.ts';
import type { OutboxMessage } from './outbox.ts';

export interface DistinctId {
  projectId: number;
  distinctId: string;
}

export interface KnownPersons {
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

export interface SeenEventDefinition {
  id: string;
  projectId: number;
  name: string;
  at: number;
}

export interface SeenPropertyDefinition {
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
export interface WebhookEvent {
  projectId: number;
  event: string;
}

/** What a webhook is to hear; added to what waits for it already under the same name. */
export type NewOutboxMessage = WebhookEvent & OutboxMessage;

/** Everything a chunk changes, written in one go. */
export interface IngestChanges {
  persons: PersonChanges;
  groupTypes: readonly GroupType[];
  groups: readonly Group[];
  seen: readonly NewSeenEvent[];
  repeats: readonly EventId[];
  events: readonly SeenEventDefinition[];
  properties: readonly SeenPropertyDefinition[];
  eventProperties: readonly EventProperty[];
  dropped: readonly DroppedEvent[];
  deadLetters: readonly NewDeadLetter[];
  warnings: readonly NewWarning[];
  messages: readonly NewOutboxMessage[];
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
  pendingReassignments(): Promise<Reassignment[]>;
  /** They are done: forgets them, and tells the deletions that wait for a number. */
  completeReassignments(done: readonly Reassigned[]): Promise<void>;
  listProjects(ids: readonly number[]): Promise<IngestProject[]>;
  listPersonsByDistinctIds(ids: readonly DistinctId[]): Promise<KnownPersons>;
  /** Those uuids that belong or belonged to somebody. */
  listTakenUuids(uuids: readonly string[]): Promise<string[]>;
  /** Those events that have been seen before. */
  listSeenEvents(events: readonly EventId[]): Promise<EventId[]>;
  listGroupTypes(projectIds: readonly number[]): Promise<GroupType[]>;
  listGroups(keys: readonly Pick<Group, 'projectId' | 'typeIndex' | 'key'>[]): Promise<Group[]>;
  listWebhookEvents(projectIds: readonly number[]): Promise<WebhookEvent[]>;
  apply(changes: IngestChanges): Promise<void>;
}

export interface IngestStore {
  /** The position written last: everything up to it has been processed. */
  position(): Promise<number>;
  /** Nobody else writes to the shelf until `work` has ended: what was read stays true until it is written. */
  transaction<T>(work: (store: IngestTransaction) => Promise<T>): Promise<T>;
  getCounts(): Promise<Record<string, number>>;
  pendingReassignments(): Promise<Reassignment[]>;
  /** What changed about the project's persons after a position; at most `limit` persons, the earliest changes first. */
  listChangedPersons(projectId: number, after: MirrorPosition, limit: number): Promise<MirrorBatch>;
  /** Writes the whole database afresh, so that no byte of what was removed is left on disk. */
  purge(): Promise<void>;
  /** Forgets drops and warnings from before `time`. */
  deleteBefore(time: number): Promise<void>;
  close(): Promise<void>;
}
