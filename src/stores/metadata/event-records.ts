/**
 * Metadata about events: their persons, and what happened to events that were not stored. Written by the processor
 * (`ingest-store.ts`), read here.
 */
import type { JsonObject } from '../../core/json/json.ts';
import type { Range } from '../../core/time/range.ts';
import type { DroppedEvent, NewDeadLetter, NewWarning } from '../ingest/ingest-store.ts';
import type { Page, Paged } from './page.ts';

/** A person as the event list shows it. */
export interface EventPerson {
  uuid: string;
  isIdentified: boolean;
  properties: JsonObject;
  /** The person's first distinct id. */
  firstDistinctId: string | null;
}

export interface PersonProperties {
  id: number;
  uuid: string;
  /** JSON text. */
  properties: string;
}

export interface EventPersonStore {
  /** With these of their properties; default: all. */
  listByUuids(projectId: number, uuids: readonly string[], keys?: readonly string[]): Promise<EventPerson[]>;
  getUuid(projectId: number, id: number): Promise<string | null>;
  /**
   * Persons with an id above `id`, ascending, for reading all of them page by page: up to `limit`, fewer where they are
   * large, none at the end.
   */
  listAfter(projectId: number, id: number, limit: number): Promise<PersonProperties[]>;
}

export interface DeadLetter extends NewDeadLetter {
  id: number;
  requestEvents: number | null;
}

export interface DeadLetterStore {
  /** Newest first. */
  list(projectId: number, page: Page): Promise<Paged<DeadLetter>>;
  get(projectId: number, id: number): Promise<DeadLetter | null>;
  /** The newest one of this event. */
  getByEvent(projectId: number, eventUuid: string): Promise<DeadLetter | null>;
  delete(projectId: number, id: number): Promise<void>;
  /** The ids of the oldest ones. */
  listOldest(projectId: number, limit: number): Promise<number[]>;
  count(projectId: number): Promise<number>;
  /** When events of the range failed, at most so many. */
  listTimes(projectId: number, range: Range, limit: number): Promise<number[]>;
}

/** A stored event that came with its own id; `repeats` counts duplicates. */
interface SeenEvent {
  receivedAt: number;
  processedAt: number;
  repeats: number;
}

export interface FateStore {
  getSeen(projectId: number, uuid: string): Promise<SeenEvent | null>;
  /** The last time it was dropped. */
  getDropped(projectId: number, uuid: string): Promise<DroppedEvent | null>;
  /** Newest first. */
  listDropped(projectId: number, page: Page): Promise<Paged<DroppedEvent>>;
}

export interface IngestionWarning extends NewWarning {
  id: number;
}

export interface WarningStore {
  /** Newest first. */
  list(projectId: number, type: string | undefined, page: Page): Promise<Paged<IngestionWarning>>;
  /** For each type and day (UTC) of the range: when there were the first and the last. */
  listDays(projectId: number, range: Range): Promise<{ name: string; first: number; last: number }[]>;
}
