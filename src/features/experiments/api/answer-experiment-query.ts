/** Results as PostHog's own front end asks for them: by the query endpoint, one metric at a time. */
import type { FastifyReply } from 'fastify';
import { invalid } from '../../../core/errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../core/json/json.ts';
import { parseId } from '../../../core/parse-id.ts';
import { callerSignal } from '../../../http/api/caller-signal.ts';
import { iso } from '../../../http/schemas/common.ts';
import type { Project } from '../../../stores/metadata/accounts.ts';
import { getExperiment } from '../manage/experiments.ts';
import type { Experiment } from '../store/experiment-store.ts';
import type { ExperimentApiDeps } from './deps.ts';
import { type CalculatedExperiment, calculateExperiment } from './experiment-results.ts';
import { presentExposures, presentResults } from './present-results.ts';

type Kind = 'ExperimentQuery' | 'ExperimentExposureQuery';

export const isExperimentQuery = (kind: Json | undefined): kind is Kind =>
  kind === 'ExperimentQuery' || kind === 'ExperimentExposureQuery';

/** `{"kind": "ExperimentQuery", "experiment_id": 1, "metric": {…}}`, or its exposures. */
export async function answerExperimentQuery(
  deps: ExperimentApiDeps,
  project: Project,
  kind: Kind,
  query: JsonObject,
  reply: FastifyReply,
): Promise<JsonObject> {
  const id = parseId(query['experiment_id']);
  if (id === null) throw invalid('query__experiment_id', 'experiment_id is the number of an experiment.');
  const experiment = await getExperiment(deps.metadata, project.id, id);
  const asked = withMetrics(experiment, kind === 'ExperimentQuery' ? [metricIn(query)] : []);
  const calculated = await calculateExperiment(deps, project, callerSignal(reply), asked);
  if (kind === 'ExperimentExposureQuery') {
    const { srm, timeseries, by_variant } = presentExposures(calculated);
    const { range } = calculated.exposure;
    return {
      kind,
      timeseries: timeseries as Json,
      total_exposures: by_variant,
      date_range: { date_from: iso(range.from), date_to: iso(range.until) },
      sample_ratio_mismatch: { expected: srm.expected, p_value: srm.p_value },
      bias_risk: biasRisk(calculated),
    };
  }
  const [metric] = presentResults(calculated).metrics as JsonObject[];
  return { kind, ...(metric ?? {}) };
}

/** Leaving out those who met several variants shifts the others where the split is uneven. */
function biasRisk({ exposures, exposure, results, variants }: CalculatedExperiment): JsonObject | null {
  const several = exposures.multiple.sameId + exposures.multiple.mergedIds;
  const isUneven = new Set(variants.map(({ weight }) => weight)).size > 1;
  if (exposure.severalVariants !== 'exclude' || !isUneven || several === 0) return null;
  return { multiple_variant_percentage: (100 * several) / (results.users + several) };
}

const withMetrics = (experiment: Experiment, metrics: Json[]): Experiment => ({
  ...experiment,
  settings: { ...experiment.settings, metrics, metrics_secondary: [], saved_metrics_ids: [], guardrails: [] },
});

function metricIn({ metric }: JsonObject): JsonObject {
  if (metric !== undefined && isJsonObject(metric)) return metric;
  throw invalid('query__metric', 'metric is an object with its metric_type.');
}
