/** Answers questions about a site, for routes and for shared pages. */
import type { JsonObject } from '../../../core/json/json.ts';
import { MINUTE_MS } from '../../../core/time/units.ts';
import { withQueryLimits } from '../../../query/query-limits.ts';
import type { Project } from '../../../stores/metadata/accounts.ts';
import { type ContextDeps, questionContext } from '../../insights/api/insight-request.ts';
import type { QuestionFields } from '../../insights/rules/fields.ts';
import {
  readBy,
  readComparison,
  readGoals,
  readTablePage,
  readTables,
  readWebQuestion,
  type WebContext,
} from '../rules/read-web-question.ts';
import type { WebOverviews } from '../web-overviews.ts';
import type { WebAnswers } from '../worker-methods.ts';
import type { WebApiDeps } from './deps.ts';
import { presentDates, presentOverview, presentTable, seriesCsv, tableCsv } from './present-web.ts';

type WebDeps = ContextDeps &
  Pick<WebApiDeps, 'results' | 'answerWeb'> & { config: Pick<WebApiDeps['config'], 'queryTimeoutSeconds'> };

interface Asker {
  project: Project;
  signal: AbortSignal;
  refresh?: boolean;
}

export async function webContext(deps: ContextDeps, project: Project, fields: QuestionFields): Promise<WebContext> {
  return { ...(await questionContext(deps, project, fields)), settings: project.webAnalytics };
}

/** From the cache where nothing has changed since; `minute` is part of what the answer depends on. */
export async function answerWebQuestion<K extends keyof WebAnswers>(
  deps: WebDeps,
  { project, signal, refresh = false }: Asker,
  kind: K,
  question: WebAnswers[K]['question'],
): Promise<{ answer: WebAnswers[K]['answer']; computedAt: number }> {
  const minute = Math.floor(deps.clock.now() / MINUTE_MS);
  const cacheQuery = {
    projectId: project.id,
    question: `web ${kind} ${minute} ${JSON.stringify(question)}`,
    refresh,
    signal,
  };
  return deps.results.getOrCompute(cacheQuery, (stopped) =>
    withQueryLimits(deps.config.queryTimeoutSeconds, stopped, (limited) =>
      deps.answerWeb(kind, project.id, question, limited),
    ),
  );
}

export async function answerOverviewQuestion(deps: WebDeps, asker: Asker, fields: QuestionFields) {
  const context = await webContext(deps, asker.project, fields);
  const web = readWebQuestion(fields, context);
  const question = {
    web,
    previous: readComparison(fields, web, context),
    tables: readTables(fields),
    goals: readGoals(fields, context),
  };
  const found = await answerWebQuestion(deps, asker, 'overview', question);
  return presentOverview(question, found.answer, found.computedAt);
}

export async function answerBreakdownQuestion(deps: WebDeps, asker: Asker, fields: QuestionFields) {
  const context = await webContext(deps, asker.project, fields);
  const question = { web: readWebQuestion(fields, context), by: readBy(fields), page: readTablePage(fields) };
  const { answer: table } = await answerWebQuestion(deps, asker, 'breakdown', question);
  const shown = { ...presentDates(question.web), by: question.by, ...presentTable(table, question.page) };
  return { by: question.by, table, shown };
}

/** For those who are no callers of a route. */
export const answerWebOverviews = (deps: WebDeps): WebOverviews => {
  const asJson = (shown: unknown): JsonObject => JSON.parse(JSON.stringify(shown));
  return {
    overview: async (project, fields, signal) =>
      asJson(await answerOverviewQuestion(deps, { project, signal }, fields)),
    breakdown: async (project, fields, signal) =>
      asJson((await answerBreakdownQuestion(deps, { project, signal }, fields)).shown),
    async csv(project, fields, signal) {
      if (fields['by'] === undefined) {
        return seriesCsv((await answerOverviewQuestion(deps, { project, signal }, fields)).series);
      }
      const { by, table } = await answerBreakdownQuestion(deps, { project, signal }, fields);
      return tableCsv(by, table);
    },
  };
};
