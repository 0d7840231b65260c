/** Feature flags: the list, one of them and its versions, whom a change would touch, and who may edit it. */
import { get, patch, post, projectPath, type Query, remove, withQuery } from './request.ts';
import type { BlastRadius, EvaluationReasons, FeatureFlag, FlagRoleAccess, FlagVersion, Page } from './types.ts';

/** Fields to change; `version` is the one that the changes began with, so that nobody else's are undone. */
export type FlagChange = Record<string, unknown> & { version?: number };

const pathOf = (projectId: number, ...parts: (string | number)[]): string =>
  projectPath(projectId, 'feature_flags', ...parts);

export const listFlags = (projectId: number, query: Query, signal?: AbortSignal): Promise<Page<FeatureFlag>> =>
  get<Page<FeatureFlag>>(pathOf(projectId), query, signal);

export const readFlag = (projectId: number, id: number, signal?: AbortSignal): Promise<FeatureFlag> =>
  get<FeatureFlag>(pathOf(projectId, id), undefined, signal);

export const createFlag = (projectId: number, body: FlagChange): Promise<FeatureFlag> =>
  post<FeatureFlag>(pathOf(projectId), body);

export const changeFlag = (projectId: number, id: number, body: FlagChange): Promise<FeatureFlag> =>
  patch<FeatureFlag>(pathOf(projectId, id), body);

export const listVersions = (
  projectId: number,
  id: number,
  query: Query,
  signal?: AbortSignal,
): Promise<Page<FlagVersion>> => get<Page<FlagVersion>>(pathOf(projectId, id, 'versions'), query, signal);

/** `condition`: who meets it. `filters`: whom a flag reaches. With an `id`: whose value would change, a page of them. */
export interface ReachQuestion {
  condition?: { properties: readonly unknown[] };
  group_type_index?: number | null;
  id?: number;
  key?: string;
  filters?: Readonly<Record<string, unknown>>;
  active?: boolean;
  deleted?: boolean;
}

export const askReach = (
  projectId: number,
  body: ReachQuestion,
  query: Query = {},
  signal?: AbortSignal,
): Promise<BlastRadius> => post<BlastRadius>(withQuery(pathOf(projectId, 'user_blast_radius'), query), body, signal);

/** The value of every flag for somebody, by key, and why. `groups` by the name of their kind. */
export const explainFlags = (
  projectId: number,
  distinctId: string,
  groups: Readonly<Record<string, string>>,
  signal?: AbortSignal,
): Promise<EvaluationReasons> => {
  const query = { distinct_id: distinctId, groups: JSON.stringify(groups) };
  return get<EvaluationReasons>(pathOf(projectId, 'evaluation_reasons'), query, signal);
};

export const listRoleAccess = (
  projectId: number,
  flagId: number,
  signal?: AbortSignal,
): Promise<Page<FlagRoleAccess>> =>
  get<Page<FlagRoleAccess>>(pathOf(projectId, flagId, 'role_access'), { limit: 1000 }, signal);

export const giveRoleAccess = (projectId: number, flagId: number, roleId: string): Promise<FlagRoleAccess> =>
  post<FlagRoleAccess>(pathOf(projectId, flagId, 'role_access'), { role_id: roleId });

export const takeRoleAccess = (projectId: number, flagId: number, id: number): Promise<void> =>
  remove(pathOf(projectId, flagId, 'role_access', id));
