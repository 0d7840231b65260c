/** Dashboards: saved insights and texts, with one date range for all of them. */

import type { Caller } from '../../access/callers.ts';
import { type ActivityEntry, changesBetween, recordActivity } from '../../access/record-activity.ts';
import { invalid, notFound } from '../../core/errors.ts';
import type { Json } from '../../core/json/json.ts';
import { cleanTags } from '../../core/tags.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Ids } from '../../lib/ids.ts';
import type { Project } from '../../stores/metadata/accounts.ts';
import type { MetadataStore } from '../../stores/metadata/metadata-store.ts';
import type { Dashboard, DashboardTile } from './store/dashboard-store.ts';
import type { SavedInsight } from './store/saved-insight-store.ts';

export interface DashboardDeps {
  metadata: MetadataStore;
  clock: Clock;
  ids: Ids;
}

/** A change of one tile, identified by its id or its insight; a text without an id is a new tile. */
export interface TileChange
  extends Partial<Pick<DashboardTile, 'id' | 'insightId' | 'order' | 'layouts' | 'color' | 'body'>> {
  /** True: the tile is removed. */
  deleted?: boolean;
}

export interface DashboardChanges
  extends Partial<Pick<Dashboard, 'name' | 'description' | 'pinned' | 'deleted' | 'filters' | 'tags'>> {
  /** Other tiles stay as they are. */
  tiles?: readonly TileChange[];
}

export const DASHBOARD_SCOPE = 'Dashboard';
/** Each tile is a query. */
const MAX_TILES = 100;

export function createDashboard(
  deps: DashboardDeps,
  caller: Caller,
  project: Project,
  { tiles = [], ...changes }: DashboardChanges,
): Promise<Dashboard> {
  return deps.metadata.transaction(async (store) => {
    const now = deps.clock.now();
    const dashboard = await store.dashboards.create({
      projectId: project.id,
      name: '',
      description: '',
      pinned: false,
      deleted: false,
      filters: {},
      ...changes,
      tags: cleanTags(changes.tags ?? []),
      createdAt: now,
      createdBy: caller.user.id,
      updatedAt: now,
    });
    await changeTiles(store, dashboard, tiles);
    await recordActivity(deps, store, { ...about(caller, project, dashboard), activity: 'created', changes: null });
    return dashboard;
  });
}

/** Only what is given changes. */
export function updateDashboard(
  deps: DashboardDeps,
  caller: Caller,
  project: Project,
  id: number,
  { tiles = [], ...changes }: DashboardChanges,
): Promise<Dashboard> {
  return deps.metadata.transaction(async (store) => {
    const before = await getDashboardOrDeleted(store, project.id, id);
    const shown = visible(before, await store.dashboards.listTiles(id));
    const tags = changes.tags === undefined ? before.tags : cleanTags(changes.tags);
    const after = { ...before, ...changes, tags, updatedAt: deps.clock.now() };
    await store.dashboards.update(after);
    await changeTiles(store, after, tiles);
    const differences = changesBetween(DASHBOARD_SCOPE, shown, visible(after, await store.dashboards.listTiles(id)));
    await recordActivity(deps, store, { ...about(caller, project, after), activity: 'updated', changes: differences });
    return after;
  });
}

export async function getDashboard(store: MetadataStore, projectId: number, id: number): Promise<Dashboard> {
  const dashboard = await getDashboardOrDeleted(store, projectId, id);
  if (dashboard.deleted) throw notFound();
  return dashboard;
}

/** Also a deleted one: it can be restored, and has a history. */
export async function getDashboardOrDeleted(store: MetadataStore, projectId: number, id: number): Promise<Dashboard> {
  const dashboard = await store.dashboards.get(projectId, id);
  if (!dashboard) throw notFound();
  return dashboard;
}

