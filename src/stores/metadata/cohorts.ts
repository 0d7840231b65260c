/** Cohorts: named sets of persons, by hand or by criteria. Times are ms UTC. */
import type { Json, JsonObject } from '../../core/json/json.ts';
import type { Page, Paged } from './page.ts';

export interface Cohort {
  id: number;
  projectId: number;
  name: string;
  description: string;
  /** The old form of criteria: an OR of ANDs. Empty in new ones. */
  groups: Json[];
  /** `{properties: {type, values}}`, or empty where `groups` or a list of members says it. */
  filters: JsonObject;
  /** Members are put in by hand and stay; otherwise the criteria say who is in. */
  isStatic: boolean;
  deleted: boolean;
  isCalculating: boolean;
  /** When the members were last found by these criteria; null where they have never been. */
  lastCalculation: number | null;
  errorsCalculating: number;
  count: number | null;
  /** One more with each change of what decides who is in. */
  version: number;
  createdAt: number;
  createdBy: number | null;
}

export interface CohortStore {
  create(cohort: Omit<Cohort, 'id'>): Promise<Cohort>;
  /** Deleted ones too. */
  get(projectId: number, id: number): Promise<Cohort | null>;
  /** Those that are not deleted, newest first. */
  listByProject(projectId: number): Promise<Cohort[]>;
  list(projectId: number, page: Page): Promise<Paged<Cohort>>;
  /** Static and calculated ones that are not deleted and have the person among their members, newest first. */
  listByPerson(projectId: number, personId: number): Promise<Cohort[]>;
  /** Those of any project whose calculation was asked for and has not ended, in the order of their ids. */
  listPending(): Promise<Cohort[]>;
  /**
   * Dynamic ones of any project that wait for nothing and were last calculated before `time`, or never, and failed at
   * most `errors` times since then: the longest waiting first.
   */
  listDue(time: number, errors: number, limit: number): Promise<Cohort[]>;
  update(cohort: Cohort): Promise<void>;
}

/** Who is in: put there by hand in a static cohort, by the last calculation in a dynamic one. Persons by their numbers. */
export interface CohortMemberStore {
  /** In ascending order, from after `personId`. */
  listAfter(cohortId: number, personId: number, limit: number): Promise<number[]>;
  /** Those that exist in the project; whoever is in already, stays. Says how many are new. */
  add(projectId: number, cohortId: number, personIds: readonly number[]): Promise<number>;
  /** Says how many were in. */
  remove(cohortId: number, personIds: readonly number[]): Promise<number>;
  count(cohortId: number): Promise<number>;
  /** Numbers of the persons with these UUIDs; others are passed over. */
  listPersonIdsByUuid(projectId: number, uuids: readonly string[]): Promise<number[]>;
  listPersonIdsByDistinctId(projectId: number, distinctIds: readonly string[]): Promise<number[]>;
  listUuids(projectId: number, personIds: readonly number[]): Promise<string[]>;
  /** The same persons, newest first, then by uuid: as the list of persons has them. */
  sortPersonIds(projectId: number, personIds: readonly number[]): Promise<number[]>;
}
