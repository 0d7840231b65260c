/**
 * What deciding a flag must know of persons and groups. Read for every decision, so each question is one cheap look-up;
 * written only when somebody logs in and a flag has to keep its value for them.
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

/** The identifier that decides a flag's value for a person, in place of the distinct id. */
export interface FlagOverride {
  personId: number;
  flagKey: string;
  identifier: string;
}

export interface SubjectStore {
  /**
   * At once, where the store can. What is asked in one turn of the event loop may be answered from one view: it holds
   * what this thread has written, and what others have written before `refresh`.
   */
  getPerson(projectId: number, distinctId: string): MaybePromise<SubjectPerson | null>;
  /** Another thread has written something that must be seen from here on: about these persons (uuids), or about any. */
  refresh(persons?: readonly string[]): void;
  /** By distinct id; those that nobody has are missing. */
  getPersons(projectId: number, distinctIds: readonly string[]): Promise<ReadonlyMap<string, SubjectPerson>>;
  /** Names of the project's kinds of groups, by their index. */
  listGroupTypes(projectId: number): Promise<ReadonlyMap<number, string>>;
  /** Those that have been described; the others are missing. */
  listGroups(projectId: number, keys: readonly GroupKey[]): Promise<SubjectGroupRecord[]>;
  /** Which of the cohorts have the person among their members. */
  listCohortsWith(personId: number, cohortIds: readonly number[]): Promise<number[]>;
  listOverrides(personIds: readonly number[]): Promise<FlagOverride[]>;
  /** A person's first identifier for a flag stays: later ones are passed over. */
  createOverrides(projectId: number, overrides: readonly FlagOverride[]): Promise<void>;
}
