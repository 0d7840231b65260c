/** One question of one caller: it ends when they go away or when it takes too long, and may be answered from before. */
import type { FastifyReply } from 'fastify';
import { goneSignal } from '../../../http/api/caller-signal.ts';
import { iso } from '../../../http/schemas/common.ts';
import { withinLimits } from '../../../query/query-limits.ts';
import type { Project } from '../../../stores/metadata/accounts.ts';
import type { ApiDeps } from './deps.ts';

export interface Asking<D extends ApiDeps = ApiDeps> {
  readonly deps: D;
  /**
   * The answer to a question of which nothing but its own fields and the project's data matters: kept from before, or
   * worked out with what is handed to `ask`.
   */
  keep<T>(question: object, ask: (deps: D) => Promise<T>): Promise<T>;
  /** Works it out in any case, within the same limits. */
  run<T>(ask: (deps: D) => Promise<T>): Promise<T>;
  /** Whether the last answer was kept from before, and when it was found. */
  freshness(): { is_cached: boolean; last_refresh: string };
}

export interface AskedBy {
  project: Project;
  reply: FastifyReply;
}

export function beginAsking<D extends ApiDeps>(
  deps: D,
  { project, reply }: AskedBy,
  fields: Readonly<Record<string, unknown>>,
): Asking<D> {
  const gone = goneSignal(reply);
  const { queryTimeoutSeconds } = deps.config;
  let told = { is_cached: false, foundAt: deps.clock.now() };
  const limited = <T>(stopped: AbortSignal, ask: (deps: D) => Promise<T>): Promise<T> =>
    withinLimits(queryTimeoutSeconds, stopped, (signal) => ask(endingWith(deps, signal)));
  return {
    deps,
    async keep(question, ask) {
      const options = {
        projectId: project.id,
        question: nameOf(deps, question),
        refresh: wantsNew(fields),
        signal: gone,
      };
      const { answer, isCached, foundAt } = await deps.results.ask(options, (stopped) => limited(stopped, ask));
      told = { is_cached: isCached, foundAt };
      return answer;
    },
    run: (ask) => limited(gone, ask),
    freshness: () => ({ is_cached: told.is_cached, last_refresh: iso(told.foundAt) }),
  };
}

/** `refresh`, `refresh=`, `refresh=true`, and true in a body. */
function wantsNew({ refresh }: Readonly<Record<string, unknown>>): boolean {
  return refresh === true || refresh === '' || (typeof refresh === 'string' && /^(true|1|yes|y|t|on)$/i.test(refresh));
}

const MINUTE_MS = 60_000;

/** Who is in a cohort may depend on what time it is, not only on the project's data. */
function nameOf({ clock }: ApiDeps, question: object): string {
  const text = JSON.stringify(question);
  return text.includes('"cohort"') ? `${Math.floor(clock.now() / MINUTE_MS)} ${text}` : text;
}

const endingWith = <D extends ApiDeps>(deps: D, signal: AbortSignal): D => ({
  ...deps,
  events: { query: (sql, values) => deps.events.query(sql, values, signal) },
  follow: (projectId, question, page) => deps.follow(projectId, question, page, signal),
});
