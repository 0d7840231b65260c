/**
 * What flag evaluation needs about persons and groups. Read for every decision, so each method is one cheap lookup.
 * Only `createOverrides` writes, when a user logs in and a flag has to keep its value.
 */
import type { JsonObject } from '../../core/json/json.ts';
import type { MaybePromise } from '../../lib/maybe-async.ts';

export interface SubjectPerson {
  id: number;
  properties: JsonObject;
}

export interface GroupKey {
  typeIndex: number;
  key: string;
}

interface SubjectGroupRecord extends GroupKey {
  properties: JsonObject;
}

/** The identifier that buckets a person for a flag, instead of the distinct id. */
export interface FlagOverride {
  personId: number;
  flagKey: string;
  identifier: string;
}

export interface SubjectStore {
  /**
   * Synchronous where the store can. Calls in one turn of the event loop may share one view of the database, which holds
   * what this thread has written and what others had written before `refresh`.
   */
  getPerson(projectId: number, distinctId: string): MaybePromise<SubjectPerson | null>;
  /** Another thread has changed these persons (uuids), or any persons; later reads must see it. */
  refresh(persons?: readonly string[]): void;
  /** By distinct id; unknown ones are missing. */
  getPersons(projectId: number, distinctIds: readonly string[]): Promise<ReadonlyMap<string, SubjectPerson>>;
  /** Names by index. */
  listGroupTypes(projectId: number): Promise<ReadonlyMap<number, string>>;
  /** Groups without properties are missing. */
  listGroups(projectId: number, keys: readonly GroupKey[]): Promise<SubjectGroupRecord[]>;
  /** Those of the cohorts that contain the person. */
  listCohortsWith(personId: number, cohortIds: readonly number[]): Promise<number[]>;
  listOverrides(personIds: readonly number[]): Promise<FlagOverride[]>;
  /** A person's first identifier for a flag stays; later ones are ignored. */
  createOverrides(projectId: number, overrides: readonly FlagOverride[]): Promise<void>;
}
