/** Saved insights as the API returns them, with their authors, dashboards and, if requested, results. */
import type { FastifyReply } from 'fastify';
import type { Caller } from '../../../access/callers.ts';
import type { JsonObject } from '../../../core/json/json.ts';
import { usersById } from '../../../http/api/activity-list.ts';
import { callerSignal } from '../../../http/api/caller-signal.ts';
import { type Query, queryText } from '../../../http/paging.ts';
import { iso } from '../../../http/schemas/common.ts';
import type { Project } from '../../../stores/metadata/accounts.ts';
import type { MetadataStore } from '../../../stores/metadata/metadata-store.ts';
import { answerSavedInsight, startQuery } from '../../insights/api/run-query.ts';
import { withFiltersOf } from '../../sql/rules/saved-query.ts';
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

type InsightContext = Omit<PresentedWith, 'answer' | 'filters' | 'query'>;

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

/** Who asks for insights, and where the answer goes. */
export interface Asker {
  caller: Caller;
  project: Project;
  reply: FastifyReply;
}

type SavedQuestion = Pick<SavedInsight, 'filters' | 'query'>;

/** With the filters of a dashboard. */
export const questionOn = ({ filters, query }: SavedQuestion, dashboard: JsonObject): SavedQuestion =>
  query === null
    ? { filters: withDashboardFilters(filters, dashboard), query }
    : { filters, query: withFiltersOf(query, dashboard) };

/** With the filters of the dashboard that it is viewed on. */
export async function presentOneInsight(
  deps: DashboardApiDeps,
  asker: Asker,
  insight: SavedInsight,
  { refresh, dashboard = {} }: { refresh: boolean; dashboard?: JsonObject },
) {
  const settingOf = await insightContexts(deps.metadata, asker.project, [insight]);
  const question = questionOn(insight, dashboard);
  const answer = refresh ? await freshAnswer(deps, asker, question) : NO_ANSWER;
  return presentSavedInsight(insight, { ...settingOf(insight), ...question, answer });
}

/** Always computed; cached for other requests. */
export async function freshAnswer(
  deps: DashboardApiDeps,
  { caller, project, reply }: Asker,
  { filters, query }: SavedQuestion,
): Promise<SavedInsightAnswer> {
  if (query !== null) {
    const asked = { userId: caller.user.id, refresh: true, signal: callerSignal(reply) };
    const { results, computedAt, isCached, ...about } = await deps.statements.answer(project, query, asked);
    return { result: results, is_cached: isCached, last_refresh: iso(computedAt), ...about };
  }
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
