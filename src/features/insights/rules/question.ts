/**
 * Questions as plain data, which can be sent to the worker and used as a cache key. Dates are resolved, defaults filled
 * in, actions expanded. `fields` is the same question as it was sent, with known fields only and JSON parsed: links to
 * persons are made of it.
 */

import type { Breakdown, BreakdownSelection } from '../../../core/actions/breakdown.ts';
import type { ActionDefinition, Entity } from '../../../core/actions/entity.ts';
import type { Actor } from '../../../core/actor.ts';
import type { Filter } from '../../../core/filters/property-filter.ts';
import type { JsonObject } from '../../../core/json/json.ts';
import type { Interval } from '../../../core/time/interval.ts';
import type { Period } from '../../../core/time/period.ts';
import type { Range, Window } from '../../../core/time/range.ts';
import type { Formula } from '../trends/rules/formula.ts';
import type { SeriesMath } from './math.ts';

interface QuestionBase {
  fields: JsonObject;
  timezone: string;
  /** Including the project's filters against test accounts, with `filter_test_accounts`. */
  filter: Filter;
  range: Range;
}

export interface Series {
  entity: Entity;
  math: SeriesMath;
}

/** `line`: a number per interval; `cumulative`: a running total; `total`: one number for the whole range. */
export type Display = 'line' | 'cumulative' | 'total';

export interface TrendsQuestion extends QuestionBase {
  kind: 'trends';
  series: readonly Series[];
  interval: Interval;
  display: Display;
  /** The previous period, to compare to. */
  previous: Range | null;
  /** Where the search for breakdown values starts: the range before it was rounded to intervals. */
  searchFrom: number;
  breakdown: Breakdown | null;
  formula: Formula | null;
  /** Each point is the mean of this many. */
  smoothing: number;
}

export interface LifecycleQuestion extends QuestionBase {
  kind: 'lifecycle';
  entity: Entity | null;
  interval: Interval;
}

export interface StickinessQuestion extends QuestionBase {
  kind: 'stickiness';
  series: readonly Series[];
  interval: Interval;
  previous: Range | null;
}

export interface RetentionQuestion extends QuestionBase {
  kind: 'retention';
  target: Entity;
  returning: Entity;
  period: Period;
  intervals: number;
  isFirstTime: boolean;
  /** Only the cohort of the first interval. */
  isFirstCohortOnly: boolean;
  breakdown: Breakdown | null;
}

export interface Exclusion {
  entity: Entity;
  /** Counted from 0. */
  from: number;
  to: number;
}

export type Attribution = { kind: 'first_touch' | 'last_touch' | 'all_events' } | { kind: 'step'; step: number };

export interface FunnelQuestion extends QuestionBase {
  kind: 'funnel';
  view: 'steps' | 'trends' | 'time_to_convert';
  order: 'ordered' | 'strict' | 'unordered';
  steps: readonly Entity[];
  exclusions: readonly Exclusion[];
  window: Window;
  actor: Actor;
  interval: Interval;
  breakdown: Breakdown | null;
  attribution: Attribution;
  /** The steps between which conversion and times are measured, counted from 0. */
  fromStep: number;
  toStep: number;
  /** Bins of the histogram of times; null: depends on the number of persons. */
  bins: number | null;
}

export type CorrelationKind = 'events' | 'properties' | 'event_with_properties';

export interface CorrelationQuestion {
  kind: 'correlation';
  fields: JsonObject;
  funnel: FunnelQuestion;
  of: CorrelationKind;
  /** Properties (`$all`: any), or for `event_with_properties` events. */
  names: readonly string[];
  excludedEvents: readonly string[];
  excludedProperties: readonly string[];
}

export const PATH_EVENT_TYPES = ['$pageview', '$screen', 'custom_event'] as const;
export type PathEventType = (typeof PATH_EVENT_TYPES)[number];

/** A path cleaning rule: replaces what the pattern matches. */
export interface PathCleaning {
  pattern: string;
  alias: string;
}

