/** Dashboards as they are shown: with their tiles in order and, where it is asked for, an answer in each of them. */
import type { FastifyReply } from 'fastify';
import { Failure } from '../../../core/errors.ts';
import { usersById } from '../../../http/api/activity-list.ts';
import type { Project } from '../../../stores/metadata/accounts.ts';
import type { Dashboard, DashboardTile } from '../../../stores/metadata/dashboards.ts';
import type { MetadataStore } from '../../../stores/metadata/metadata-store.ts';
import type { SavedInsight } from '../../../stores/metadata/saved-insights.ts';
import { presentListed, presentTile } from './dashboard-schemas.ts';
import type { ApiDeps } from './deps.ts';
import { freshAnswer, settingsOf, withDates } from './present-saved-insights.ts';
import { type InsightAnswer, NO_ANSWER, presentInsight } from './saved-insight-schemas.ts';

export async function showDashboards(metadata: MetadataStore, dashboards: readonly Dashboard[]) {
  const users = await usersById(
    metadata,
    dashboards.map(({ createdBy }) => createdBy),
  );
  return dashboards.map((dashboard) => presentListed(dashboard, users));
}

export async function showDashboard(
  deps: ApiDeps,
  reply: FastifyReply,
  project: Project,
  dashboard: Dashboard,
  { refresh }: { refresh: boolean },
) {
  const [listed] = await showDashboards(deps.metadata, [dashboard]);
  const shown = await shownTiles(deps.metadata, dashboard);
  const insights = shown.map(({ insight }) => insight);
  const settingOf = await settingsOf(deps.metadata, project, insights);
  const answers = refresh ? await answersOf(deps, reply, project, dashboard, insights) : [];
  const tiles = shown.map(({ tile, insight }, at) => {
    const { answer, error } = answers[at] ?? { answer: NO_ANSWER, error: null };
    const filters = withDates(insight.filters, dashboard.filters);
    return presentTile(tile, presentInsight(insight, { ...settingOf(insight), filters, answer }), answer, error);
  });
  return { ...listed, tiles };
}

/** Insights that are deleted leave no gap; their tiles are there again when they are. */
async function shownTiles({ dashboards, insights }: MetadataStore, { id, projectId }: Dashboard) {
  const tiles = await dashboards.tiles(id);
  const ids = tiles.map(({ insightId }) => insightId);
  const known = new Map((await insights.byIds(projectId, ids)).map((insight) => [insight.id, insight]));
  return tiles.flatMap((tile): { tile: DashboardTile; insight: SavedInsight }[] => {
    const insight = known.get(tile.insightId);
    return insight === undefined || insight.deleted ? [] : [{ tile, insight }];
  });
}

/** The engine answers some questions at a time; more of them at once would only be in each other's way. */
const AT_ONCE = 4;

interface TileAnswer {
  answer: InsightAnswer;
  error: string | null;
}

async function answersOf(
  deps: ApiDeps,
  reply: FastifyReply,
  project: Project,
  dashboard: Dashboard,
  insights: readonly SavedInsight[],
): Promise<TileAnswer[]> {
  const answers: TileAnswer[] = [];
  for (let start = 0; start < insights.length; start += AT_ONCE) {
    const some = insights.slice(start, start + AT_ONCE);
    answers.push(
      ...(await Promise.all(
        some.map((one) => answerOr(deps, reply, project, withDates(one.filters, dashboard.filters))),
      )),
    );
  }
  return answers;
}

/** What was right when it was saved may not be any more: a cohort or an action has gone. That is said in its place. */
async function answerOr(
  deps: ApiDeps,
  reply: FastifyReply,
  project: Project,
  filters: SavedInsight['filters'],
): Promise<TileAnswer> {
  try {
    return { answer: await freshAnswer(deps, reply, project, filters), error: null };
  } catch (error) {
    if (error instanceof Failure && error.kind === 'invalid') return { answer: NO_ANSWER, error: error.message };
    throw error;
  }
}
