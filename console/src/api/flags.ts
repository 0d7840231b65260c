/** Feature flags, their versions, blast radius, evaluation and role access. */
import type { Static } from '@sinclair/typebox';
import type {
  BlastRadiusSchema,
  EvaluationReasonsSchema,
} from '../../../src/features/flags/api/flag-evaluation-schemas.ts';
import type { FlagRoleAccessSchema } from '../../../src/features/flags/api/flag-role-access-schemas.ts';
import type { FeatureFlagSchema } from '../../../src/features/flags/api/flag-schemas.ts';
import type { FlagVersionSchema } from '../../../src/features/flags/api/flag-version-schemas.ts';
import { get, type Paged, patch, post, projectPath, type Query, remove, withQuery } from './request.ts';

export type FeatureFlag = Static<typeof FeatureFlagSchema>;
export type FlagVersion = Static<typeof FlagVersionSchema>;
export type FlagRoleAccess = Static<typeof FlagRoleAccessSchema>;
export type BlastRadius = Static<typeof BlastRadiusSchema>;
type Evaluations = Static<typeof EvaluationReasonsSchema>;
export type Evaluation = Evaluations[string];

/** Fields to change. `version` is the version that was edited; the server rejects the change if it is outdated. */
type FlagChange = Record<string, unknown> & { version?: number };

const pathOf = (projectId: number, ...parts: (string | number)[]): string =>
  projectPath(projectId, 'feature_flags', ...parts);

export const listFlags = (projectId: number, query: Query, signal?: AbortSignal): Promise<Paged<FeatureFlag>> =>
  get<Paged<FeatureFlag>>(pathOf(projectId), query, signal);

export const getFlag = (projectId: number, id: number, signal?: AbortSignal): Promise<FeatureFlag> =>
  get<FeatureFlag>(pathOf(projectId, id), undefined, signal);

export const createFlag = (projectId: number, body: FlagChange): Promise<FeatureFlag> =>
  post<FeatureFlag>(pathOf(projectId), body);

export const updateFlag = (projectId: number, id: number, body: FlagChange): Promise<FeatureFlag> =>
  patch<FeatureFlag>(pathOf(projectId, id), body);

/** Off for everyone; `isArchived` false brings them back. All or none. */
export const archiveFlags = (projectId: number, ids: readonly number[], isArchived: boolean): Promise<unknown> =>
  post(pathOf(projectId, 'bulk_archive'), { ids, archived: isArchived });

/** Whether code that asks for the flag can be removed. */
export interface FlagRemoval {
  status: string;
  reason: string;
  safe_to_remove: boolean;
  seen_in: string[];
}

export const getFlagRemoval = (projectId: number, id: number, signal?: AbortSignal): Promise<FlagRemoval> =>
  get<FlagRemoval>(pathOf(projectId, id, 'status'), undefined, signal);

interface Rehash {
  version: number;
  /** Without the bucketing of another product. */
  filters: Record<string, unknown>;
}

/** Without the `version` of the plan, it is only planned. */
export const rehashFlag = (
  projectId: number,
  id: number,
  body: { version?: number },
  signal?: AbortSignal,
): Promise<Rehash> => post<Rehash>(pathOf(projectId, id, 'rehash'), body, signal);

export const listFlagVersions = (
  projectId: number,
  id: number,
  query: Query,
  signal?: AbortSignal,
): Promise<Paged<FlagVersion>> => get<Paged<FlagVersion>>(pathOf(projectId, id, 'versions'), query, signal);

/** `condition`: who matches it. `filters`: who gets the flag. With an `id`: whose value would change, page by page. */
export interface BlastRadiusQuery {
  condition?: { properties: readonly unknown[] };
  group_type_index?: number | null;
  id?: number;
  key?: string;
  filters?: Readonly<Record<string, unknown>>;
  active?: boolean;
  deleted?: boolean;
}

export const getBlastRadius = (
  projectId: number,
  body: BlastRadiusQuery,
  query: Query = {},
  signal?: AbortSignal,
): Promise<BlastRadius> => post<BlastRadius>(withQuery(pathOf(projectId, 'user_blast_radius'), query), body, signal);

/** The value of every flag for a distinct ID, by flag key, with the reason. `groups` maps group types to keys. */
export const evaluateFlags = (
  projectId: number,
  distinctId: string,
  groups: Readonly<Record<string, string>> = {},
  signal?: AbortSignal,
): Promise<Evaluations> => {
  const query = { distinct_id: distinctId, groups: JSON.stringify(groups) };
  return get<Evaluations>(pathOf(projectId, 'evaluation_reasons'), query, signal);
};

export const listRoleAccess = (
  projectId: number,
  flagId: number,
  signal?: AbortSignal,
): Promise<Paged<FlagRoleAccess>> =>
  get<Paged<FlagRoleAccess>>(pathOf(projectId, flagId, 'role_access'), { limit: 1000 }, signal);

export const grantRoleAccess = (projectId: number, flagId: number, roleId: string): Promise<FlagRoleAccess> =>
  post<FlagRoleAccess>(pathOf(projectId, flagId, 'role_access'), { role_id: roleId });

export const revokeRoleAccess = (projectId: number, flagId: number, id: number): Promise<void> =>
  remove(pathOf(projectId, flagId, 'role_access', id));

export type UsageOrigin = 'server' | 'sdk';

export interface UsageSource {
  name: string;
  versions: { version: string | null; last_seen_at: string; count: number }[];
}

export interface FlagUsage {
  results: { label: string; days: string[]; data: number[] }[];
  total: number;
  sources: UsageSource[];
}

export const getFlagUsage = (
  projectId: number,
  flagId: number,
  query: { origin: UsageOrigin },
  signal?: AbortSignal,
): Promise<FlagUsage> => get<FlagUsage>(pathOf(projectId, flagId, 'usage'), query, signal);