export type FunnelPath = 'funnel_path_before_step' | 'funnel_path_between_steps' | 'funnel_path_after_step';

export interface PathsQuestion extends QuestionBase {
  kind: 'paths';
  /** Types and names of events in paths; both empty: all events. */
  eventTypes: readonly PathEventType[];
  customEvents: readonly string[];
  excluded: readonly string[];
  cleanings: readonly PathCleaning[];
  /** Wildcard groups: `*` matches anything, and items that match become the group. */
  groupings: readonly string[];
  start: string | null;
  end: string | null;
  stepLimit: number;
  edgeLimit: number | null;
  minWeight: number | null;
  maxWeight: number | null;
  /** Only paths of persons at a step of this funnel. */
  funnel: { path: FunnelPath; people: FunnelPeopleQuestion } | null;
}

/** Questions for the persons behind a number. */

export interface TrendsPeopleQuestion extends QuestionBase {
  kind: 'trends_people';
  series: Series;
  interval: Interval;
  display: Display;
  selection: BreakdownSelection | null;
}

export const LIFECYCLE_STATUSES = ['new', 'returning', 'resurrecting', 'dormant'] as const;
export type LifecycleStatus = (typeof LIFECYCLE_STATUSES)[number];

export interface LifecyclePeopleQuestion {
  kind: 'lifecycle_people';
  lifecycle: LifecycleQuestion;
  /** A time in the interval. */
  target: number;
  status: LifecycleStatus;
}

export interface StickinessPeopleQuestion {
  kind: 'stickiness_people';
  stickiness: StickinessQuestion;
  series: Series;
  /** The number of intervals in which they were active. */
  intervals: number;
}

export interface RetentionPeopleQuestion {
  kind: 'retention_people';
  retention: RetentionQuestion;
  /** An interval counted from 0, or the values of the breakdown. */
  cohort: { kind: 'interval'; interval: number } | { kind: 'values'; values: readonly string[] };
}

export type FunnelSelection =
  | { kind: 'reached'; step: number }
  | { kind: 'dropped'; step: number }
  | { kind: 'exactly'; steps: readonly number[] }
  | { kind: 'entered'; period: number; isDropOff: boolean };

export interface FunnelPeopleQuestion {
  kind: 'funnel_people';
  funnel: FunnelQuestion;
  selection: FunnelSelection;
  /** One value of the breakdown; null: any. */
  value: FunnelValue | null;
}

/** A value of a funnel's breakdown: texts for properties, an id or `all` for cohorts. */
export type FunnelValue = readonly string[] | number | 'all';

export interface CorrelationPeopleQuestion {
  kind: 'correlation_people';
  correlation: CorrelationQuestion;
  /** The event that they did in the funnel; null for a property. */
  entity: Entity | null;
  properties: Filter | null;
  /** Null: both those who converted and those who did not. */
  converted: boolean | null;
}

export interface PathsPeopleQuestion {
  kind: 'paths_people';
  paths: PathsQuestion;
  startKey: string | null;
  endKey: string | null;
  dropoffKey: string | null;
}

export type Question =
  | TrendsQuestion
  | LifecycleQuestion
  | StickinessQuestion
  | RetentionQuestion
  | FunnelQuestion
  | CorrelationQuestion
  | PathsQuestion;

export type PeopleQuestion =
  | TrendsPeopleQuestion
  | LifecyclePeopleQuestion
  | StickinessPeopleQuestion
  | RetentionPeopleQuestion
  | FunnelPeopleQuestion
  | CorrelationPeopleQuestion
  | PathsPeopleQuestion;

export type InsightQuestion = Question | PeopleQuestion;

/** What has to be known about a project to read a question. */
export interface QuestionContext {
  now: number;
  timezone: string;
  /** When the project's first event happened, for `date_from=all`; null where it has none. */
  earliest?: number | null;
  /** As stored. */
  testAccountFilters?: unknown;
  pathCleanings?: readonly PathCleaning[];
  action?(id: number): ActionDefinition | undefined;
  cohort?(id: number): { name: string } | undefined;
}
