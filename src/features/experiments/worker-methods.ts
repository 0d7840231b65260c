import type { Entity } from '../../core/actions/entity.ts';
import type { QueryDeps } from '../../query/query-deps.ts';
import type { EventStore } from '../../stores/events/event-store.ts';
import type { Page } from '../../stores/metadata/page.ts';
import type { FoundActor } from '../insights/rules/answers.ts';
import { withSignal } from '../insights/worker-methods.ts';
import { KeptMeasurements } from './measure/kept-measurements.ts';
import type { EverybodyDeps } from './measure/measure-everybody.ts';
import {
  countExposuresBy,
  type ExperimentMeasurement,
  listExposed,
  measureCourse,
  measureExperiment,
} from './measure/measure-experiment.ts';
import { countRecentEvents, type RecentEvents } from './measure/recent-events.ts';
import { countUnusual, type UnusualExposures, type UnusualQuestion } from './measure/unusual-exposures.ts';
import type {
  ExposureCount,
  ExposureQuestion,
  ExposureSplit,
  MetricData,
  MetricQuestion,
} from './rules/experiment-question.ts';

interface ExperimentWorkerDeps extends QueryDeps {
  events: EventStore;
  /** What was measured is kept where the store can tell what is new. */
  changes?: EverybodyDeps['changes'] | undefined;
}

/** What experiments do on the worker thread. */
export function experimentWorkerMethods(deps: ExperimentWorkerDeps) {
  const own = (signal: AbortSignal | undefined) => ({ ...deps, events: withSignal(deps.events, signal), signal });
  const kept = new KeptMeasurements();
  const { changes } = deps;
  return {
    measureExperiment: (
      projectId: number,
      exposure: ExposureQuestion,
      questions: readonly MetricQuestion[],
      split: ExposureSplit | null,
      signal?: AbortSignal,
    ): Promise<ExperimentMeasurement> =>
      changes === undefined
        ? measureExperiment(own(signal), projectId, exposure, questions, split)
        : kept.measure({ ...own(signal), changes }, projectId, { exposure, metrics: questions, split }),

    measureExperimentCourse: (
      projectId: number,
      exposure: ExposureQuestion,
      question: MetricQuestion,
      times: readonly number[],
      signal?: AbortSignal,
    ): Promise<MetricData[][]> => measureCourse(own(signal), projectId, exposure, question, times),

    countExposuresBy: (
      projectId: number,
      exposure: ExposureQuestion,
      properties: readonly string[],
      signal?: AbortSignal,
    ): Promise<ExposureCount[]> => countExposuresBy(own(signal), projectId, exposure, properties),

    countUnusualExposures: (
      projectId: number,
      exposure: ExposureQuestion,
      question: UnusualQuestion,
      signal?: AbortSignal,
    ): Promise<UnusualExposures> => countUnusual(own(signal), projectId, exposure, question),

    countRecentEvents: (
      projectId: number,
      exposure: ExposureQuestion,
      entities: readonly Entity[],
      signal?: AbortSignal,
    ): Promise<RecentEvents> => countRecentEvents(own(signal), projectId, exposure, entities),

    listExposed: (
      projectId: number,
      exposure: ExposureQuestion,
      variant: string | null,
      page: Page,
      signal?: AbortSignal,
    ): Promise<FoundActor[]> => listExposed(own(signal), projectId, exposure, variant, page),
  };
}