/** Adds an insight to these dashboards and removes it from all others, in the transaction that changes the insight. */
export async function setInsightDashboards(
  deps: DashboardDeps,
  store: MetadataStore,
  caller: Caller,
  project: Project,
  insight: SavedInsight,
  wanted: readonly number[],
): Promise<{ before: number[]; after: number[] }> {
  const tiles = await store.dashboards.listTilesByInsights(project.id, [insight.id]);
  const before = tiles.map(({ dashboardId }) => dashboardId);
  const after = [...new Set(wanted)].sort((a, b) => a - b);
  for (const id of new Set([...before, ...after])) {
    if (before.includes(id) && after.includes(id)) continue;
    const dashboard = await store.dashboards.get(project.id, id);
    if (!dashboard || dashboard.deleted) throw invalid('dashboards', `There is no dashboard ${id}.`, 'does_not_exist');
    const shown = visible(dashboard, await store.dashboards.listTiles(id));
    await changeTiles(store, dashboard, [{ insightId: insight.id, deleted: before.includes(id) }]);
    const changes = changesBetween(DASHBOARD_SCOPE, shown, visible(dashboard, await store.dashboards.listTiles(id)));
    await recordActivity(deps, store, { ...about(caller, project, dashboard), activity: 'updated', changes });
  }
  return { before, after };
}

async function changeTiles(store: MetadataStore, dashboard: Dashboard, changes: readonly TileChange[]): Promise<void> {
  for (const [at, change] of changes.entries()) {
    const tiles = await store.dashboards.listTiles(dashboard.id);
    const tile = tiles.find((one) => isMeant(one, change));
    if (tile !== undefined) await changeTile(store, tile, change, at);
    else if (change.id !== undefined) throw invalid(`tiles__${at}__id`, `There is no tile ${change.id} here.`);
    else if (change.deleted !== true) await addTile(store, dashboard, tiles, change, at);
  }
}

const isMeant = (tile: DashboardTile, { id, insightId }: TileChange): boolean =>
  id === undefined ? insightId !== undefined && insightId === tile.insightId : id === tile.id;

async function changeTile(
  { dashboards }: MetadataStore,
  tile: DashboardTile,
  { order = tile.order, layouts = tile.layouts, color = tile.color, body = tile.body, deleted = false }: TileChange,
  at: number,
): Promise<void> {
  if (deleted) return dashboards.deleteTile(tile.id);
  if ((tile.body === null) !== (body === null)) {
    throw invalid(`tiles__${at}__text`, 'A tile shows either an insight or a text. Add another tile.');
  }
  await dashboards.updateTile({ ...tile, order, layouts, color, body });
}

/** At the end, unless an order is given. */
async function addTile(
  store: MetadataStore,
  { id: dashboardId, projectId }: Dashboard,
  tiles: readonly DashboardTile[],
  { insightId = null, order, layouts = {}, color = null, body = null }: TileChange,
  at: number,
): Promise<void> {
  if (insightId !== null && body !== null) throw invalid(`tiles__${at}__text`, 'Send an insight or a text, not both.');
  const insight = insightId === null ? null : await store.insights.get(projectId, insightId);
  if (!insight && body === null) {
    throw invalid(`tiles__${at}__insight`, 'A new tile needs an insight of this project, or a text.');
  }
  if (tiles.length >= MAX_TILES) throw invalid('tiles', `A dashboard has at most ${MAX_TILES} tiles.`, 'max_length');
  const last = tiles.at(-1)?.order ?? -1;
  await store.dashboards.createTile({
    projectId,
    dashboardId,
    insightId: insight?.id ?? null,
    order: order ?? last + 1,
    layouts,
    color,
    body,
  });
}

const visible = (dashboard: Dashboard, tiles: readonly DashboardTile[]): Record<string, Json> => ({
  name: dashboard.name,
  description: dashboard.description,
  pinned: dashboard.pinned,
  deleted: dashboard.deleted,
  filters: dashboard.filters,
  tags: dashboard.tags,
  tiles: tiles.map(({ insightId, order, layouts, color, body }) => ({
    ...(body === null ? { insight: insightId } : { text: body }),
    order,
    layouts,
    color,
  })),
});

const about = (caller: Caller, project: Project, dashboard: Dashboard) =>
  ({
    organizationId: project.organizationId,
    projectId: project.id,
    userId: caller.user.id,
    scope: DASHBOARD_SCOPE,
    itemId: String(dashboard.id),
    name: dashboard.name,
  }) satisfies Partial<ActivityEntry>;
