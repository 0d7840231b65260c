import type { Json, JsonObject } from '../json/json.ts';

/** A person during processing. Immutable, so an old value is a snapshot. */
export interface Person {
  readonly projectId: number;
  readonly uuid: string;
  /** Time of the first event, ms UTC. */
  readonly createdAt: number;
  readonly properties: JsonObject;
  /** Set by merge attempts, such as `$identify`; never reset. */
  readonly isIdentified: boolean;
  /** Grows by one with each write. */
  readonly version: number;
}

/** A property before and after; undefined where it did not or does not exist. */
export interface PropertyChange {
  key: string;
  before: Json | undefined;
  after: Json | undefined;
}
