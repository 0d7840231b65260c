/** Calculates the results of an experiment from what the worker measures. */
import { Failure } from '../../../core/errors.ts';
import type { Json, JsonObject } from '../../../core/json/json.ts';
import { withQueryLimits } from '../../../query/query-limits.ts';
import type { Project } from '../../../stores/metadata/accounts.ts';
import { questionContext } from '../../insights/api/insight-request.ts';
import type { QuestionContext } from '../../insights/rules/question.ts';
import { assembleResults, type ExperimentResults } from '../rules/assemble-results.ts';
import { diagnoseSplit } from '../rules/diagnose-split.ts';
import type { ExposureCount, ExposureQuestion, MetricQuestion } from '../rules/experiment-question.ts';
import { flagVariants } from '../rules/flag-variants.ts';
import { type ExperimentMetric, METRIC_LISTS, readListedMetric } from '../rules/read-metrics.ts';
import { type DecisionSettings, readDecision, readExposure } from '../rules/read-settings.ts';
import type { Experiment } from '../store/experiment-store.ts';
import type { ExperimentMeasurement } from '../worker-methods.ts';
import type { ExperimentApiDeps } from './deps.ts';

/** What is asked about an experiment, with everything that the answer depends on. */
export interface AskedExperiment {
  experiment: Experiment;
  settings: DecisionSettings;
  variants: { key: string; weight: number }[];
  exposure: ExposureQuestion;
  metrics: { metric: ExperimentMetric; question: MetricQuestion }[];
  /** Metrics that cannot be read any more, because an action was deleted, say. */
  unreadable: { uuid: string; name: string; reason: string }[];
  /** Null: it has not started, or its flag is gone. */
  startedAt: number | null;
  now: number;
}

export interface CalculatedExperiment extends AskedExperiment {
  exposures: ExperimentMeasurement['exposures'];
  results: ExperimentResults;
}

const NO_EXPOSURES: ExperimentMeasurement['exposures'] = {
  byVariant: {},
  multiple: { sameId: 0, mergedIds: 0 },
  withoutGroup: 0,
  days: [],
};

export async function askExperiment(
  deps: ExperimentApiDeps,
  project: Project,
  experiment: Experiment,
): Promise<AskedExperiment> {
  const now = deps.clock.now();
  const context = await questionContext(deps, project, {});
  const flag = await deps.metadata.flags.get(project.id, experiment.flagId);
  const settings = readDecision(experiment.settings);
  const variants = flag === null ? [] : flagVariants(flag.filters);
  const { metrics, unreadable } = readableMetrics(experiment.settings, context);
  const from = experiment.startDate ?? now;
  const range = { from, until: Math.max(from, Math.min(experiment.endDate ?? now, now)) };
  return {
    experiment,
    settings,
    variants,
    exposure: {
      ...readExposure(experiment.settings, context),
      flagKey: flag?.key ?? '',
      variants: variants.map(({ key }) => key),
      range,
      actor: actorOf(flag?.filters ?? {}),
      timezone: project.timezone,
    },
    metrics: metrics.map((metric) => ({ metric, question: questionOf(metric, settings, range.until) })),
    unreadable,
    startedAt: variants.length > 0 ? experiment.startDate : null,
    now,
  };
}

export const calculateExperiment = async (
  deps: ExperimentApiDeps,
  project: Project,
  stopped: AbortSignal,
  experiment: Experiment,
): Promise<CalculatedExperiment> =>
  calculateAsked(deps, project, stopped, await askExperiment(deps, project, experiment));

export async function calculateAsked(
  deps: ExperimentApiDeps,
  project: Project,
  stopped: AbortSignal,
  asked: AskedExperiment,
): Promise<CalculatedExperiment> {
  const questions = asked.metrics.map(({ question }) => question);
  if (asked.startedAt === null) return withResults(asked, { exposures: NO_EXPOSURES, metrics: [] });
  return withQueryLimits(deps.config.queryTimeoutSeconds, stopped, async (signal) => {
    const measured = await deps.experiments.measureExperiment(project.id, asked.exposure, questions, null, signal);
    const calculated = withResults(asked, measured);
    if (!['watch', 'mismatch'].includes(calculated.results.sampleRatio.status)) return calculated;
    const counts = await deps.experiments.countExposuresBy(project.id, asked.exposure, DIAGNOSED, signal);
    const diagnosis = diagnoseSplit([...counts, ...daysOf(measured.exposures)], asked.variants);
    return { ...calculated, results: { ...calculated.results, diagnosis } };
  });
}

/** Where a fault of the split mostly is. */
const DIAGNOSED = ['$lib', '$lib_version', '$browser', '$os', '$geoip_country_code', '$app_version'];

const daysOf = ({ days }: ExperimentMeasurement['exposures']): ExposureCount[] =>
  days.map(({ day, variant, count }) => ({
    property: 'day',
    value: new Date(day).toISOString().slice(0, 10),
    variant,
    count,
  }));

export function withResults(asked: AskedExperiment, measured: ExperimentMeasurement): CalculatedExperiment {
  const { settings, variants, metrics, experiment, now } = asked;
  const results = assembleResults({
    settings,
    variants,
    exposures: measured.exposures,
    metrics: metrics.map(({ metric }, at) => ({ metric, data: measured.metrics[at] ?? [] })),
    startedAt: experiment.startDate ?? now,
    endedAt: experiment.endDate,
    now,
  });
  return { ...asked, exposures: measured.exposures, results };
}

const actorOf = ({ aggregation_group_type_index: index }: JsonObject): ExposureQuestion['actor'] =>
  typeof index === 'number' ? { kind: 'group', index } : { kind: 'person' };

/** Sequential decisions count only those whose window has ended. */
function questionOf(metric: ExperimentMetric, settings: DecisionSettings, until: number): MetricQuestion {
  const { windowMs, asked, winsor, role } = metric;
  const openMs = (windowMs ?? 0) + (asked.kind === 'retention' ? asked.spanMs : 0);
  const isMatured = openMs > 0 && (settings.stopping === 'sequential' || role === 'guardrail');
  const exposedBefore = isMatured ? until - openMs + 1 : null;
  return { ...asked, windowMs, winsor, lookbackMs: settings.lookbackMs, exposedBefore };
}

function readableMetrics(settings: JsonObject, context: QuestionContext) {
  const metrics: ExperimentMetric[] = [];
  const unreadable: CalculatedExperiment['unreadable'] = [];
  for (const name of METRIC_LISTS) {
    const list = settings[name];
    for (const [at, metric] of (Array.isArray(list) ? list : []).entries()) {
      try {
        metrics.push(readListedMetric(settings, name, metric, at, context));
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
        unreadable.push({ uuid: fieldOf(metric, 'uuid'), name: fieldOf(metric, 'name'), reason: error.message });
      }
    }
  }
  return { metrics, unreadable };
}

const fieldOf = (metric: Json, field: string): string => String((metric as JsonObject | null)?.[field] ?? '');
