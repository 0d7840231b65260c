/** Reads the settings of an experiment: who counts, and how it is decided. */
import type { Entity } from '../../../core/actions/entity.ts';
import { invalid } from '../../../core/errors.ts';
import type { AnalysisSettings } from '../../../core/experiments/analyse.ts';
import type { Filter } from '../../../core/filters/property-filter.ts';
import { NO_FILTER } from '../../../core/filters/property-filter.ts';
import type { JsonObject } from '../../../core/json/json.ts';
import { DAY_MS } from '../../../core/time/units.ts';
import type { QuestionContext } from '../../insights/rules/question.ts';
import { readFilter } from '../../insights/rules/read-filter.ts';
import type { ExposureQuestion } from './experiment-question.ts';
import type { PlanInput } from './plan-experiment.ts';
import { choice, listIn, numberIn, objectIn, textOr } from './read-fields.ts';
import { readNode } from './read-metrics.ts';

export interface DecisionSettings {
  /** All variants are the same: a difference means that something is wrong with the set-up. */
  isAa: boolean;
  /** Only those whose window has ended count, whatever the metric and the method. */
  onlyMatured: boolean;
  /** By the uuid of its metric; null: the first one. */
  primaryUuid: string | null;
  method: 'bayesian' | 'frequentist';
  stopping: 'sequential' | 'fixed';
  correction: 'holm' | 'benjamini-hochberg' | 'none';
  baselineKey: string;
  lookbackMs: number | null;
  analysis: Omit<AnalysisSettings, 'isLowerBetter'>;
  /** Whether intervals on the wire are differences instead of lifts. */
  areAbsolute: { frequentist: boolean; bayesian: boolean };
  plan: { plannedUsers: number | null; minDays: number; maxDays: number; mdeRelative: number; power: number };
}

/** `stats_config` and `plan`; a number out of its range is refused, never replaced. */
export function readDecision(settings: JsonObject): DecisionSettings {
  const stats = objectIn(settings, 'stats_config');
  const plan = objectIn(settings, 'plan');
  const [bayesian, frequentist] = [objectIn(stats, 'bayesian'), objectIn(stats, 'frequentist')];
  const [cuped, prior] = [objectIn(stats, 'cuped'), objectIn(bayesian, 'prior')];
  const plannedUsers = numberIn(plan, 'planned_users', { min: 1, max: 1e9, attr: 'plan' });
  const at = 'stats_config';
  return {
    isAa: settings['mode'] === 'aa',
    onlyMatured: settings['only_count_matured_users'] === true,
    primaryUuid: typeof plan['primary_metric_uuid'] === 'string' ? plan['primary_metric_uuid'] : null,
    method: choice(stats, 'method', ['bayesian', 'frequentist'], at),
    stopping: choice(stats, 'stopping', ['sequential', 'fixed'], at),
    correction: choice(stats, 'correction', ['holm', 'benjamini-hochberg', 'none'], at),
    baselineKey: textOr(stats['baseline_variant_key'], 'control'),
    lookbackMs:
      cuped['enabled'] === false
        ? null
        : (numberIn(cuped, 'lookback_days', { min: 1, max: 30, attr: `${at}__cuped` }) ?? 14) * DAY_MS,
    analysis: {
      alpha: numberIn(frequentist, 'alpha', { min: 1e-6, max: 0.5, attr: `${at}__frequentist` }) ?? 0.05,
      level: numberIn(bayesian, 'ci_level', { min: 0.5, max: 0.999999, attr: `${at}__bayesian` }) ?? 0.95,
      tuningN:
        numberIn(objectIn(stats, 'sequential'), 'tuning_n', { min: 100, max: 1e9, attr: `${at}__sequential` }) ??
        plannedUsers ??
        5000,
      prior:
        prior['proper'] === true
          ? {
              mean: numberIn(prior, 'mean', { min: -10, max: 10, attr: `${at}__bayesian__prior` }) ?? 0,
              sd: numberIn(prior, 'sd', { min: 1e-6, max: 100, attr: `${at}__bayesian__prior` }) ?? 0.3,
            }
          : null,
    },
    areAbsolute: {
      frequentist: isAbsolute(frequentist, `${at}__frequentist`),
      bayesian: isAbsolute(bayesian, `${at}__bayesian`),
    },
    plan: {
      plannedUsers,
      minDays: numberIn(plan, 'min_days', { min: 0, max: 365, attr: 'plan' }) ?? 7,
      maxDays: numberIn(plan, 'max_days', { min: 1, max: 365, attr: 'plan' }) ?? 60,
      mdeRelative: numberIn(plan, 'mde_relative', { min: 0.0001, max: 10, attr: 'plan' }) ?? 0.05,
      power: numberIn(plan, 'power', { min: 0.5, max: 0.999, attr: 'plan' }) ?? 0.8,
    },
  };
}

