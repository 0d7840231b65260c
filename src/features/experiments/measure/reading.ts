/** What is read of the events of an experiment. */
import type { Range } from '../../../core/time/range.ts';
import type { KeyEncoding } from '../../insights/shared/actor-keys.ts';
import {
  type ExperimentQuestion,
  type ExposureQuestion,
  type MetricQuestion,
  openWindowMs,
} from '../rules/experiment-question.ts';
import { type MetricPlan, planMetrics } from './metric-plan.ts';

/** Nothing that is measured is this large: it would make every sum meaningless. */
export const MAX_VALUE = 1e100;
/** Stands for no number. */
export const NO_NUMBER = 1e200;

/** Whoever's the events are. */
export interface Reading extends Omit<ExperimentQuestion, 'metrics'> {
  plan: MetricPlan;
  range: Range;
  encoding: KeyEncoding;
  hasTies: boolean;
}

export function planReading({ exposure, metrics, split }: ExperimentQuestion): Reading {
  const plan = planMetrics(metrics, exposure.activation ?? null);
  const range = rangeOf(exposure, metrics);
  const encoding = { base: 2 ** plan.entities.length, from: range.from };
  const hasTies = plan.needsTieOrder || exposure.severalVariants === 'first_seen' || split !== null;
  return { exposure, split, plan, range, encoding, hasTies };
}

/** The events that the metrics read. */
function rangeOf({ range }: ExposureQuestion, metrics: readonly MetricQuestion[]): Range {
  const before = Math.max(0, ...metrics.map(({ lookbackMs }) => lookbackMs ?? 0));
  const after = Math.max(0, ...metrics.map(openWindowMs));
  return { from: range.from - before, until: range.until + after };
}
