import type { InsightApiDeps } from '../../insights/api/deps.ts';
import type { webWorkerMethods } from '../worker-methods.ts';

export interface WebApiDeps extends InsightApiDeps {
  /** On the worker thread. */
  answerWeb: ReturnType<typeof webWorkerMethods>['answerWeb'];
}
