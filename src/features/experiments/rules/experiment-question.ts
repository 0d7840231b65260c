/** What an experiment asks of the events: who was exposed to which variant, and what they did then. */
import type { Entity } from '../../../core/actions/entity.ts';
import type { Actor } from '../../../core/actor.ts';
import type { VariantData } from '../../../core/experiments/analyse.ts';
import type { WinsorLevels } from '../../../core/experiments/winsorise.ts';
import type { Filter } from '../../../core/filters/property-filter.ts';
import type { Range } from '../../../core/time/range.ts';

export interface ExposureQuestion {
  flagKey: string;
  /** Null: calls of the flag. Otherwise these events, with the variant in their property `$feature/<key>`. */
  event: Entity | null;
  /** Those who met a variant count from the first of these events on; absent or null: from the variant itself on. */
  activation?: Entity | null;
  /** Other values are no exposure. */
  variants: readonly string[];
  /** Every such event is an exposure to the first variant, whatever its properties: for a plan before there is a flag. */
  takesAll?: boolean;
  range: Range;
  /** Whom the flag is split by. */
  actor: Actor;
  /** Entities that met several variants are left out, or belong to the first one. */
  severalVariants: 'exclude' | 'first_seen';
  /** Test accounts, for exposures and metrics alike. */
  filter: Filter;
  timezone: string;
  /** When the split was set or changed; the first one is before everything else. */
  phaseStarts?: readonly number[];
}

/** The same numbers for each value of a property of the first exposure; all other values are one. */
export interface ExposureSplit {
  property: string;
  values: readonly string[];
}

/** Everything that is measured together. */
export interface ExperimentQuestion {
  exposure: ExposureQuestion;
  metrics: readonly MetricQuestion[];
  split: ExposureSplit | null;
}

/** A variant and a value of the split, by their index, as one number; never 0. */
export const exposureCode = (variant: number, value: number): number => 1 + variant + value * 32;
export const exposureVariant = (code: number): number => (code - 1) % 32;
export const exposureValue = (code: number): number => Math.floor((code - 1) / 32);

/** How the events of one entity become its value; without events it is 0. */
export type Measure =
  | { kind: 'count' }
  | { kind: 'sum' | 'avg' | 'min' | 'max'; property: string }
  /** How many different ones. */
  | { kind: 'unique'; of: 'session' | Actor };

export interface MeasuredEntity {
  entity: Entity;
  measure: Measure;
}

interface SharedMetric {
  /** Events count for so long after the exposure; null: to the end. */
  windowMs: number | null;
  /** Only entities that were first exposed before this; null: all. */
  exposedBefore: number | null;
  /** How long before the exposure the same is measured, to reduce the variance; null: not at all. */
  lookbackMs: number | null;
  /** Extreme values are moved to a bound; absent: they stay. */
  winsor?: WinsorLevels | null;
}

/** All steps after the exposure: in their order, without any other event between them, or in any order. */
export type FunnelOrder = 'ordered' | 'strict' | 'unordered';

export type MetricQuestion = SharedMetric &
  /** With a threshold the value is 1 for those who reach it, else 0. */
  (
    | { kind: 'mean'; measured: MeasuredEntity; threshold?: number | null }
    | { kind: 'ratio'; numerator: MeasuredEntity; denominator: MeasuredEntity }
    | { kind: 'funnel'; steps: readonly Entity[]; order: FunnelOrder }
    | RetentionMetric
  );

/** How long after the exposure a value is not complete yet; 0 where it never is, or at once. */
export const openWindowMs = (
  metric: Pick<SharedMetric, 'windowMs'> &
    ({ kind: 'retention'; spanMs: number } | { kind: 'mean' | 'ratio' | 'funnel' }),
): number => (metric.windowMs ?? 0) + (metric.kind === 'retention' ? metric.spanMs : 0);

/** Whether everybody's value is 1 or 0. */
export const isBinary = (metric: MetricQuestion): boolean =>
  metric.kind === 'funnel' || (metric.kind === 'mean' && (metric.threshold ?? null) !== null);

/** Of those who did `start` after the exposure: who did `completion` so many whole units of the calendar later. */
export interface RetentionMetric {
  kind: 'retention';
  start: Entity;
  completion: Entity;
  unit: 'second' | 'minute' | 'hour' | 'day' | 'week' | 'month';
  windowStart: number;
  windowEnd: number;
  startHandling: 'first_seen' | 'last_seen';
  /** The time from the start event to the end of the window is at most this. */
  spanMs: number;
}

export interface MetricData {
  variant: string;
  /** The index of the value that results are split by; 0 without a split. */
  part: number;
  data: VariantData;
  /** Of funnels: how many did each step. */
  stepCounts: number[] | null;
  /** Entities with a value other than 0 before the exposure. */
  withPast: number;
  /** The sum before extreme values were moved to a bound; null where they stay. */
  uncappedSum: number | null;
  /** Events after the exposure whose property is no number that counts; null where none is read. */
  ignoredValues: number | null;
}

/** First exposures by a property of theirs. */
export interface ExposureCount {
  property: string;
  value: string;
  variant: string;
  count: number;
}

/** Not a property of events: whether a person came to be within the day before the exposure, `true` or `false`. */
export const IS_NEW_PERSON = 'is_new_person';

/**
 * Not a property of events either: whether a page was viewed at the exposure or after it, `true` or `false`. Where a
 * variant redirects, its visitors may be gone before they send anything else.
 */
export const HAS_PAGE_VIEW = 'has_page_view';

export interface ExposureAnswer {
  /** Entities that count, by variant. */
  byVariant: Record<string, number>;
  /** Entities that met several variants: under one distinct id, or under several that were merged. */
  multiple: { sameId: number; mergedIds: number };
  /** Exposures without the group that the flag is split by. */
  withoutGroup: number;
  /** First exposures by day (the start of it, ms UTC) and variant. */
  days: { day: number; variant: string; count: number }[];
  /** First exposures of each phase of the split by variant. */
  phases: Record<string, number>[];
  /** Index of a value that results are split by → first exposures by variant. */
  parts: Record<string, Record<string, number>>;
}
