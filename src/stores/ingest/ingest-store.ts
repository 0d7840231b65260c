/**
 * What the processor reads and writes in the relational database. A chunk of events is one transaction: bulk reads, then
 * rules in memory, then one bulk write together with the log position that the chunk reaches.
 */

import type { CookielessVisitor } from '../../core/cookieless/cookieless-visitor.ts';
import type { JsonObject } from '../../core/json/json.ts';
import type { Person } from '../../core/persons/person.ts';
import type { PersonChanges } from '../../core/persons/person-changes.ts';
import type { MirrorBatch, MirrorPosition } from '../events/person-mirror.ts';
import type { Reassigned, Reassignment } from '../events/reassignment.ts';
import type { LogProgress } from './log-progress.ts';
import type { OutboxMessage } from './outbox.ts';

export interface DistinctId {
  projectId: number;
  distinctId: string;
}

export interface PersonsAndDistinctIds {
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

/** The settings of a project that processing needs. */
export interface IngestProject {
  id: number;
  anonymizeIps: boolean;
  ingestedEvent: boolean;
  /** Whether the project has a webhook. */
  hasWebhook: boolean;
}

export interface SeenEventDefinition {
  id: string;
  projectId: number;
  name: string;
  /** When the latest such event happened. */
  at: number;
  /** When the first one arrived. */
  createdAt: number;
}

export interface SeenPropertyDefinition {
  id: string;
  projectId: number;
  kind: 'event' | 'person' | 'group';
  /** −1 if it is not a group property. */
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

export interface SeenDefinitionChanges {
  events: readonly SeenEventDefinition[];
  properties: readonly SeenPropertyDefinition[];
  eventProperties: readonly EventProperty[];
}

/** An event that came with its own id and is stored under it. */
export interface SeenEvent extends EventId {
  receivedAt: number;
}

export interface NewSeenEvent extends SeenEvent {
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
  /** The raw event as JSON, or the whole request. */
  payload: string;
  /** The request context, as in the log. */
  context: string;
  receivedAt: number;
  failedAt: number;
  /** Where the payload is a whole request, because reading it ends the process: the number of its events. */
  requestEvents?: number | null;
}

export interface NewWarning {
  projectId: number;
  type: string;
  details: string;
  at: number;
}

/** An event name that is posted to the project's webhook. */
export interface WebhookEvent {
  projectId: number;
  event: string;
}

/** Added to the pending message of the same event, if there is one. */
export type NewOutboxMessage = WebhookEvent & OutboxMessage;

/** Somewhere outside that a project's events are sent to. */
export interface EventDestination {
  id: string;
  projectId: number;
}

/** Events that wait for a destination, in the order in which they were processed. */
export interface QueuedEvents {
  projectId: number;
  destinationId: string;
  uuids: readonly string[];
  /** When the first and the last of them happened: for reading them from the event store. */
  firstTimestamp: number;
  lastTimestamp: number;
  /** When the last of them was received. */
  receivedAt: number;
  waitingSince: number;
}

/** A scheduled export, and how far its files reach: events that were received before are late. */
export interface EventExport {
  id: string;
  projectId: number;
  exportedUntil: number;
}

/** Events that were stored after the files of their time were made. */
export interface LateEvents {
  projectId: number;
  exportId: string;
  uuids: readonly string[];
  firstTimestamp: number;
  lastTimestamp: number;
  /** When they were received. */
  firstCreated: number;
  lastCreated: number;
}

/** Everything that a chunk changes. */
export interface IngestChanges extends SeenDefinitionChanges {
  persons: PersonChanges;
  groupTypes: readonly GroupType[];
  groups: readonly Group[];
  seen: readonly NewSeenEvent[];
  repeats: readonly EventId[];
  dropped: readonly DroppedEvent[];
  deadLetters: readonly NewDeadLetter[];
  warnings: readonly NewWarning[];
  messages: readonly NewOutboxMessage[];
  cookielessVisitors: readonly CookielessVisitor[];
  queued: readonly QueuedEvents[];
  late: readonly LateEvents[];
  /** Projects that received their first event. */
  firstEvents: readonly number[];
  /** Number of events by fate: `stored`, `duplicate`, `dead_lettered`, `dropped:<reason>`; and `label:<name>`. */
  counts: Readonly<Record<string, number>>;
  /** The log position that the chunk reaches; null if it is stored elsewhere. */
  position: number | null;
  /** Projects that are ahead of it. */
  ahead?: LogProgress['ahead'];
}

/** Before the name of a label, where events are counted: labels are no fates, and not part of their sum. */
export const LABEL = 'label:';

export interface IngestTransaction {
  progress(): Promise<LogProgress>;
  /** Number of events by fate, with what this transaction has applied. */
  getCounts(): Promise<Record<string, number>>;
  /** Changes of events that must be done before more events are stored; oldest first. */
  pendingReassignments(): Promise<Reassignment[]>;
  /** Deletes them and records the number of events in their deletions. */
  completeReassignments(done: readonly Reassigned[]): Promise<void>;
  listProjects(ids: readonly number[]): Promise<IngestProject[]>;
  listPersonsByDistinctIds(ids: readonly DistinctId[]): Promise<PersonsAndDistinctIds>;
  /** Those uuids that a person has or had. */
  listTakenUuids(uuids: readonly string[]): Promise<string[]>;
  /** Those events that were stored before, with the time of their arrival. */
  listSeenEvents(events: readonly EventId[]): Promise<SeenEvent[]>;
  listGroupTypes(projectIds: readonly number[]): Promise<GroupType[]>;
  listGroups(keys: readonly Pick<Group, 'projectId' | 'typeIndex' | 'key'>[]): Promise<Group[]>;
  listCookielessVisitors(keys: readonly Pick<CookielessVisitor, 'projectId' | 'base'>[]): Promise<CookielessVisitor[]>;
  listWebhookEvents(projectIds: readonly number[]): Promise<WebhookEvent[]>;
  /** Those that are enabled. */
  listDestinations(projectIds: readonly number[]): Promise<EventDestination[]>;
  /** Those whose files are made of events. */
  listExports(projectIds: readonly number[]): Promise<EventExport[]>;
  /** The number of definitions of a project. */
  countDefinitions(projectId: number): Promise<Record<keyof SeenDefinitionChanges, number>>;
  /** Which of these are defined: names of events, and `kind:groupTypeIndex:name` of properties. */
  listDefined(
    projectId: number,
    changes: Pick<SeenDefinitionChanges, 'events' | 'properties'>,
  ): Promise<{ events: ReadonlySet<string>; properties: ReadonlySet<string> }>;
  apply(changes: IngestChanges): Promise<void>;
}

export interface IngestStore {
  /** Everything up to this log position has been processed. */
  position(): Promise<number>;
  progress(): Promise<LogProgress>;
  /** No conflicting writer runs until `work` has ended. */
  transaction<T>(work: (store: IngestTransaction) => Promise<T>): Promise<T>;
  /** Number of events by fate, and of stored events by label. */
  getCounts(): Promise<Record<string, number>>;
  pendingReassignments(): Promise<Reassignment[]>;
  /** The project's persons that changed after a position; at most `limit`, earliest changes first. */
  listChangedPersons(projectId: number, after: MirrorPosition, limit: number): Promise<MirrorBatch>;
  /** Rewrites the database, so that no byte of removed data is left on disk. */
  purge(): Promise<void>;
  /** Forgets the ids of a project's events that were processed before `time`. */
  forgetBefore(projectId: number, time: number): Promise<void>;
  /** Whether `maintain` has something to do. */
  needsMaintenance(): boolean;
  /** Stores ids of events more compactly, a small piece at a time. */
  maintain(): Promise<void>;
  /** Deletes dropped events and warnings from before `time`. */
  deleteBefore(time: number): Promise<void>;
  close(): Promise<void>;
}
