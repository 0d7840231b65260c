/** Cohorts: named sets of persons, static or defined by criteria. Times are ms UTC. */
import type { Json, JsonObject } from '../../core/json/json.ts';
import type { Page, Paged } from './page.ts';

export interface Cohort {
  id: number;
  projectId: number;
  name: string;
  description: string;
  /** Legacy criteria, an OR of ANDs. Empty in new cohorts. */
  groups: Json[];
  /** `{properties: {type, values}}`; empty for static cohorts and those that use `groups`. */
  filters: JsonObject;
  /** True: members are added by hand. False: the criteria decide. */
  isStatic: boolean;
  deleted: boolean;
  isCalculating: boolean;
  /** When the members were last calculated; null if never. */
  lastCalculation: number | null;
  errorsCalculating: number;
  count: number | null;
  /** Incremented with each change of the criteria. */
  version: number;
  createdAt: number;
  createdBy: number | null;
}

export interface CohortStore {
  create(cohort: Omit<Cohort, 'id'>): Promise<Cohort>;
  /** Includes deleted cohorts. */
  get(projectId: number, id: number): Promise<Cohort | null>;
  /** Without deleted cohorts, newest first. */
  listByProject(projectId: number): Promise<Cohort[]>;
  list(projectId: number, page: Page): Promise<Paged<Cohort>>;
  /** Static and calculated cohorts that contain the person, newest first; without deleted ones. */
  listByPerson(projectId: number, personId: number): Promise<Cohort[]>;
  /** Cohorts of all projects whose calculation was requested and has not finished, by id. */
  listPending(): Promise<Cohort[]>;
  /**
   * Dynamic cohorts of all projects without a pending calculation, last calculated before `time` or never, that failed
   * at most `errors` times since; oldest calculation first.
   */
  listDue(time: number, errors: number, limit: number): Promise<Cohort[]>;
  update(cohort: Cohort): Promise<void>;
}

/** Members of cohorts, by person id: added by hand to static cohorts, by the last calculation to dynamic ones. */
export interface CohortMemberStore {
  /** Ids above `personId`, ascending. */
  listAfter(cohortId: number, personId: number, limit: number): Promise<number[]>;
  /** Skips persons that are not in the project or already members. Returns how many were added. */
  add(projectId: number, cohortId: number, personIds: readonly number[]): Promise<number>;
  /** Returns how many were members. */
  remove(cohortId: number, personIds: readonly number[]): Promise<number>;
  count(cohortId: number): Promise<number>;
  /** Unknown UUIDs are skipped. */
  listPersonIdsByUuid(projectId: number, uuids: readonly string[]): Promise<number[]>;
  listPersonIdsByDistinctId(projectId: number, distinctIds: readonly string[]): Promise<number[]>;
  listUuids(projectId: number, personIds: readonly number[]): Promise<string[]>;
  /** The same ids in the order of the person list: newest first, then by uuid. */
  sortPersonIds(projectId: number, personIds: readonly number[]): Promise<number[]>;
}
