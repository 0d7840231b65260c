/** Cohorts: named sets of persons, by hand or by criteria. Times are ms UTC. */
import type { Json, JsonObject } from '../core/events/json.ts';

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
  find(projectId: number, id: number): Promise<Cohort | null>;
  /** Those that are not deleted, newest first. */
  ofProject(projectId: number): Promise<Cohort[]>;
  update(cohort: Cohort): Promise<void>;
}
