import { get, patch, post, projectPath } from './request.ts';
import type { Dashboard, DashboardChange, DashboardCreate, ListedDashboard, Page } from './types.ts';

export const listDashboards = async (projectId: number, signal?: AbortSignal): Promise<ListedDashboard[]> =>
  (await get<Page<ListedDashboard>>(projectPath(projectId, 'dashboards'), { limit: 1000 }, signal)).results;

export const readDashboard = (projectId: number, id: string, signal?: AbortSignal): Promise<Dashboard> =>
  get<Dashboard>(projectPath(projectId, 'dashboards', id), undefined, signal);

export const createDashboard = (projectId: number, body: DashboardCreate): Promise<Dashboard> =>
  post<Dashboard>(projectPath(projectId, 'dashboards'), body);

export const changeDashboard = (projectId: number, id: number, body: DashboardChange): Promise<Dashboard> =>
  patch<Dashboard>(projectPath(projectId, 'dashboards', id), body);
