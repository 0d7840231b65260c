/** What makes results doubtful, in sentences. */
import type { Analysis } from '../../../core/experiments/analyse.ts';
import type { SampleRatio } from '../../../core/experiments/sample-ratio.ts';
import type { ExposureAnswer } from './experiment-question.ts';
import { PAST_DIFFERS_ABOVE } from './plan-progress.ts';
import type { MeasuredVariant } from './split-phases.ts';

export interface ResultWarning {
  code: string;
  sentence: string;
}

interface Warned {
  exposures: Pick<ExposureAnswer, 'multiple'>;
  unusualExposures?: { exposedBefore: number; forced: number };
  variants: readonly MeasuredVariant[];
  phases: readonly unknown[];
  /** When release conditions changed while it ran. */
  releaseChanges?: readonly number[];
  isFlagDeleted?: boolean;
}

interface WarnedMetric {
  metric: { name: string };
  variants: readonly { key: string; analysis: Analysis }[];
}

const MAX_MULTIPLE_SHARE = 0.001;
const MAX_BEFORE_SHARE = 0.05;
const MAX_FORCED_SHARE = 0.01;

export function warningsOf(
  { exposures, unusualExposures, variants, phases, releaseChanges = [], isFlagDeleted = false }: Warned,
  users: number,
  { status }: SampleRatio,
): ResultWarning[] {
  const { sameId, mergedIds } = exposures.multiple;
  const several = sameId + mergedIds;
  const { exposedBefore = 0, forced = 0 } = unusualExposures ?? {};
  const removed = variants.flatMap(({ key, isRemoved }) => (isRemoved ? [key] : []));
  const isUneven = new Set(variants.map(({ weight }) => weight)).size > 1;
  const found: [boolean, string, string][] = [
    [
      isFlagDeleted,
      'flag_deleted',
      'The feature flag was deleted: no one new sees a variant, and none can be shipped. What was measured before stays.',
    ],
    [
      isUneven && several > MAX_MULTIPLE_SHARE * (users + several),
      'multiple_variants',
      `${several} people met several variants, ${mergedIds} of them because they logged in. Ensure experience continuity, or assign after the login.`,
    ],
    [
      phases.length > 1,
      'split_changed',
      'The percentages of the variants were changed while it ran: people may have moved between variants since.',
    ],
    [
      exposedBefore > MAX_BEFORE_SHARE * users,
      'exposed_before_start',
      `${exposedBefore} of ${users} people met a variant before the start already: what they do may come from then.`,
    ],
    [
      forced > MAX_FORCED_SHARE * users,
      'forced_variants',
      `Up to ${forced} of ${users} people got their variant by a release condition, not by chance. No statistic repairs that: remove the variant from the condition, or leave these people out.`,
    ],
    [
      removed.length > 0,
      'variant_removed',
      `No one new sees ${removed.join(', ')}: no longer a variant of the flag. What was measured before stays.`,
    ],
    [
      releaseChanges.length > 0 && (status === 'watch' || status === 'mismatch'),
      'release_changed',
      `The flag's release conditions were changed while it ran: ${listTimes(releaseChanges)}. Compare the split before and after.`,
    ],
    [status === 'watch', 'split_watch', 'The split is a little uneven. That may be chance.'],
  ];
  return found.flatMap(([applies, code, sentence]) => (applies ? [{ code, sentence }] : []));
}

const SHOWN_TIMES = 3;

function listTimes(times: readonly number[]): string {
  const shown = times.slice(0, SHOWN_TIMES).map((time) => `${new Date(time).toISOString().slice(0, 16)}Z`);
  const more = times.length - shown.length;
  return `${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** What people did before their exposure cannot depend on the variant: like a split that is not as planned. */
export function pastWarnings(metrics: readonly WarnedMetric[]): ResultWarning[] {
  const found = metrics.flatMap(({ metric, variants }) =>
    variants.flatMap(({ key, analysis: { comparison } }) => {
      const [control, treatment] = [comparison?.control, comparison?.treatment];
      if (!control?.past || !treatment?.past) return [];
      const error = Math.sqrt(control.past.variance / control.n + treatment.past.variance / treatment.n);
      const isFar = Math.abs(treatment.past.mean - control.past.mean) > PAST_DIFFERS_ABOVE * error;
      return error > 0 && isFar ? [`${metric.name || 'the metric'} in ${key}`] : [];
    }),
  );
  if (found.length === 0) return [];
  const sentence = `People differed before they saw any variant: ${found.slice(0, 5).join(', ')}. Check how variants are assigned.`;
  return [{ code: 'past_differs', sentence }];
}
