/** The first primary metric as clients of 2023 read it, beside the results of today. */
import { type ArmSums, armOf } from '../../../core/experiments/arm.ts';
import { normalQuantile } from '../../../core/experiments/distributions.ts';
import type { Json, JsonObject } from '../../../core/json/json.ts';
import type { MetricData } from '../rules/experiment-question.ts';
import type { CalculatedExperiment } from './experiment-results.ts';

/** Null where there is no primary metric, or no one was exposed. */
export function presentOldResult({ results, settings }: CalculatedExperiment): JsonObject | null {
  const found = results.metrics.find(({ metric }) => metric.role === 'primary');
  if (found === undefined || found.baseline === null) return null;
  const variants: [key: string, data: MetricData | null][] = [
    [settings.baselineKey, found.baseline],
    ...found.variants.map(({ key, data }): [string, MetricData | null] => [key, data]),
  ];
  const chances = found.variants.map(({ analysis }) => analysis.bayesian?.chanceToWin ?? null);
  const known = chances.filter((chance) => chance !== null);
  const isSignificant = found.variants.some((one) => one.isSignificant);
  const losses = found.variants.flatMap(({ analysis }) => analysis.bayesian?.expectedLoss ?? []);
  return {
    variants: variants.map(([key, data]) => ({ key, ...countsOf(data) })),
    // Each against the baseline, which wins where the best of the others does not.
    probability: {
      [settings.baselineKey]: known.length === 0 ? null : 1 - Math.max(...known),
      ...Object.fromEntries(found.variants.map(({ key }, at) => [key, chances[at] ?? null])),
    },
    significant: isSignificant,
    significance_code: codeOf(
      isSignificant,
      found.variants.map(({ verdict }) => verdict),
    ),
    expected_loss: losses.length === 0 ? null : Math.min(...losses),
    credible_intervals: Object.fromEntries(
      variants.map(([key, data]) => [key, data === null ? null : intervalOf(data.data.sums, settings.analysis.level)]),
    ),
  };
}

function codeOf(isSignificant: boolean, verdicts: readonly string[]): string {
  if (isSignificant) return 'significant';
  return verdicts.some((verdict) => verdict === 'too_early' || verdict === 'no_data')
    ? 'not_enough_exposure'
    : 'low_win_probability';
}

function countsOf(data: MetricData | null): JsonObject {
  if (data === null) return { count: 0, exposure: 0, absolute_exposure: 0 };
  const { sums, isBinary } = data.data;
  const count = sums.kind === 'proportion' ? sums.conversions : sums.sum;
  return isBinary
    ? { success_count: count, failure_count: sums.n - count }
    : { count, exposure: sums.n, absolute_exposure: sums.n };
}

/** Of the value itself, not of a difference. */
function intervalOf(sums: ArmSums, level: number): Json {
  if (sums.n < 2 || (sums.kind === 'ratio' && sums.denominatorSum === 0)) return null;
  const { mean, variance, n } = armOf(sums);
  const half = normalQuantile(1 - (1 - level) / 2) * Math.sqrt(variance / n);
  return [mean - half, mean + half];
}
