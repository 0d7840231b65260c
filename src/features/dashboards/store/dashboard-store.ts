/** Dashboards and their tiles. Times are in ms UTC. */
import type { Generated, Insertable, Selectable } from 'kysely';
import type { JsonObject } from '../../../core/json/json.ts';
import type { Page, Paged } from '../../../stores/metadata/page.ts';
import { parseStoredJson } from '../../../stores/sql/json-text.ts';
import { paged } from '../../../stores/sql/paging.ts';
import { type Sql, type Tables, toBit } from '../../../stores/sql/tables.ts';

declare module '../../../stores/metadata/metadata-store.ts' {
  interface FeatureStores {
    readonly dashboards: DashboardStore;
  }
}

declare module '../../../stores/sql/tables.ts' {
  interface Tables {
    dashboards: {
      id: Generated<number>;
      projectId: number;
      name: string;
      description: string;
      pinned: Flag;
      deleted: Flag;
      filters: string;
      tags: string;
      createdAt: number;
      createdBy: number | null;
      updatedAt: number;
    };
    dashboardTiles: {
      id: Generated<number>;
      projectId: number;
      dashboardId: number;
      insightId: number | null;
      order: number;
      layouts: string;
      color: string | null;
      body: string | null;
    };
  }
}

export interface Dashboard {
  id: number;
  projectId: number;
  name: string;
  description: string;
  pinned: boolean;
  deleted: boolean;
  /** Dates that replace those of each insight: `date_from`, `date_to`. */
  filters: JsonObject;
  tags: string[];
  createdAt: number;
  createdBy: number | null;
  updatedAt: number;
}

/** An insight or a text on a dashboard. */
export interface DashboardTile {
  id: number;
  projectId: number;
  dashboardId: number;
  /** Null: a text. */
  insightId: number | null;
  /** Ties are ordered by id. */
  order: number;
  /** Positions for each screen width; only the client uses them. */
  layouts: JsonObject;
  color: string | null;
  /** The text, in Markdown; null: an insight. */
  body: string | null;
}

interface DashboardStore {
  create(dashboard: Omit<Dashboard, 'id'>): Promise<Dashboard>;
  /** Also a deleted one. */
  get(projectId: number, id: number): Promise<Dashboard | null>;
  /** Without deleted ones; pinned first, then by name. */
  list(projectId: number, page: Page): Promise<Paged<Dashboard>>;
  update(dashboard: Dashboard): Promise<void>;
  /** In their order. */
  listTiles(dashboardId: number): Promise<DashboardTile[]>;
  /** Tiles of these insights on dashboards that are not deleted. */
  listTilesByInsights(projectId: number, insightIds: readonly number[]): Promise<DashboardTile[]>;
  createTile(tile: Omit<DashboardTile, 'id'>): Promise<DashboardTile>;
  updateTile(tile: DashboardTile): Promise<void>;
  deleteTile(id: number): Promise<void>;
}

const toDashboard = (row: Selectable<Tables['dashboards']>): Dashboard => ({
  ...row,
  id: Number(row.id),
  pinned: row.pinned === 1,
  deleted: row.deleted === 1,
  filters: parseStoredJson(row.filters) as JsonObject,
  tags: JSON.parse(row.tags),
});

const toColumns = (dashboard: Omit<Dashboard, 'id'>): Insertable<Tables['dashboards']> => ({
  ...dashboard,
  pinned: toBit(dashboard.pinned),
  deleted: toBit(dashboard.deleted),
  filters: JSON.stringify(dashboard.filters),
  tags: JSON.stringify(dashboard.tags),
});

const toTile = (row: Selectable<Tables['dashboardTiles']>): DashboardTile => ({
  ...row,
  id: Number(row.id),
  dashboardId: Number(row.dashboardId),
  insightId: row.insightId === null ? null : Number(row.insightId),
  order: Number(row.order),
  layouts: parseStoredJson(row.layouts) as JsonObject,
});

const tileColumns = (tile: Omit<DashboardTile, 'id'>): Insertable<Tables['dashboardTiles']> => ({
  ...tile,
  layouts: JSON.stringify(tile.layouts),
});

export function dashboardStore({ db }: Sql): DashboardStore {
  const ofProject = (projectId: number) => db.selectFrom('dashboards').where('projectId', '=', projectId);
  const living = (projectId: number) => ofProject(projectId).where('deleted', '=', 0);
  return {
    async create(dashboard) {
      const row = await db
        .insertInto('dashboards')
        .values(toColumns(dashboard))
        .returningAll()
        .executeTakeFirstOrThrow();
      return toDashboard(row);
    },
    async get(projectId, id) {
      const row = await ofProject(projectId).selectAll().where('id', '=', id).executeTakeFirst();
      return row ? toDashboard(row) : null;
    },
    list: (projectId, page) =>
      paged(living(projectId).selectAll().orderBy('pinned', 'desc').orderBy('name').orderBy('id'), page, toDashboard),
    async update({ id, ...dashboard }) {
      await db.updateTable('dashboards').set(toColumns(dashboard)).where('id', '=', id).execute();
    },
    async listTiles(dashboardId) {
      const rows = await db
        .selectFrom('dashboardTiles')
        .selectAll()
        .where('dashboardId', '=', dashboardId)
        .orderBy('order')
        .orderBy('id')
        .execute();
      return rows.map(toTile);
    },
    async listTilesByInsights(projectId, insightIds) {
      if (insightIds.length === 0) return [];
      const rows = await db
        .selectFrom('dashboardTiles')
        .selectAll()
        .where('projectId', '=', projectId)
        .where('insightId', 'in', insightIds)
        .where('dashboardId', 'in', living(projectId).select('id'))
        .orderBy('dashboardId')
        .execute();
      return rows.map(toTile);
    },
    async createTile(tile) {
      const row = await db
        .insertInto('dashboardTiles')
        .values(tileColumns(tile))
        .returningAll()
        .executeTakeFirstOrThrow();
      return toTile(row);
    },
    async updateTile({ id, ...tile }) {
      await db.updateTable('dashboardTiles').set(tileColumns(tile)).where('id', '=', id).execute();
    },
    async deleteTile(id) {
      await db.deleteFrom('dashboardTiles').where('id', '=', id).execute();
    },
  };
}
