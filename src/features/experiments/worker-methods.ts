import type { QueryDeps } from '../../query/query-deps.ts';
import type { EventStore } from '../../stores/events/event-store.ts';
import { withSignal } from '../insights/worker-methods.ts';
import { measureExposures, measureMetrics } from './measure/measure-experiment.ts';
import type { ExposureAnswer, ExposureQuestion, MetricData, MetricQuestion } from './rules/experiment-question.ts';

interface ExperimentWorkerDeps extends QueryDeps {
  events: EventStore;
}

/** What was measured of an experiment; metrics in the order of the questions. */
export interface ExperimentMeasurement {
  exposures: ExposureAnswer;
  metrics: MetricData[][];
}

/** What experiments do on the worker thread. */
export const experimentWorkerMethods = (deps: ExperimentWorkerDeps) => ({
  async measureExperiment(
    projectId: number,
    exposure: ExposureQuestion,
    questions: readonly MetricQuestion[],
    signal?: AbortSignal,
  ): Promise<ExperimentMeasurement> {
    const own = { ...deps, events: withSignal(deps.events, signal), signal };
    const exposures = await measureExposures(own, projectId, exposure);
    return { exposures, metrics: await measureMetrics(own, projectId, exposure, questions) };
  },
});
