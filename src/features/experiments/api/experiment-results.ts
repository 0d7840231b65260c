/** Calculates the results of an experiment from what the worker measures. */
import type { FastifyReply } from 'fastify';
import { Failure } from '../../../core/errors.ts';
import type { Json, JsonObject } from '../../../core/json/json.ts';
import { callerSignal } from '../../../http/api/caller-signal.ts';
import { withQueryLimits } from '../../../query/query-limits.ts';
import type { Project } from '../../../stores/metadata/accounts.ts';
import { questionContext } from '../../insights/api/insight-request.ts';
import type { QuestionContext } from '../../insights/rules/question.ts';
import { assembleResults, type ExperimentResults } from '../rules/assemble-results.ts';
import type { ExposureQuestion, MetricQuestion } from '../rules/experiment-question.ts';
import { flagVariants } from '../rules/flag-variants.ts';
import {
  type DecisionSettings,
  type ExperimentMetric,
  readDecision,
  readExposure,
  readMetrics,
} from '../rules/read-settings.ts';
import type { Experiment } from '../store/experiment-store.ts';
import type { ExperimentMeasurement } from '../worker-methods.ts';
import type { ExperimentApiDeps } from './deps.ts';

export interface CalculatedExperiment {
  experiment: Experiment;
  settings: DecisionSettings;
  exposures: ExperimentMeasurement['exposures'];
  results: ExperimentResults;
  /** Metrics that cannot be read any more, because an action was deleted, say. */
  unreadable: { uuid: string; name: string; reason: string }[];
  asOf: number;
}

const NOTHING: ExperimentMeasurement = {
  exposures: { byVariant: {}, multiple: { sameId: 0, mergedIds: 0 }, withoutGroup: 0, days: [] },
  metrics: [],
};

export async function calculateExperiment(
  deps: ExperimentApiDeps,
  project: Project,
  reply: FastifyReply,
  experiment: Experiment,
): Promise<CalculatedExperiment> {
  const now = deps.clock.now();
  const context = await questionContext(deps, project, {});
  const flag = await deps.metadata.flags.get(project.id, experiment.flagId);
  const settings = readDecision(experiment.settings);
  const variants = flag === null ? [] : flagVariants(flag.filters);
  const { metrics, unreadable } = readableMetrics(experiment.settings, context);
  const startedAt = experiment.startDate ?? now;
  const range = { from: startedAt, until: Math.max(startedAt, Math.min(experiment.endDate ?? now, now)) };
  const exposure: ExposureQuestion = {
    ...readExposure(experiment.settings, context),
    flagKey: flag?.key ?? '',
    variants: variants.map(({ key }) => key),
    range,
    actor: actorOf(flag?.filters ?? {}),
    timezone: project.timezone,
  };
  const questions = metrics.map((metric) => questionOf(metric, settings, range.until));
  const isMeasured = experiment.startDate !== null && variants.length > 0;
  const measured = !isMeasured
    ? { ...NOTHING, metrics: questions.map(() => []) }
    : await withQueryLimits(deps.config.queryTimeoutSeconds, callerSignal(reply), (signal) =>
        deps.measureExperiment(project.id, exposure, questions, signal),
      );
  const results = assembleResults({
    settings,
    variants,
    exposures: measured.exposures,
    metrics: metrics.map((metric, at) => ({ metric, data: measured.metrics[at] ?? [] })),
    startedAt,
    endedAt: experiment.endDate,
    now,
  });
  return { experiment, settings, exposures: measured.exposures, results, unreadable, asOf: now };
}

const actorOf = ({ aggregation_group_type_index: index }: JsonObject): ExposureQuestion['actor'] =>
  typeof index === 'number' ? { kind: 'group', index } : { kind: 'person' };

/** Sequential decisions count only those whose window has ended. */
function questionOf(metric: ExperimentMetric, settings: DecisionSettings, until: number): MetricQuestion {
  const { windowMs, asked } = metric;
  const openMs = (windowMs ?? 0) + (asked.kind === 'retention' ? asked.spanMs : 0);
  const isMatured = openMs > 0 && settings.stopping === 'sequential';
  return { ...asked, windowMs, lookbackMs: settings.lookbackMs, exposedBefore: isMatured ? until - openMs + 1 : null };
}

function readableMetrics(settings: JsonObject, context: QuestionContext) {
  const metrics: ExperimentMetric[] = [];
  const unreadable: CalculatedExperiment['unreadable'] = [];
  for (const name of ['metrics', 'metrics_secondary'] as const) {
    const list = settings[name];
    for (const metric of Array.isArray(list) ? list : []) {
      try {
        metrics.push(...readMetrics({ [name]: [metric] }, context));
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
        unreadable.push({ uuid: fieldOf(metric, 'uuid'), name: fieldOf(metric, 'name'), reason: error.message });
      }
    }
  }
  return { metrics, unreadable };
}

const fieldOf = (metric: Json, field: string): string => String((metric as JsonObject | null)?.[field] ?? '');
