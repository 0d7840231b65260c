/** Experiments: their life, results, plan, and the persons in their variants. */
import type { Static } from '@sinclair/typebox';
import type { ExperimentSchema } from '../../../src/features/experiments/api/experiment-schemas.ts';
import type { SavedMetricSchema } from '../../../src/features/experiments/api/saved-metric-schemas.ts';
import type { ListedPerson } from './persons.ts';
import { get, type Paged, patch, post, projectPath, type Query, remove } from './request.ts';

export type Experiment = Static<typeof ExperimentSchema>;
export type SavedMetric = Static<typeof SavedMetricSchema>;

type Verdict =
  | 'no_data'
  | 'too_early'
  | 'collecting'
  | 'better'
  | 'worse'
  | 'no_difference_found'
  | 'split_broken'
  | 'cannot_calculate'
  | 'setup_suspicious'
  | 'harm'
  | 'no_harm'
  | 'described';

/** Null where a number cannot be given. */
type Bounds = [low: number, high: number] | null;

export interface VariantResult {
  key: string;
  number_of_samples: number;
  mean?: number | null;
  /** Before extreme values were moved to a bound. */
  uncapped_mean?: number | null;
  difference: number | null;
  lift: number | null;
  lift_interval: Bounds;
  p_value: number | null;
  p_value_adjusted: number | null;
  /** Of all who count; events with a property that is no number. */
  ignored_values?: number;
  sequential?: { first_crossed?: string | null } | null;
  chance_to_win: number | null;
  validation_failures: string[];
  bayesian: { expected_loss: number; expected_loss_control: number } | null;
  cuped: { variance_reduction: number } | null;
  step_counts?: number[];
  verdict: Verdict;
  sentence: string;
}

export interface MetricResult {
  uuid: string;
  name: string;
  role?: 'primary' | 'secondary' | 'guardrail';
  guardrail?: { margin_relative: number; action: 'notify' | 'pause' | 'roll_back'; min_users: number } | null;
  metric_type?: 'mean' | 'funnel' | 'ratio' | 'retention';
  /** Of a mean: who reaches it is counted. */
  threshold?: number | null;
  goal?: 'increase' | 'decrease';
  open_window?: boolean;
  /** Of a metric that cannot be calculated at all. */
  sentence?: string;
  baseline: { key: string; number_of_samples: number; mean: number | null; uncapped_mean?: number | null } | null;
  variant_results: VariantResult[];
}

export interface SplitCheck {
  status: 'ok' | 'watch' | 'mismatch' | 'not_enough_data';
  p_value: number;
  expected: Record<string, number>;
  diagnosis: { property: string; value: string; p_value: number; explains_all: boolean }[];
}

export interface Exposures {
  total: number;
  by_variant: Record<string, number>;
  multiple: { same_id: number; merged_ids: number };
  without_group: number;
  timeseries: { variant: string; days: string[]; exposure_counts: number[] }[];
  srm: SplitCheck;
}

export interface Results {
  as_of: string;
  stopping: 'sequential' | 'fixed';
  alpha: number;
  decision_allowed: boolean;
  verdict: Verdict;
  sentence: string;
  next_step: string;
  warnings: { code: string; sentence: string }[];
  plan: {
    planned_users: number | null;
    users: number;
    days: number;
    days_left: number | null;
    power_now: number | null;
    mde_now: number | null;
    mde_relative: number;
    min_days: number;
    max_days: number;
  };
  /** Of a fixed plan: as it was when it was reached. */
  planned_result: { as_of: string; plan: { users: number } } | null;
  exposures: Exposures;
  phases: { from: string; weights: Record<string, number> }[];
  metrics: MetricResult[];
  breakdown?: { property: string; values: ResultPart[] };
}

/** The results of those with one value of a property; null: all other values. */
export interface ResultPart {
  value: string | null;
  exposures: Exposures;
  metrics: MetricResult[];
}

/** What a guardrail has done, and why. */
export interface GuardrailAlarm {
  key: string;
  action: 'notify' | 'pause' | 'roll_back';
  at: string;
  sentence?: string;
  variant?: string;
  /** The variants that the experiment has left; absent where it ended. */
  goes_on_with?: string[];
  lift?: number | null;
  lift_interval?: Bounds;
  users?: { baseline: number; variant: number };
}

export interface Holdout {
  id: number;
  name: string;
  description: string | null;
  filters: { rollout_percentage?: number }[];
}

export interface Course {
  points: { date: string; users: number; variant_results: VariantResult[] }[];
}

export interface Plan {
  users: number;
  users_per_day: number;
  baseline_mean: number | null;
  planned_users: number | null;
  days: number | null;
  detectable_effect: number | null;
  sentence: string;
  /** The same for other changes. */
  curve: PlanStep[];
  /** Of a draft: what happened in the last seven days. */
  checks: { name: string; kind: 'flag' | 'event'; events: number; is_seen: boolean }[];
}

