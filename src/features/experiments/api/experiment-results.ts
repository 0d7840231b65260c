/** Calculates the results of an experiment from what the worker measures. */
import { Failure } from '../../../core/errors.ts';
import type { Json, JsonObject } from '../../../core/json/json.ts';
import { startOfInterval } from '../../../core/time/interval.ts';
import { MINUTE_MS } from '../../../core/time/units.ts';
import { withQueryLimits } from '../../../query/query-limits.ts';
import type { Project } from '../../../stores/metadata/accounts.ts';
import { questionContext } from '../../insights/api/insight-request.ts';
import type { QuestionContext } from '../../insights/rules/question.ts';
import { readFilter } from '../../insights/rules/read-filter.ts';
import { type ExperimentStatus, statusOf } from '../manage/experiments.ts';
import type { ExperimentMeasurement } from '../measure/measure-experiment.ts';
import type { ForcedCondition, UnusualExposures, UnusualQuestion } from '../measure/unusual-exposures.ts';
import { assembleResults, type ExperimentResults } from '../rules/assemble-results.ts';
import { countsByPhase, diagnoseSplit, plannedSplit } from '../rules/diagnose-split.ts';
import {
  type ExposureCount,
  type ExposureQuestion,
  type ExposureSplit,
  HAS_PAGE_VIEW,
  IS_NEW_PERSON,
  type MetricQuestion,
  openWindowMs,
} from '../rules/experiment-question.ts';
import { flagVariants } from '../rules/flag-variants.ts';
import { forcedGroups, rangeBefore } from '../rules/forced-conditions.ts';
import { type ExperimentMetric, METRIC_LISTS, readListedMetric } from '../rules/read-metrics.ts';
import { type DecisionSettings, readDecision, readExcluded, readExposure } from '../rules/read-settings.ts';
import { releaseChanges } from '../rules/release-changes.ts';
import { withSavedMetrics } from '../rules/saved-metrics.ts';
import { type MeasuredVariant, measuredVariants, type SplitPhase, splitPhases } from '../rules/split-phases.ts';
import type { Experiment } from '../store/experiment-store.ts';
import type { ExperimentApiDeps } from './deps.ts';

/** What is asked about an experiment, with everything that the answer depends on. */
export interface AskedExperiment {
  experiment: Experiment;
  status: ExperimentStatus;
  settings: DecisionSettings;
  variants: MeasuredVariant[];
  phases: SplitPhase[];
  exposure: ExposureQuestion;
  metrics: { metric: ExperimentMetric; question: MetricQuestion }[];
  /** Metrics that cannot be read any more, because an action was deleted, say. */
  unreadable: { uuid: string; name: string; reason: string }[];
  isFlagDeleted: boolean;
  releaseChanges: number[];
  /** Exposures that are no fair draw. */
  unusual: UnusualQuestion;
  /** Null: it has not started, or its flag is gone. */
  startedAt: number | null;
  now: number;
  /** How long events take until they are stored: later ones may be missing. */
  lagMs: number;
}

export interface CalculatedExperiment extends AskedExperiment {
  isCached: boolean;
  unusualExposures: UnusualExposures;
  exposures: ExperimentMeasurement['exposures'];
  results: ExperimentResults;
}

const NO_EXPOSURES: ExperimentMeasurement['exposures'] = {
  byVariant: {},
  multiple: { sameId: 0, mergedIds: 0 },
  withoutGroup: 0,
  days: [],
  phases: [],
  parts: {},
};

