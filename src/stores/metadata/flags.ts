/** Feature flags, their versions and role access. Times are ms UTC. */
import type { BucketingIdentifier, EvaluationRuntime } from '../../core/flag-options.ts';
import type { Json, JsonObject } from '../../core/json/json.ts';

export interface FeatureFlag {
  id: number;
  projectId: number;
  key: string;
  /** The description; the API calls it name. */
  name: string;
  /** As sent; `features/flags/rules` interprets it. */
  filters: JsonObject;
  active: boolean;
  /** Deleted flags are kept until their key is used again. */
  deleted: boolean;
  ensureExperienceContinuity: boolean;
  /** When the flag turns itself off, or null. */
  rollbackConditions: Json;
  performedRollback: boolean | null;
  tags: string[];
  evaluationRuntime: EvaluationRuntime;
  bucketingIdentifier: BucketingIdentifier;
  /** True: the flag only serves its payload, which clients request by key. */
  isRemoteConfiguration: boolean;
  /** The flag of another project that it was last promoted from, and the version of that; null if it never was. */
  promotedFrom: PromotedFrom | null;
  /** When it was last turned on. */
  activeSince: number;
  /** Starts at 1, plus one for each change. */
  version: number;
  createdAt: number;
  createdBy: number | null;
  updatedAt: number;
  lastModifiedBy: number | null;
}

interface PromotedFrom {
  project: number;
  flag: number;
  version: number;
}

/** A flag as it was from `updatedAt` until its next version. */
export type FlagVersion = FeatureFlag;

/** Lets the members of a role edit one flag that their role alone would not let them edit. */
export interface FlagRoleAccess {
  id: number;
  projectId: number;
  flagId: number;
  roleId: string;
  addedAt: number;
  updatedAt: number;
}

export interface FlagStore {
  /** Assigns the id and stores the first version. */
  create(flag: Omit<FeatureFlag, 'id'>): Promise<FeatureFlag>;
  /** Includes deleted flags. */
  get(projectId: number, id: number): Promise<FeatureFlag | null>;
  /** Only flags that are not deleted. */
  getByKey(projectId: number, key: string): Promise<FeatureFlag | null>;
  /** Without deleted flags, newest first. */
  listByProject(projectId: number): Promise<FeatureFlag[]>;
  /** Only deleted flags, the last changed first. */
  listDeleted(projectId: number): Promise<FeatureFlag[]>;
  /** Active flags of all projects that have rollback conditions. */
  listWithRollbackConditions(): Promise<FeatureFlag[]>;
  /** Writes the flag and stores it as a version. */
  update(flag: FeatureFlag): Promise<void>;
  /** Removes deleted flags with that key and their role access; versions stay. */
  purgeDeleted(projectId: number, key: string): Promise<void>;
  /** Oldest first. */
  listVersions(projectId: number, id: number): Promise<FlagVersion[]>;
  /** Of every flag of the project, deleted ones included; each flag's oldest first. */
  listAllVersions(projectId: number): Promise<FlagVersion[]>;
}

export interface FlagRoleAccessStore {
  create(access: Omit<FlagRoleAccess, 'id'>): Promise<FlagRoleAccess>;
  get(flagId: number, id: number): Promise<FlagRoleAccess | null>;
  listByFlag(flagId: number): Promise<FlagRoleAccess[]>;
  /** Includes access to deleted flags. */
  listByRoles(roleIds: readonly string[]): Promise<(FlagRoleAccess & { flagKey: string; isDeleted: boolean })[]>;
  delete(id: number): Promise<void>;
}