/** Clients write it in either case. */
function isAbsolute(given: JsonObject, attr: string): boolean {
  const { difference_type: type = null } = given;
  const named = { difference_type: typeof type === 'string' ? type.toLowerCase() : type };
  return choice(named, 'difference_type', ['relative', 'absolute'], attr) === 'absolute';
}

/** `plan` with the rest that a power calculation needs. */
export function readPlanInput(settings: JsonObject): Omit<PlanInput, 'comparisons' | 'rollout' | 'windowDays'> {
  const { stopping, analysis, plan } = readDecision(settings);
  return {
    mdeRelative: plan.mdeRelative,
    power: plan.power,
    alpha: analysis.alpha,
    stopping,
    minDays: plan.minDays,
    maxDays: plan.maxDays,
  };
}

/** Everybody with this event, before there is a flag. */
export const readBaselineEvent = (event: string, context: QuestionContext) =>
  ({
    flagKey: '',
    event: readNode({ kind: 'EventsNode', event }, 'event', context),
    variants: ['control'],
    takesAll: true,
    actor: { kind: 'person' },
    severalVariants: 'first_seen',
    filter: readFilter(context.testAccountFilters, 'event'),
  }) as const;

/** Variants that count nowhere. */
export function readExcluded(settings: JsonObject): string[] {
  const keys = listIn(settings, 'excluded_variants').map((key) => {
    if (typeof key !== 'string') throw invalid('excluded_variants', 'excluded_variants is a list of keys of variants.');
    return key;
  });
  const { baselineKey } = readDecision(settings);
  if (keys.includes(baselineKey))
    throw invalid('excluded_variants', `${baselineKey} is what the others are compared with: it cannot be excluded.`);
  return keys;
}

interface ExposureSettings {
  event: Entity | null;
  activation: Entity | null;
  severalVariants: ExposureQuestion['severalVariants'];
  filter: Filter;
}

/** Configurations of these events mean the default. */
const DEFAULT_EVENTS = ['$feature_flag_called', '$experiment_exposure'];

/** Configurations have a kind of their own for events. */
const nodeOf = (config: JsonObject): JsonObject => ({
  ...config,
  kind: config['kind'] === 'ActionsNode' ? 'ActionsNode' : 'EventsNode',
});

export function readExposure(settings: JsonObject, context: QuestionContext): ExposureSettings {
  const criteria = objectIn(settings, 'exposure_criteria');
  const config = objectIn(criteria, 'exposure_config');
  const activation = objectIn(criteria, 'activation_config');
  const name = config['event'] ?? null;
  const isDefault = Object.keys(config).length === 0 || (typeof name === 'string' && DEFAULT_EVENTS.includes(name));
  return {
    event: isDefault ? null : readNode(nodeOf(config), 'exposure_criteria__exposure_config', context),
    activation:
      Object.keys(activation).length === 0
        ? null
        : readNode(nodeOf(activation), 'exposure_criteria__activation_config', context),
    severalVariants: choice(criteria, 'multiple_variant_handling', ['exclude', 'first_seen'], 'exposure_criteria'),
    filter:
      criteria['filterTestAccounts'] === false
        ? NO_FILTER
        : readFilter(context.testAccountFilters, 'exposure_criteria'),
  };
}
