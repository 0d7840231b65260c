/** Saved insights as the API returns them, with their authors, dashboards and, if requested, results. */
import type { FastifyReply } from 'fastify';
import type { JsonObject } from '../../../core/json/json.ts';
import { usersById } from '../../../http/api/activity-list.ts';
import { type Query, queryText } from '../../../http/paging.ts';
import type { Project } from '../../../stores/metadata/accounts.ts';
import type { MetadataStore } from '../../../stores/metadata/metadata-store.ts';
import { answerSavedInsight, startQuery } from '../../insights/api/run-query.ts';
import { withDashboardFilters } from '../rules/with-dashboard-filters.ts';
import type { DashboardTile } from '../store/dashboard-store.ts';
import type { SavedInsight } from '../store/saved-insight-store.ts';
import type { DashboardApiDeps } from './deps.ts';
import {
  NO_ANSWER,
  type PresentedWith,
  presentSavedInsight,
  type SavedInsightAnswer,
} from './saved-insight-schemas.ts';

type InsightContext = Omit<PresentedWith, 'answer' | 'filters'>;

/** What insights are presented with, looked up for all of them at once. */
export async function insightContexts(
  metadata: MetadataStore,
  project: Project,
  insights: readonly SavedInsight[],
): Promise<(insight: SavedInsight) => InsightContext> {
  const users = await usersById(
    metadata,
    insights.flatMap(({ createdBy, lastModifiedBy }) => [createdBy, lastModifiedBy]),
  );
  const tiles = await tilesById(metadata, project.id, insights);
  return ({ id }) => ({ users, tiles: tiles.get(id) ?? [], timezone: project.timezone });
}

/** The tiles of each insight, on dashboards that are not deleted. */
export async function tilesById(
  { dashboards }: MetadataStore,
  projectId: number,
  insights: readonly Pick<SavedInsight, 'id'>[],
): Promise<ReadonlyMap<number, DashboardTile[]>> {
  const tiles = await dashboards.listTilesByInsights(
    projectId,
    insights.map(({ id }) => id),
  );
  const byInsight = new Map<number, DashboardTile[]>();
  for (const tile of tiles) {
    const id = tile.insightId;
    if (id !== null) byInsight.set(id, [...(byInsight.get(id) ?? []), tile]);
  }
  return byInsight;
}

/** Lists have no results: they are for one insight or one dashboard. */
export async function presentInsights(metadata: MetadataStore, project: Project, insights: readonly SavedInsight[]) {
  const settingOf = await insightContexts(metadata, project, insights);
  return insights.map((insight) => presentSavedInsight(insight, { ...settingOf(insight), answer: NO_ANSWER }));
}

/** With the filters of the dashboard that it is viewed on. */
export async function presentOneInsight(
  deps: DashboardApiDeps,
  reply: FastifyReply,
  project: Project,
  insight: SavedInsight,
  { refresh, dashboard = {} }: { refresh: boolean; dashboard?: JsonObject },
) {
  const settingOf = await insightContexts(deps.metadata, project, [insight]);
  const filters = withDashboardFilters(insight.filters, dashboard);
  const answer = refresh ? await freshAnswer(deps, reply, project, filters) : NO_ANSWER;
  return presentSavedInsight(insight, { ...settingOf(insight), filters, answer });
}

/** Always computed; cached for other requests. */
export async function freshAnswer(
  deps: DashboardApiDeps,
  reply: FastifyReply,
  project: Project,
  filters: JsonObject,
): Promise<SavedInsightAnswer> {
  const run = startQuery(deps, { project, reply }, { refresh: true });
  return { result: await answerSavedInsight(run, filters), ...run.freshness() };
}

/** `refresh`, `refresh=` and `refresh=true` request a result. */
export const asksToRefresh = (query: Query): boolean => queryText(query, 'refresh') === '' || isTrue(query, 'refresh');

/** `basic=true`: everything but the result. */
export const isBasic = (query: Query): boolean => isTrue(query, 'basic');

const isTrue = (query: Query, name: string): boolean =>
  ['true', '1', 'yes', 'y', 't', 'on'].includes(queryText(query, name)?.toLowerCase() ?? '');

export const withoutResult = <T extends { result: unknown }>({ result: _, ...insight }: T): Omit<T, 'result'> =>
  insight;
