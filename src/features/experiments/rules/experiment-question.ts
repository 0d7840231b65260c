/** What an experiment asks of the events: who was exposed to which variant, and what they did then. */
import type { Entity } from '../../../core/actions/entity.ts';
import type { Actor } from '../../../core/actor.ts';
import type { VariantData } from '../../../core/experiments/analyse.ts';
import type { Filter } from '../../../core/filters/property-filter.ts';
import type { Range } from '../../../core/time/range.ts';

export interface ExposureQuestion {
  flagKey: string;
  /** Null: calls of the flag. Otherwise these events, with the variant in their property `$feature/<key>`. */
  event: Entity | null;
  /** Other values are no exposure. */
  variants: readonly string[];
  range: Range;
  /** Whom the flag is split by. */
  actor: Actor;
  /** Entities that met several variants are left out, or belong to the first one. */
  severalVariants: 'exclude' | 'first_seen';
  /** Test accounts, for exposures and metrics alike. */
  filter: Filter;
  timezone: string;
}

/** How the events of one entity become its value; without events it is 0. */
type Measure = { kind: 'count' } | { kind: 'sum' | 'avg' | 'min' | 'max'; property: string };

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
}

export type MetricQuestion = SharedMetric &
  (
    | { kind: 'mean'; measured: MeasuredEntity }
    | { kind: 'ratio'; numerator: MeasuredEntity; denominator: MeasuredEntity }
    /** All steps in their order after the exposure. */
    | { kind: 'funnel'; steps: readonly Entity[] }
  );

export interface MetricData {
  variant: string;
  data: VariantData;
  /** Of funnels: how many did each step. */
  stepCounts: number[] | null;
  /** Entities with a value other than 0 before the exposure. */
  withPast: number;
}

export interface ExposureAnswer {
  /** Entities that count, by variant. */
  byVariant: Record<string, number>;
  /** Entities that met several variants: under one distinct id, or under several that were merged. */
  multiple: { sameId: number; mergedIds: number };
  /** Exposures without the group that the flag is split by. */
  withoutGroup: number;
  /** First exposures by day (the start of it, ms UTC) and variant. */
  days: { day: number; variant: string; count: number }[];
}
