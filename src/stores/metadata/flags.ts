/** Feature flags on the relational shelf, and what is kept beside them. Times are ms UTC. */
import type { Json, JsonObject } from '../../core/json/json.ts';

export type EvaluationRuntime = 'all' | 'client' | 'server';
export type BucketingIdentifier = 'distinct_id' | 'device_id';

export interface FeatureFlag {
  id: number;
  projectId: number;
  key: string;
  /** The description; the wire has always called it name. */
  name: string;
  /** As sent: what it means is for `core/flags` to say. */
  filters: JsonObject;
  active: boolean;
  /** A deleted flag is kept until its key is used again. */
  deleted: boolean;
  ensureExperienceContinuity: boolean;
  /** Conditions under which the flag switches itself off, or null. */
  rollbackConditions: Json;
  performedRollback: boolean | null;
  tags: string[];
  evaluationRuntime: EvaluationRuntime;
  bucketingIdentifier: BucketingIdentifier;
  /** True: the flag is there for its payload alone, which clients ask for by its key. */
  isRemoteConfiguration: boolean;
  /** When it was last switched on: what happened before that is not its doing. */
  activeSince: number;
  /** 1 when made, and one more with each change. */
  version: number;
  createdAt: number;
  createdBy: number | null;
  updatedAt: number;
  lastModifiedBy: number | null;
}

/** A flag as it was from `updatedAt` on, until its next version: what a user saw at some time can be told from these. */
export type FlagVersion = FeatureFlag;

/** A role whose members may edit one flag, although their role alone would not allow it. */
export interface FlagRoleAccess {
  id: number;
  projectId: number;
  flagId: number;
  roleId: string;
  addedAt: number;
  updatedAt: number;
}

export interface FlagStore {
  /** The id is given by the store; the first version is kept with it. */
  create(flag: Omit<FeatureFlag, 'id'>): Promise<FeatureFlag>;
  /** Deleted ones too. */
  get(projectId: number, id: number): Promise<FeatureFlag | null>;
  /** The one with that key that is not deleted. */
  getByKey(projectId: number, key: string): Promise<FeatureFlag | null>;
  /** Those that are not deleted, newest first. */
  listByProject(projectId: number): Promise<FeatureFlag[]>;
  /** Those of any project that carry rollback conditions, are active and not deleted. */
  listWithRollbackConditions(): Promise<FeatureFlag[]>;
  /** Writes the flag as it now is, and keeps it as a version. */
  update(flag: FeatureFlag): Promise<void>;
  /** Removes deleted flags with that key for good, with their role access; their versions stay. */
  purgeDeleted(projectId: number, key: string): Promise<void>;
  /** Oldest first. */
  listVersions(projectId: number, id: number): Promise<FlagVersion[]>;
  /** Of every flag that the project ever had, deleted ones too; each flag's oldest first. */
  listAllVersions(projectId: number): Promise<FlagVersion[]>;
}

export interface FlagRoleAccessStore {
  create(access: Omit<FlagRoleAccess, 'id'>): Promise<FlagRoleAccess>;
  get(flagId: number, id: number): Promise<FlagRoleAccess | null>;
  listByFlag(flagId: number): Promise<FlagRoleAccess[]>;
  /** What any of these roles have access to, deleted flags too. */
  listByRoles(roleIds: readonly string[]): Promise<(FlagRoleAccess & { flagKey: string; isDeleted: boolean })[]>;
  delete(id: number): Promise<void>;
}
