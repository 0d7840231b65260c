import type { Json, JsonObject } from '../json/json.ts';

/** A person as processing sees one. Values are never changed in place, so an old one is a snapshot for free. */
export interface Person {
  readonly projectId: number;
  readonly uuid: string;
  /** Time of the first event, ms UTC. */
  readonly createdAt: number;
  readonly properties: JsonObject;
  /** Somebody has tied this person to an id of their own; set by merge attempts, never taken back. */
  readonly isIdentified: boolean;
  /** Grows by one with each write. */
  readonly version: number;
}

/** One property before and after; undefined where it did not or does not exist. */
export interface PropertyChange {
  key: string;
  before: Json | undefined;
  after: Json | undefined;
}
