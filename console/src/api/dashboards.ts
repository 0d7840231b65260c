import type { Static } from '@sinclair/typebox';
import type {
  DashboardChangeSchema,
  DashboardCreateSchema,
  DashboardSchema,
  ListedDashboardSchema,
} from '../../../src/features/dashboards/api/dashboard-schemas.ts';
import { get, type Paged, patch, post, projectPath } from './request.ts';

export type Dashboard = Static<typeof DashboardSchema>;
export type DashboardTile = Dashboard['tiles'][number];
export type ListedDashboard = Static<typeof ListedDashboardSchema>;
export type DashboardChange = Static<typeof DashboardChangeSchema>;
type DashboardCreate = Static<typeof DashboardCreateSchema>;

export const listDashboards = async (projectId: number, signal?: AbortSignal): Promise<ListedDashboard[]> =>
  (await get<Paged<ListedDashboard>>(projectPath(projectId, 'dashboards'), { limit: 1000 }, signal)).results;

export const getDashboard = (projectId: number, id: string, signal?: AbortSignal): Promise<Dashboard> =>
  get<Dashboard>(projectPath(projectId, 'dashboards', id), undefined, signal);

export const createDashboard = (projectId: number, body: DashboardCreate): Promise<Dashboard> =>
  post<Dashboard>(projectPath(projectId, 'dashboards'), body);

export const updateDashboard = (projectId: number, id: number, body: DashboardChange): Promise<Dashboard> =>
  patch<Dashboard>(projectPath(projectId, 'dashboards', id), body);

/** The same insights and texts in the same layout. */
export const copyDashboard = (
  projectId: number,
  { name, description, filters, tiles }: Dashboard,
): Promise<Dashboard> =>
  createDashboard(projectId, {
    name: `${name.slice(0, 390)} (copy)`,
    description,
    filters,
    tiles: tiles.map(({ insight, text, order, layouts, color }) => ({
      ...(insight === null ? { text } : { insight: insight.id }),
      order,
      layouts,
      color,
    })),
  });
