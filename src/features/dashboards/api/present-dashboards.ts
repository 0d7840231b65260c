/** Dashboards as the API returns them, with their tiles in order and, if requested, results. */
import { Failure } from '../../../core/errors.ts';
import { usersById } from '../../../http/api/activity-list.ts';
import type { MetadataStore } from '../../../stores/metadata/metadata-store.ts';
import { isStatementFailure } from '../../sql/saved-statements.ts';
import type { Dashboard } from '../store/dashboard-store.ts';
import type { SavedInsight } from '../store/saved-insight-store.ts';
import { visibleTiles } from '../visible-tiles.ts';
import { presentListed, presentTile } from './dashboard-schemas.ts';
import type { DashboardApiDeps } from './deps.ts';
import { type Asker, freshAnswer, insightContexts, questionOn } from './present-saved-insights.ts';
import { NO_ANSWER, presentSavedInsight, type SavedInsightAnswer } from './saved-insight-schemas.ts';

export async function presentDashboards(metadata: MetadataStore, dashboards: readonly Dashboard[]) {
  const users = await usersById(
    metadata,
    dashboards.map(({ createdBy }) => createdBy),
  );
  return dashboards.map((dashboard) => presentListed(dashboard, users));
}

export async function presentDashboard(
  deps: DashboardApiDeps,
  asker: Asker,
  dashboard: Dashboard,
  { refresh }: { refresh: boolean },
) {
  const [listed] = await presentDashboards(deps.metadata, [dashboard]);
  const shown = await visibleTiles(deps.metadata, dashboard);
  const insights = shown.flatMap(({ insight }) => insight ?? []);
  const settingOf = await insightContexts(deps.metadata, asker.project, insights);
  const answers = refresh ? await answersOf(deps, asker, dashboard, insights) : [];
  const tiles = shown.map(({ tile, insight }) => {
    if (insight === null) return presentTile(tile, null, NO_ANSWER, null);
    const { answer, error } = answers[insights.indexOf(insight)] ?? { answer: NO_ANSWER, error: null };
    const question = questionOn(insight, dashboard.filters);
    return presentTile(
      tile,
      presentSavedInsight(insight, { ...settingOf(insight), ...question, answer }),
      answer,
      error,
    );
  });
  return { ...listed, tiles };
}

/** The event store runs a few queries at a time; more would only slow each other down. */
const BATCH_SIZE = 4;

interface TileAnswer {
  answer: SavedInsightAnswer;
  error: string | null;
}

async function answersOf(
  deps: DashboardApiDeps,
  asker: Asker,
  dashboard: Dashboard,
  insights: readonly SavedInsight[],
): Promise<TileAnswer[]> {
  const answers: TileAnswer[] = [];
  for (let start = 0; start < insights.length; start += BATCH_SIZE) {
    const some = insights.slice(start, start + BATCH_SIZE);
    answers.push(
      ...(await Promise.all(some.map((one) => answerOrError(deps, asker, questionOn(one, dashboard.filters))))),
    );
  }
  return answers;
}

/** A saved insight may have become invalid, when a cohort or action was deleted: its tile shows the error. */
async function answerOrError(
  deps: DashboardApiDeps,
  asker: Asker,
  question: Pick<SavedInsight, 'filters' | 'query'>,
): Promise<TileAnswer> {
  try {
    return { answer: await freshAnswer(deps, asker, question), error: null };
  } catch (error) {
    const isOwn =
      question.query === null ? error instanceof Failure && error.kind === 'invalid' : isStatementFailure(error);
    if (isOwn && error instanceof Failure) return { answer: NO_ANSWER, error: error.message };
    throw error;
  }
}
