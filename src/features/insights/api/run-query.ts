/** One question of one caller: it ends when they disconnect or when it takes too long, and may be answered from the cache. */
import type { FastifyReply } from 'fastify';
import { MINUTE_MS } from '../../../core/time/units.ts';
import { SESSION_BOUNCE, SESSION_CHANNEL } from '../../../core/web/session-properties.ts';
import { callerSignal } from '../../../http/api/caller-signal.ts';
import { iso } from '../../../http/schemas/common.ts';
import { withQueryLimits } from '../../../query/query-limits.ts';
import type { Project } from '../../../stores/metadata/accounts.ts';
import type { Page } from '../../../stores/metadata/page.ts';
import { type InsightKind, savedKind } from '../kinds.ts';
import type { FoundActor } from '../rules/answers.ts';
import type { QuestionFields } from '../rules/fields.ts';
import type { PeopleQuestion, Question } from '../rules/question.ts';
import type { InsightApiDeps } from './deps.ts';
import { type ContextDeps, peopleUrl, questionContext } from './insight-request.ts';

interface QueryCaller {
  project: Project;
  reply: FastifyReply;
}

/** What answers questions, without the rest of what routes need. */
export type QueryRunDeps = ContextDeps &
  Pick<InsightApiDeps, 'results' | 'usage' | 'answerQuestion'> & { config: { queryTimeoutSeconds: number } };

interface QueryRun {
  readonly deps: ContextDeps;
  readonly project: Project;
  /** From the cache where it can be. */
  answer(question: Question): Promise<unknown>;
  findPeople(question: PeopleQuestion, page: Page): Promise<readonly FoundActor[]>;
  /** Whether the last answer came from the cache, and when it was computed. */
  freshness(): { is_cached: boolean; last_refresh: string };
}

export const startQuery = (deps: InsightApiDeps, { project, reply }: QueryCaller, fields: QuestionFields): QueryRun =>
  runQueries(deps, { project, signal: callerSignal(reply) }, fields);

export function runQueries(
  deps: QueryRunDeps,
  { project, signal: disconnected }: { project: Project; signal: AbortSignal },
  fields: QuestionFields,
): QueryRun {
  const { queryTimeoutSeconds } = deps.config;
  let last = { isCached: false, computedAt: deps.clock.now() };
  return {
    deps,
    project,
    async answer(question) {
      deps.usage.record(project.id, question);
      const cacheQuery = {
        projectId: project.id,
        question: cacheKeyOf(deps, project, question),
        refresh: wantsRefresh(fields),
        signal: disconnected,
      };
      const { answer, ...freshness } = await deps.results.getOrCompute(cacheQuery, (stopped) =>
        withQueryLimits(queryTimeoutSeconds, stopped, (signal) =>
          deps.answerQuestion(project.id, question, NO_PAGE, signal),
        ),
      );
      last = freshness;
      return answer;
    },
    findPeople: (question, page) =>
      withQueryLimits(queryTimeoutSeconds, disconnected, (signal) =>
        deps.answerQuestion(project.id, question, page, signal),
      ),
    freshness: () => ({ is_cached: last.isCached, last_refresh: iso(last.computedAt) }),
  };
}

const NO_PAGE: Page = { limit: 0, offset: 0 };

/** `refresh`, `refresh=`, `refresh=true`, and true in a body. */
export function wantsRefresh({ refresh }: QuestionFields): boolean {
  return refresh === true || refresh === '' || (typeof refresh === 'string' && /^(true|1|yes|y|t|on)$/i.test(refresh));
}

/**
 * Who is in a cohort may depend on the time, not only on the project's data. Channels and bounces depend on its settings
 * of web analytics.
 */
function cacheKeyOf({ clock }: ContextDeps, { webAnalytics }: Project, question: Question): string {
  const text = JSON.stringify(question);
  return [
    ...(text.includes('"cohort"') ? [Math.floor(clock.now() / MINUTE_MS)] : []),
    ...(text.includes(`"${SESSION_CHANNEL}"`) || text.includes(`"${SESSION_BOUNCE}"`)
      ? [JSON.stringify(webAnalytics)]
      : []),
    text,
  ].join(' ');
}

/** Reads, answers and presents a question. */
export async function answerInsight(
  { deps, project, answer }: QueryRun,
  kind: InsightKind,
  fields: QuestionFields,
  isBody: boolean,
): Promise<unknown> {
  const context = await questionContext(deps, project, fields);
  const question = kind.read(fields, context);
  const link = (filter: Parameters<typeof peopleUrl>[2]): string => peopleUrl(project.id, kind.people, filter);
  return kind.present(question, await answer(question), { fields, context, isBody, link });
}

/** The question of a saved insight, whose field `insight` says its kind. */
export const answerSavedInsight = (run: QueryRun, fields: QuestionFields): Promise<unknown> =>
  answerInsight(run, savedKind(fields), fields, true);

/** Fails where a saved insight could not be answered. */
export async function checkSavedInsight(deps: ContextDeps, project: Project, fields: QuestionFields): Promise<void> {
  savedKind(fields).read(fields, await questionContext(deps, project, fields));
}
