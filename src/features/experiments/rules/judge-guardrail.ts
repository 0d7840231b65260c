/** Whether a variant harms what it must not harm. */
import { type Analysis, hasEnoughData } from '../../../core/experiments/analyse.ts';
import type { Bounds } from '../../../core/experiments/compare-arms.ts';
import type { JsonObject } from '../../../core/json/json.ts';
import type { MetricData } from './experiment-question.ts';
import type { ExperimentMetric, Guardrail } from './read-metrics.ts';

/** What was measured of one guardrail and one variant. */
export interface GuardedVariant {
  metric: ExperimentMetric;
  guardrail: Guardrail;
  key: string;
  baseline: MetricData | null;
  data: MetricData | null;
  analysis: Analysis;
}

type Judgement = 'harm' | 'no_harm' | 'too_early';

/**
 * Harm is shown when the always-valid interval of the difference lies wholly beyond the margin on the bad side, so
 * checking every minute does not raise the rate of false alarms. Before there is enough data nothing is said.
 */
export function judgeGuardrail({ metric, guardrail, baseline, data, analysis }: GuardedVariant): Judgement {
  const isEnough = [baseline, data].every(
    (own) => own !== null && own.data.sums.n >= guardrail.minUsers && hasEnoughData(own.data),
  );
  const { sequential, comparison } = analysis;
  if (!isEnough || sequential === null || comparison === null) return 'too_early';
  const limit = guardrail.margin * Math.abs(comparison.control.mean);
  return leastHarm(sequential.interval, metric) > limit ? 'harm' : 'no_harm';
}

/** The end of the interval that is nearest to no harm; above 0 where all of it is harm. */
const leastHarm = ([low, high]: Bounds, { isLowerBetter }: ExperimentMetric): number => (isLowerBetter ? low : -high);

/** What a decision about a guardrail was based on, for the activity log and the page. */
export function evidenceOf({ metric, guardrail, key, baseline, data, analysis }: GuardedVariant): JsonObject {
  const { comparison, sequential, lift } = analysis;
  const pair = (bounds: Bounds | null | undefined) => (bounds ? [...bounds] : null);
  return {
    metric_uuid: metric.uuid,
    metric: metric.name,
    goal: metric.isLowerBetter ? 'decrease' : 'increase',
    variant: key,
    margin_relative: guardrail.margin,
    users: { baseline: baseline?.data.sums.n ?? 0, variant: data?.data.sums.n ?? 0 },
    baseline_mean: comparison?.control.mean ?? null,
    variant_mean: comparison?.treatment.mean ?? null,
    difference: comparison?.effect ?? null,
    interval: pair(sequential?.interval),
    lift,
    lift_interval: pair(sequential?.liftInterval),
    p_value: sequential?.pValue ?? null,
  };
}
