import type { RouteDeps } from '../../../http/api/route-deps.ts';
import type { QueryDeps } from '../../../query/query-deps.ts';
import type { Page } from '../../../stores/metadata/page.ts';
import type { QueryUsage } from '../query-usage.ts';
import type { ResultCache } from '../result-cache.ts';
import type { InsightAnswer } from '../rules/answers.ts';
import type { InsightQuestion } from '../rules/question.ts';

export interface InsightApiDeps extends RouteDeps, QueryDeps {
  config: RouteDeps['config'] & { queryTimeoutSeconds: number };
  /** Cached answers. */
  results: ResultCache;
  /** Counts the names that answered questions use. */
  usage: Pick<QueryUsage, 'record'>;
  /** On the worker thread. */
  answerQuestion<Q extends InsightQuestion>(
    projectId: number,
    question: Q,
    page: Page,
    signal?: AbortSignal,
  ): Promise<InsightAnswer<Q>>;
}
