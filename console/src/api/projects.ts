import type { Static } from '@sinclair/typebox';
import type {
  ProjectBasicSchema,
  ProjectSchema,
  ProjectWithSecretSchema,
  ProjectWriteSchema,
} from '../../../src/features/accounts/api/project-schemas.ts';
import { get, type Paged, patch, post, projectPath, remove } from './request.ts';

export type ProjectBasic = Static<typeof ProjectBasicSchema>;
export type Project = Static<typeof ProjectSchema>;
export type ProjectWrite = Static<typeof ProjectWriteSchema>;

/** The projects of every organization that the user belongs to. */
export const listProjects = async (signal?: AbortSignal): Promise<ProjectBasic[]> =>
  (await get<Paged<ProjectBasic>>('/api/projects/', { limit: 1000 }, signal)).results;
export const getProject = (id: number, signal?: AbortSignal): Promise<Project> =>
  get<Project>(projectPath(id), undefined, signal);
export const createProject = (body: ProjectWrite): Promise<Project> => post<Project>('/api/projects/', body);
export const updateProject = (id: number, body: ProjectWrite): Promise<Project> =>
  patch<Project>(projectPath(id), body);
export const deleteProject = (id: number): Promise<void> => remove(projectPath(id));

export const resetProjectKey = (id: number): Promise<Project> => patch<Project>(projectPath(id, 'reset_token'), {});
export const rotateSecretKey = (id: number): Promise<Static<typeof ProjectWithSecretSchema>> =>
  patch(projectPath(id, 'rotate_secret_token'), {});

export interface SecretKey {
  id: string;
  label: string;
  mask_value: string;
  created_at: string;
  created_by: { first_name: string; email: string } | null;
  last_rolled_at: string | null;
}
export interface NewSecretKey extends SecretKey {
  value: string;
}

export const listSecretKeys = (id: number, signal?: AbortSignal): Promise<SecretKey[]> =>
  get<SecretKey[]>(projectPath(id, 'secret_keys'), {}, signal);
export const createSecretKey = (id: number, label: string): Promise<NewSecretKey> =>
  post<NewSecretKey>(projectPath(id, 'secret_keys'), { label });
export const rollSecretKey = (id: number, key: string): Promise<NewSecretKey> =>
  post<NewSecretKey>(projectPath(id, 'secret_keys', key, 'roll'), {});
export const deleteSecretKey = (id: number, key: string): Promise<void> => remove(projectPath(id, 'secret_keys', key));