export async function askExperiment(
  deps: ExperimentApiDeps,
  project: Project,
  stored: Experiment,
): Promise<AskedExperiment> {
  const now = deps.clock.now();
  const saved = await deps.metadata.savedMetrics.listByProject(project.id);
  const experiment = { ...stored, settings: withSavedMetrics(stored.settings, saved) };
  const context = await questionContext(deps, project, {});
  const flag = await deps.metadata.flags.get(project.id, experiment.flagId);
  const settings = readDecision(experiment.settings);
  const { metrics, unreadable } = readableMetrics(experiment.settings, context);
  const from = experiment.startDate ?? now;
  const range = { from, until: Math.max(from, Math.min(experiment.endDate ?? Number.POSITIVE_INFINITY, roundUp(now))) };
  const versions = await deps.metadata.flags.listVersions(project.id, experiment.flagId);
  const excluded = readExcluded(experiment.settings);
  const phases = without(excluded, flag === null ? [] : splitPhases(versions, range));
  const measured = flag === null ? [] : measuredVariants(flagVariants(flag.filters), phases);
  const variants = measured.filter(({ key }) => !excluded.includes(key));
  return {
    experiment,
    status: statusOf(experiment, flag, now),
    settings,
    variants,
    phases,
    exposure: {
      ...readExposure(experiment.settings, context),
      flagKey: flag?.key ?? '',
      variants: variants.map(({ key }) => key),
      range,
      actor: actorOf(flag?.filters ?? {}),
      timezone: project.timezone,
      ...(phases.length > 1 ? { phaseStarts: phases.map(({ from: since }) => since) } : {}),
    },
    metrics: metrics.map((metric) => ({ metric, question: questionOf(metric, settings, now) })),
    unreadable,
    unusual: {
      before: experiment.startDate === null ? null : rangeBefore(versions, experiment.startDate),
      forced: readForced(forcedGroups(versions, range)),
    },
    isFlagDeleted: flag === null || flag.deleted,
    releaseChanges: releaseChanges(versions, range),
    startedAt: variants.length > 0 ? experiment.startDate : null,
    now,
    lagMs: await deps.lagMs(),
  };
}

/** Conditions on what events do not tell, such as other flags, are left out. */
const readForced = (groups: ReturnType<typeof forcedGroups>): ForcedCondition[] =>
  groups.flatMap(({ properties, ...group }) => {
    try {
      return [{ ...group, filter: readFilter(properties, 'filters') }];
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      return [];
    }
  });

/** Variants that count nowhere are in no expectation either. */
const without = (excluded: readonly string[], phases: readonly SplitPhase[]): SplitPhase[] =>
  phases.map(({ from, variants }) => ({ from, variants: variants.filter(({ key }) => !excluded.includes(key)) }));

/** To the minute, so that the next one who asks gets the same answer while nothing is new. */
const roundUp = (time: number): number => Math.ceil(time / MINUTE_MS) * MINUTE_MS;

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
  refresh = false,
): Promise<CalculatedExperiment> {
  if (asked.startedAt === null) return withResults(asked, { exposures: NO_EXPOSURES, metrics: [] });
  return withQueryLimits(deps.config.queryTimeoutSeconds, stopped, async (signal) => {
    const measured = await measureAsked(deps, project, asked, null, signal, refresh);
    const unusual = await countUnusual(deps, project, asked, signal, refresh);
    const calculated = withResults(asked, measured, unusual);
    if (!['watch', 'mismatch'].includes(calculated.results.sampleRatio.status)) return calculated;
    const counts = await deps.experiments.countExposuresBy(project.id, asked.exposure, DIAGNOSED, signal);
    const { exposures } = measured;
    const diagnosis = diagnoseSplit(
      [...counts, ...daysOf(exposures), ...countsByPhase(exposures.phases)],
      plannedSplit(asked.variants, asked.phases, exposures),
    );
    return { ...calculated, results: { ...calculated.results, diagnosis } };
  });
}

/** From the cache, until events, persons or the experiment change. */
async function measureAsked(
  deps: ExperimentApiDeps,
  project: Project,
  { exposure, metrics }: AskedExperiment,
  split: ExposureSplit | null,
  signal: AbortSignal,
  refresh = false,
): Promise<ExperimentMeasurement & { isCached: boolean }> {
  const questions = metrics.map(({ question }) => question);
  const question = JSON.stringify(['experiment', exposure, questions, split]);
  const query = { projectId: project.id, question, refresh, signal };
  const { answer, isCached } = await deps.results.getOrCompute(query, (stopped) =>
    deps.experiments.measureExperiment(project.id, exposure, questions, split, stopped),
  );
  return { ...answer, isCached };
}

