/** Signing in and out, and who one is. */
import { get, patch, post } from './request.ts';
import type { Page, Project, ProjectBasic, ProjectWrite, SetUp, SignedIn, SignIn, User } from './types.ts';

export const readMe = (signal?: AbortSignal): Promise<User> => get<User>('/api/users/@me/', undefined, signal);
/** Of every organization that one belongs to. */
export const listProjects = async (signal?: AbortSignal): Promise<ProjectBasic[]> =>
  (await get<Page<ProjectBasic>>('/api/projects/', { limit: 1000 }, signal)).results;
export const signIn = (body: SignIn): Promise<SignedIn> => post<SignedIn>('/api/login/', body);
export const setUp = (body: SetUp): Promise<SignedIn> => post<SignedIn>('/api/setup/', body);
export const signOut = (): Promise<void> => post('/api/logout/');
export const chooseProject = (id: number): Promise<User> => patch<User>('/api/users/@me/', { set_current_team: id });

export const createProject = (body: ProjectWrite): Promise<Project> => post<Project>('/api/projects/', body);
export const changeProject = (id: number, body: ProjectWrite): Promise<Project> =>
  patch<Project>(`/api/projects/${id}/`, body);
