import type { QueryDeps } from '../../query/query-deps.ts';
import type { EventStore } from '../../stores/events/event-store.ts';
import { measureExposures, measureMetric } from './measure/measure-experiment.ts';
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
    const events = {
      query: (...[sql, values]: Parameters<EventStore['query']>) => deps.events.query(sql, values, signal),
    };
    const own = { ...deps, events };
    const exposures = await measureExposures(own, projectId, exposure);
    const metrics: MetricData[][] = [];
    for (const question of questions) metrics.push(await measureMetric(own, projectId, exposure, question));
    return { exposures, metrics };
  },
});
