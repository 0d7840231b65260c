/** Dashboards: saved insights side by side, on the relational shelf. Times are ms UTC. */
import type { JsonObject } from '../../core/json/json.ts';
import type { Page, Paged } from './page.ts';

export interface Dashboard {
  id: number;
  projectId: number;
  name: string;
  description: string;
  pinned: boolean;
  deleted: boolean;
  /** A range of dates that counts instead of each insight's own: `date_from`, `date_to`. */
  filters: JsonObject;
  tags: string[];
  createdAt: number;
  createdBy: number | null;
  updatedAt: number;
}

/** An insight in its place on a dashboard. */
export interface DashboardTile {
  id: number;
  projectId: number;
  dashboardId: number;
  insightId: number;
  /** Tiles come in this order; those with the same one by their ids. */
  order: number;
  /** Where it lies, for each width of a screen: only the client knows what that means. */
  layouts: JsonObject;
  color: string | null;
}

export interface DashboardStore {
  create(dashboard: Omit<Dashboard, 'id'>): Promise<Dashboard>;
  /** A deleted one too. */
  get(projectId: number, id: number): Promise<Dashboard | null>;
  /** Those that are not deleted: the pinned ones first, then by name. */
  list(projectId: number, page: Page): Promise<Paged<Dashboard>>;
  update(dashboard: Dashboard): Promise<void>;
  /** In their order. */
  listTiles(dashboardId: number): Promise<DashboardTile[]>;
  /** Tiles of these insights on dashboards that are not deleted, by dashboard. */
  listTilesByInsights(projectId: number, insightIds: readonly number[]): Promise<DashboardTile[]>;
  createTile(tile: Omit<DashboardTile, 'id'>): Promise<DashboardTile>;
  updateTile(tile: DashboardTile): Promise<void>;
  deleteTile(id: number): Promise<void>;
}