export interface PlanStep {
  mde_relative: number;
  planned_users: number | null;
  days: number | null;
  sentence: string;
}

const pathOf = (projectId: number, ...parts: (string | number)[]): string =>
  projectPath(projectId, 'experiments', ...parts);

export const listExperiments = (projectId: number, query: Query, signal?: AbortSignal): Promise<Paged<Experiment>> =>
  get<Paged<Experiment>>(pathOf(projectId), query, signal);

export const getExperiment = (projectId: number, id: number, signal?: AbortSignal): Promise<Experiment> =>
  get<Experiment>(pathOf(projectId, id), undefined, signal);

export const createExperiment = (projectId: number, body: Record<string, unknown>): Promise<Experiment> =>
  post<Experiment>(pathOf(projectId), body);

export const updateExperiment = (projectId: number, id: number, body: Record<string, unknown>): Promise<Experiment> =>
  patch<Experiment>(pathOf(projectId, id), body);

type Step = 'launch' | 'pause' | 'resume' | 'end' | 'ship_variant' | 'archive' | 'unarchive';

export const takeStep = (
  projectId: number,
  id: number,
  step: Step,
  body: Record<string, unknown> = {},
): Promise<Experiment> => post<Experiment>(pathOf(projectId, id, step), body);

export const duplicateExperiment = (projectId: number, id: number): Promise<Experiment> =>
  post<Experiment>(pathOf(projectId, id, 'duplicate'), {});

export const listHoldouts = (projectId: number, signal?: AbortSignal): Promise<Paged<Holdout>> =>
  get<Paged<Holdout>>(projectPath(projectId, 'experiment_holdouts'), { limit: 100 }, signal);

interface HoldoutWrite {
  name: string;
  description: string | null;
  filters: { properties: never[]; rollout_percentage: number }[];
}

export const createHoldout = (projectId: number, body: HoldoutWrite): Promise<Holdout> =>
  post<Holdout>(projectPath(projectId, 'experiment_holdouts'), body);

export const updateHoldout = (projectId: number, id: number, body: HoldoutWrite): Promise<Holdout> =>
  patch<Holdout>(projectPath(projectId, 'experiment_holdouts', id), body);

export const deleteHoldout = (projectId: number, id: number): Promise<void> =>
  remove(projectPath(projectId, 'experiment_holdouts', id));

const savedMetricPath = (projectId: number, ...parts: number[]): string =>
  projectPath(projectId, 'experiment_saved_metrics', ...parts);

export const listSavedMetrics = (projectId: number, signal?: AbortSignal): Promise<Paged<SavedMetric>> =>
  get<Paged<SavedMetric>>(savedMetricPath(projectId), { limit: 1000 }, signal);

type SavedMetricWrite = Partial<Pick<SavedMetric, 'name' | 'description'>> & { query?: Record<string, unknown> };

export const createSavedMetric = (projectId: number, body: SavedMetricWrite): Promise<SavedMetric> =>
  post<SavedMetric>(savedMetricPath(projectId), body);

export const updateSavedMetric = (projectId: number, id: number, body: SavedMetricWrite): Promise<SavedMetric> =>
  patch<SavedMetric>(savedMetricPath(projectId, id), body);

export const deleteSavedMetric = (projectId: number, id: number): Promise<void> =>
  remove(savedMetricPath(projectId, id));

/** Made again, it gets those who came since. */
export const createExposureCohort = (projectId: number, id: number): Promise<{ cohort: { id: number } }> =>
  post(pathOf(projectId, id, 'create_exposure_cohort_for_experiment'), {});

export const getResults = (projectId: number, id: number, signal?: AbortSignal, breakdown?: string): Promise<Results> =>
  get<Results>(pathOf(projectId, id, 'results'), breakdown === undefined ? undefined : { breakdown }, signal);

export const resultsCsvPath = (projectId: number, id: number): string =>
  `${pathOf(projectId, id, 'results')}?format=csv`;

export const getCourse = (projectId: number, id: number, metric: string, signal?: AbortSignal): Promise<Course> =>
  get<Course>(pathOf(projectId, id, 'timeseries_results'), { metric_uuid: metric }, signal);

export const planExperiment = (projectId: number, body: Record<string, unknown>, signal?: AbortSignal): Promise<Plan> =>
  post<Plan>(pathOf(projectId, 'plan'), body, signal);

/** The history shows who looked. */
export const showEarlyNumbers = (projectId: number, id: number): Promise<void> =>
  post<void>(pathOf(projectId, id, 'show_early_numbers'), {});

export const listExposedPersons = (
  projectId: number,
  id: number,
  query: Query,
  signal?: AbortSignal,
): Promise<{ results: ListedPerson[]; has_next: boolean }> => get(pathOf(projectId, id, 'persons'), query, signal);
