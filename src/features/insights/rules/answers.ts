/** Answers as they are computed; each kind's presenter turns them into what clients see. */

import type { Range } from '../../../core/time/range.ts';
import type { FunnelValue, InsightQuestion, LifecycleStatus, PeopleQuestion } from './question.ts';

/** A value of a breakdown, and its label. */
export interface BreakdownValue {
  value: string | number;
  label: string;
}

/** The numbers of one series, one period and one value of the breakdown. */
export interface SeriesNumbers {
  value: BreakdownValue | null;
  /** One per interval; empty where only the total is shown. In a cumulative trend of actors: those who are new there. */
  points: readonly number[];
  /** Of the whole range, where the display needs it; null where there is nothing to take a statistic of. */
  total: number | null;
}

export interface TrendItem {
  label: string;
  /** The index of the series; null for a formula. */
  series: number | null;
  value: BreakdownValue | null;
  period: 'current' | 'previous' | null;
  count: number;
  data: readonly number[];
  labels: readonly string[];
  days: readonly string[];
  /** Null in time series, and where there was nothing to aggregate. */
  aggregated: number | null;
  /** The range of `data`. */
  range: Range;
}

export interface LifecycleItem {
  status: LifecycleStatus;
  label: string;
  /** Negative for dormant. */
  data: readonly number[];
  count: number;
  days: readonly string[];
  labels: readonly string[];
}

export interface StickinessItem {
  series: number;
  label: string;
  period: 'current' | 'previous' | null;
  /** At k-1: how many were active in exactly k intervals. */
  data: readonly number[];
  count: number;
  days: readonly number[];
  labels: readonly string[];
}

export interface RetentionRow {
  label: string;
  /** When the cohort started; null for a row of a breakdown. */
  date: number | null;
  breakdownValues: readonly string[] | null;
  /** The size of the cohort, and how many of it came back after 1, 2, … periods. */
  counts: readonly number[];
}

export interface FunnelStep {
  order: number;
  name: string;
  customName: string | null;
  count: number;
  /** Seconds since the step before; null for the first, and where nobody converted. */
  averageTime: number | null;
  medianTime: number | null;
}

export interface FunnelGroup {
  value: FunnelValue | null;
  label: string | null;
  steps: readonly FunnelStep[];
}

export interface FunnelTrend {
  value: FunnelValue | null;
  /** Percent of those who reached the first of the two steps. */
  data: readonly number[];
  reachedFrom: readonly number[];
  reachedTo: readonly number[];
  days: readonly string[];
  labels: readonly string[];
}

interface FunnelTimes {
  /** The lower bound in seconds, and how many persons. */
  bins: readonly (readonly [from: number, count: number])[];
  average: number | null;
}

export type FunnelAnswer =
  | { view: 'steps'; groups: readonly FunnelGroup[] }
  | { view: 'trends'; trends: readonly FunnelTrend[] }
  | { view: 'time_to_convert'; times: FunnelTimes };

export interface Correlation {
  /** `event`, `event::key::value` or `key::value`. */
  name: string;
  /** The event, or the person's property, or a property of the event. */
  factor: { event: string | null; key: string | null; value: string | null };
  success: number;
  failure: number;
  oddsRatio: number;
}

export interface CorrelationAnswer {
  events: readonly Correlation[];
  /** One outcome is more than ten times as frequent: the ratios mean little. */
  isSkewed: boolean;
}

export interface PathEdge {
  /** `1_/pricing`: the item with its position in the path. */
  source: string;
  target: string;
  value: number;
  /** Milliseconds. */
  averageTime: number;
}

/** A person or group behind a number. */
export interface FoundActor {
  /** The uuid of the person, or the key of the group. */
  actor: string;
  /** Trends: their part of the number; null where there is nothing to take the statistic of. */
  value?: number | null;
  /** Retention: whether they were active in the first interval of their cohort, and in those after it. */
  appearances?: readonly (0 | 1)[];
}

/** Answers of other questions are only read by the presenter of their kind. */
export type InsightAnswer<Q extends InsightQuestion> = Q extends PeopleQuestion ? readonly FoundActor[] : unknown;