async function countUnusual(
  deps: ExperimentApiDeps,
  project: Project,
  { exposure, unusual }: AskedExperiment,
  signal: AbortSignal,
  refresh: boolean,
): Promise<UnusualExposures> {
  if (unusual.before === null && unusual.forced.length === 0) return NOTHING_UNUSUAL;
  const question = JSON.stringify(['experiment-unusual', exposure, unusual]);
  const { answer } = await deps.results.getOrCompute({ projectId: project.id, question, refresh, signal }, (stopped) =>
    deps.experiments.countUnusualExposures(project.id, exposure, unusual, stopped),
  );
  return answer;
}

const NOTHING_UNUSUAL: UnusualExposures = { exposedBefore: 0, forced: 0 };

/** The same for each value of a property of the first exposure: described, never decided. */
export interface ResultPart {
  /** Null: all other values together. */
  value: string | null;
  calculated: CalculatedExperiment;
}

const MAX_PARTS = 20;

export async function breakDownExperiment(
  deps: ExperimentApiDeps,
  project: Project,
  stopped: AbortSignal,
  asked: AskedExperiment,
  property: string,
): Promise<ResultPart[]> {
  if (asked.startedAt === null) return [];
  return withQueryLimits(deps.config.queryTimeoutSeconds, stopped, async (signal) => {
    const counts = await deps.experiments.countExposuresBy(project.id, asked.exposure, [property], signal);
    const values = [...new Set(counts.map(({ value }) => value))].slice(0, MAX_PARTS);
    const { exposures, metrics } = await measureAsked(deps, project, asked, { property, values }, signal);
    return [...values, null].flatMap((value, part): ResultPart[] => {
      const byVariant = exposures.parts[part];
      if (byVariant === undefined) return [];
      const own = metrics.map((data) => data.filter((one) => one.part === part));
      const calculated = withResults(
        { ...asked, phases: [] },
        { exposures: { ...NO_EXPOSURES, byVariant }, metrics: own },
      );
      return [{ value, calculated }];
    });
  });
}

/** Where a fault of the split mostly is. */
const DIAGNOSED = [
  ...['$lib', '$lib_version', '$browser', '$os', '$geoip_country_code', '$app_version'],
  // posthog-js sends whether the person had been identified by then.
  '$is_identified',
  IS_NEW_PERSON,
  HAS_PAGE_VIEW,
];

const daysOf = ({ days }: ExperimentMeasurement['exposures']): ExposureCount[] =>
  days.map(({ day, variant, count }) => ({
    property: 'day',
    value: new Date(day).toISOString().slice(0, 10),
    variant,
    count,
  }));

export function withResults(
  asked: AskedExperiment,
  measured: ExperimentMeasurement & { isCached?: boolean },
  unusualExposures: UnusualExposures = NOTHING_UNUSUAL,
): CalculatedExperiment {
  const { settings, variants, phases, metrics, experiment, isFlagDeleted, releaseChanges: changes, now } = asked;
  const results = assembleResults({
    settings,
    isFlagDeleted,
    variants,
    phases,
    releaseChanges: changes,
    exposures: measured.exposures,
    unusualExposures,
    metrics: metrics.map(({ metric }, at) => ({ metric, data: measured.metrics[at] ?? [] })),
    startedAt: experiment.startDate ?? now,
    endedAt: experiment.endDate,
    now,
    today: startOfInterval(now, 'day', asked.exposure.timezone),
  });
  const isCached = measured.isCached === true;
  return { ...asked, exposures: measured.exposures, unusualExposures, isCached, results };
}

const actorOf = ({ aggregation_group_type_index: index }: JsonObject): ExposureQuestion['actor'] =>
  typeof index === 'number' ? { kind: 'group', index } : { kind: 'person' };

/** Sequential decisions count only those whose window has ended by now, to the minute; also after the end. */
function questionOf(metric: ExperimentMetric, settings: DecisionSettings, now: number): MetricQuestion {
  const { windowMs, asked, winsor, role } = metric;
  const openMs = openWindowMs({ windowMs, ...asked });
  const isMatured = openMs > 0 && (settings.stopping === 'sequential' || settings.onlyMatured || role === 'guardrail');
  const exposedBefore = isMatured ? Math.floor(now / MINUTE_MS) * MINUTE_MS - openMs + 1 : null;
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
