/** One question of one caller: it ends when they go away or when it takes too long, and may be answered from before. */
import type { FastifyReply } from 'fastify';
import { callerSignal } from '../../../http/api/caller-signal.ts';
import { iso } from '../../../http/schemas/common.ts';
import { withQueryLimits } from '../../../query/query-limits.ts';
import type { Project } from '../../../stores/metadata/accounts.ts';
import type { InsightApiDeps } from './deps.ts';

export interface QueryRun<D extends InsightApiDeps = InsightApiDeps> {
  readonly deps: D;
  /**
   * The answer to a question of which nothing but its own fields and the project's data matters: kept from before, or
   * worked out with what is handed to `ask`.
   */
  cached<T>(question: object, ask: (deps: D) => Promise<T>): Promise<T>;
  /** Works it out in any case, within the same limits. */
  uncached<T>(ask: (deps: D) => Promise<T>): Promise<T>;
  /** Whether the last answer was kept from before, and when it was found. */
  freshness(): { is_cached: boolean; last_refresh: string };
}

export interface QueryCaller {
  project: Project;
  reply: FastifyReply;
}

export function startQuery<D extends InsightApiDeps>(
  deps: D,
  { project, reply }: QueryCaller,
  fields: Readonly<Record<string, unknown>>,
): QueryRun<D> {
  const gone = callerSignal(reply);
  const { queryTimeoutSeconds } = deps.config;
  let told = { is_cached: false, computedAt: deps.clock.now() };
  const limited = <T>(stopped: AbortSignal, ask: (deps: D) => Promise<T>): Promise<T> =>
    withQueryLimits(queryTimeoutSeconds, stopped, (signal) => ask(withSignal(deps, signal)));
  return {
    deps,
    async cached(question, ask) {
      const options = {
        projectId: project.id,
        question: cacheKeyOf(deps, question),
        refresh: wantsRefresh(fields),
        signal: gone,
      };
      const { answer, isCached, computedAt } = await deps.results.getOrCompute(options, (stopped) =>
        limited(stopped, ask),
      );
      told = { is_cached: isCached, computedAt: computedAt };
      return answer;
    },
    uncached: (ask) => limited(gone, ask),
    freshness: () => ({ is_cached: told.is_cached, last_refresh: iso(told.computedAt) }),
  };
}

/** `refresh`, `refresh=`, `refresh=true`, and true in a body. */
function wantsRefresh({ refresh }: Readonly<Record<string, unknown>>): boolean {
  return refresh === true || refresh === '' || (typeof refresh === 'string' && /^(true|1|yes|y|t|on)$/i.test(refresh));
}

const MINUTE_MS = 60_000;

/** Who is in a cohort may depend on what time it is, not only on the project's data. */
function cacheKeyOf({ clock }: InsightApiDeps, question: object): string {
  const text = JSON.stringify(question);
  return text.includes('"cohort"') ? `${Math.floor(clock.now() / MINUTE_MS)} ${text}` : text;
}

const withSignal = <D extends InsightApiDeps>(deps: D, signal: AbortSignal): D => ({
  ...deps,
  events: { query: (sql, values) => deps.events.query(sql, values, signal) },
  answerQuestion: (projectId, question, page) => deps.answerQuestion(projectId, question, page, signal),
});
