/** What is kept of an experiment when it is first seen: a bound that was crossed, and the result of a fixed plan. */
import type { Json, JsonObject } from '../../../core/json/json.ts';
import type { ExperimentResults } from './assemble-results.ts';
import type { DecisionSettings } from './read-settings.ts';

/** The finding of a fixed plan: there is only one. */
export const PLANNED_RESULT = 'planned';

/** By what changes the numbers of the metric, so that another question starts anew. */
export const crossedKey = (fingerprint: string | null, uuid: string, variant: string): string =>
  `crossed ${fingerprint ?? uuid} ${variant}`;

/** The metric and variant of every sequential bound that is crossed now, with enough data. */
export const crossedNow = (
  { metrics, sampleRatio }: ExperimentResults,
  { analysis: { alpha } }: DecisionSettings,
): { uuid: string; variant: string }[] =>
  sampleRatio.status === 'mismatch'
    ? []
    : metrics.flatMap(({ metric, variants }) =>
        variants
          .filter(({ analysis }) => analysis.hasEnough && (analysis.sequential?.pValue ?? 1) <= alpha)
          .map(({ key }) => ({ uuid: metric.uuid, variant: key })),
      );

/** Whether the numbers of now are those that a fixed plan decides by. */
export const isPlannedLook = (
  { isPlanDone, sampleRatio }: ExperimentResults,
  { stopping }: DecisionSettings,
): boolean => stopping === 'fixed' && isPlanDone && sampleRatio.status !== 'mismatch';

/** What is kept of results; the numbers of people and days are in it. */
export const keptResult = (presented: JsonObject): JsonObject =>
  Object.fromEntries(KEPT.map((name): [string, Json] => [name, presented[name] ?? null]));

const KEPT = ['as_of', 'verdict', 'sentence', 'decision_allowed', 'plan', 'metrics'] as const;
