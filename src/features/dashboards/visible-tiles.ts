import type { MetadataStore } from '../../stores/metadata/metadata-store.ts';
import type { Dashboard, DashboardTile } from './store/dashboard-store.ts';
import type { SavedInsight } from './store/saved-insight-store.ts';

/** Tiles of deleted insights are left out until the insight is restored. */
export async function visibleTiles({ dashboards, insights }: MetadataStore, { id, projectId }: Dashboard) {
  const tiles = await dashboards.listTiles(id);
  const ids = tiles.flatMap(({ insightId }) => insightId ?? []);
  const known = new Map((await insights.listByIds(projectId, ids)).map((insight) => [insight.id, insight]));
  return tiles.flatMap((tile): { tile: DashboardTile; insight: SavedInsight | null }[] => {
    if (tile.insightId === null) return [{ tile, insight: null }];
    const insight = known.get(tile.insightId);
    return insight === undefined || insight.deleted ? [] : [{ tile, insight }];
  });
}
