import type { RouteDeps } from '../../../http/api/route-deps.ts';
import type { QueryDeps } from '../../../query/query-deps.ts';
import type { Page } from '../../../stores/metadata/page.ts';
import type { QueryUsage } from '../query-usage.ts';
import type { ResultCache } from '../result-cache.ts';
import type { JourneyAnswer, JourneyQuestion } from '../rules/answer-types.ts';

export interface ApiDeps extends RouteDeps, QueryDeps {
  config: RouteDeps['config'] & { queryTimeoutSeconds: number };
  /** Answers that are kept. */
  results: ResultCache;
  /** Hears of every insight that is answered. */
  usage: Pick<QueryUsage, 'note'>;
  /** Answers a question on the worker's thread. */
  follow<Q extends JourneyQuestion>(
    projectId: number,
    question: Q,
    page: Page,
    signal?: AbortSignal,
  ): Promise<JourneyAnswer<Q>>;
}
