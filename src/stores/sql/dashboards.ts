import type { Insertable, Selectable } from 'kysely';
import type { JsonObject } from '../../core/json/json.ts';
import type { Dashboard, DashboardStore, DashboardTile } from '../metadata/dashboards.ts';
import { parseStoredJson } from './json-text.ts';
import { paged } from './paging.ts';
import { toBit as bit, type Sql, type Tables } from './tables.ts';

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
  pinned: bit(dashboard.pinned),
  deleted: bit(dashboard.deleted),
  filters: JSON.stringify(dashboard.filters),
  tags: JSON.stringify(dashboard.tags),
});

const toTile = (row: Selectable<Tables['dashboardTiles']>): DashboardTile => ({
  ...row,
  id: Number(row.id),
  dashboardId: Number(row.dashboardId),
  insightId: Number(row.insightId),
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
      paged(
        {
          count: () =>
            living(projectId)
              .select((eb) => eb.fn.countAll().as('count'))
              .executeTakeFirst(),
          rows: ({ limit, offset }) =>
            living(projectId)
              .selectAll()
              .orderBy('pinned', 'desc')
              .orderBy('name')
              .orderBy('id')
              .limit(limit)
              .offset(offset)
              .execute(),
        },
        page,
        toDashboard,
      ),
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
