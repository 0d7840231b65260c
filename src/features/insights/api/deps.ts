import type { RouteDeps } from '../../../http/api/route-deps.ts';
import type { QueryDeps } from '../../../query/query-deps.ts';
import type { Page } from '../../../stores/metadata/page.ts';
import type { QueryUsage } from '../query-usage.ts';
import type { ResultCache } from '../result-cache.ts';
import type { InsightAnswer, InsightQuestion } from '../rules/answer-types.ts';

export interface InsightApiDeps extends RouteDeps, QueryDeps {
  config: RouteDeps['config'] & { queryTimeoutSeconds: number };
  /** Answers that are kept. */
  results: ResultCache;
  /** Hears of every insight that is answered. */
  usage: Pick<QueryUsage, 'record'>;
  /** Answers a question on the worker's thread. */
  answerQuestion<Q extends InsightQuestion>(
    projectId: number,
    question: Q,
    page: Page,
    signal?: AbortSignal,
  ): Promise<InsightAnswer<Q>>;
}
