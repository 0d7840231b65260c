/** What an alert watches and when it fires, read from requests. Errors name the field as the API does. */
import {
  ALERT_CONDITIONS,
  type AlertCondition,
  type AlertRule,
  DEVIATION_DIRECTIONS,
  type Hysteresis,
  type Threshold,
} from '../../../core/alerts/judge.ts';
import { CALCULATION_INTERVALS, type CalculationInterval } from '../../../core/alerts/slots.ts';
import { invalid } from '../../../core/errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../core/json/json.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, WEEK_MS } from '../../../core/time/units.ts';

const FLAG_CHANGE_KINDS = ['active', 'rollout', 'variants', 'rollback'] as const;
type FlagChangeKind = (typeof FLAG_CHANGE_KINDS)[number];
const LIFECYCLE_STATUSES = ['new', 'returning', 'resurrecting', 'dormant'] as const;

export type AlertConfig =
  | { type: 'TrendsAlertConfig'; seriesIndex: number; checkOngoing: boolean }
  /** How many percent of those who began reach this step, counted from 1. Null: the last. */
  | { type: 'FunnelAlertConfig'; step: number | null }
  /** How many percent come back after this many periods. */
  | { type: 'RetentionAlertConfig'; period: number }
  | { type: 'LifecycleAlertConfig'; status: (typeof LIFECYCLE_STATUSES)[number] }
  /** The first number of the last row of a statement. */
  | { type: 'SqlAlertConfig' }
  | { type: 'SilentEventConfig'; event: string; silentForMs: number }
  /** Of flags with one of these ids or tags; without both, of all. */
  | {
      type: 'FlagChangeConfig';
      flagIds: readonly number[] | null;
      tags?: readonly string[];
      kinds: readonly FlagChangeKind[];
    }
  /** How many seconds the oldest event has waited to be processed. */
  | { type: 'LagConfig' }
  /** How many percent of the disk of the data folder are free. */
  | { type: 'DiskConfig' }
  /** Exceptions and ingestion warnings of a new kind, and dead letters. */
  | { type: 'NewErrorConfig' };

export interface AlertDefinition {
  condition: AlertCondition;
  threshold: Threshold | null;
  config: AlertConfig;
  interval: CalculationInterval;
  skipWeekend: boolean;
  hysteresis: Hysteresis;
}

const WITHOUT_INSIGHT: readonly AlertConfig['type'][] = [
  'SilentEventConfig',
  'FlagChangeConfig',
  'LagConfig',
  'DiskConfig',
  'NewErrorConfig',
];
/** They need no threshold. */
const OF_OWN_RULE: readonly AlertConfig['type'][] = ['SilentEventConfig', 'FlagChangeConfig', 'NewErrorConfig'];
/** What they answer now is known, and nothing earlier. */
const OF_NOW: readonly AlertConfig['type'][] = ['SqlAlertConfig', 'LagConfig', 'DiskConfig'];

export const needsInsight = ({ config }: AlertDefinition): boolean => !WITHOUT_INSIGHT.includes(config.type);

/** The fields of a request that make a definition, as they were sent. */
interface SentDefinition {
  condition?: Json | undefined;
  threshold?: Json | undefined;
  config?: Json | undefined;
  calculation_interval?: string | undefined;
  skip_weekend?: boolean | null | undefined;
  hysteresis?: Json | undefined;
}

const DEFAULT_HYSTERESIS: Hysteresis = { for: 1, clearFor: 1, margin: 0, remindEveryMs: null };

export function readDefinition(fields: SentDefinition): AlertDefinition {
  const config = readConfig(fields.config ?? { type: 'TrendsAlertConfig', series_index: 0 });
  const isOfOwnRule = OF_OWN_RULE.includes(config.type);
  const condition = readCondition(fields.condition ?? { type: 'absolute_value' });
  const interval = readCalculationInterval(fields.calculation_interval ?? 'daily');
  const definition: AlertDefinition = {
    condition: isOfOwnRule ? 'absolute_value' : condition,
    threshold: isOfOwnRule ? null : readThreshold(fields.threshold, condition),
    config,
    interval,
    skipWeekend: fields.skip_weekend ?? false,
    hysteresis: readHysteresis(fields.hysteresis ?? {}),
  };
  checkInterval(definition);
  return definition;
}

function checkInterval({ interval, condition, config }: AlertDefinition): void {
  if (OF_NOW.includes(config.type) && condition !== 'absolute_value')
    throw invalid('condition', 'Only what is now is known of it: its condition is absolute_value.', 'unsupported');
  const isPlain = !['FunnelAlertConfig', 'RetentionAlertConfig', 'LifecycleAlertConfig'].includes(config.type);
  if (interval === 'every_minute' && (!isPlain || condition === 'seasonal'))
    throw invalid(
      'calculation_interval',
      'Minutes are for trends, SQL and what needs no insight, with absolute or relative conditions. Choose hourly.',
    );
  if (interval === 'monthly' && condition === 'seasonal')
    throw invalid('calculation_interval', 'A seasonal condition compares weeks: choose hourly, daily or weekly.');
  if (interval === 'weekly' && config.type === 'LifecycleAlertConfig')
    throw invalid('calculation_interval', 'Lifecycle can be watched hourly, daily or monthly.');
}

/** Of alerts that have no threshold: one event is enough, one change is too many. */
export function ruleOf({ condition, threshold, config, hysteresis }: AlertDefinition): AlertRule {
  if (config.type === 'SilentEventConfig')
    return { condition: 'absolute_value', threshold: { type: 'absolute', lower: 1, upper: null }, hysteresis };
  if (threshold === null)
    return {
      condition: 'absolute_value',
      threshold: { type: 'absolute', lower: null, upper: 0 },
      hysteresis: DEFAULT_HYSTERESIS,
      isPerSlot: true,
    };
  return { condition, threshold, hysteresis };
}

/** True if both fire for the same reasons. Another one starts anew. */
export const isSameRule = (a: AlertDefinition, b: AlertDefinition): boolean => JSON.stringify(a) === JSON.stringify(b);

function readCondition(given: Json): AlertCondition {
  const name = isJsonObject(given) ? given['type'] : undefined;
  const condition = ALERT_CONDITIONS.find((one) => one === name);
  if (condition !== undefined) return condition;
  throw invalid('condition', `condition is an object whose type is one of ${ALERT_CONDITIONS.join(', ')}.`);
}

function readCalculationInterval(given: string): CalculationInterval {
  const interval = CALCULATION_INTERVALS.find((one) => one === given);
  if (interval !== undefined) return interval;
  throw invalid('calculation_interval', `calculation_interval is one of ${CALCULATION_INTERVALS.join(', ')}.`);
}

const EXAMPLE = '{"configuration": {"type": "absolute", "bounds": {"lower": 10, "upper": null}}}';
const MAX_K = 100;

function readThreshold(given: Json | undefined, condition: AlertCondition): Threshold {
  const configuration = isJsonObject(given) ? given['configuration'] : undefined;
  if (!isJsonObject(configuration)) throw invalid('threshold', `threshold is an object such as ${EXAMPLE}.`);
  if (condition === 'seasonal') return readDeviation(configuration);
  const type = configuration['type'] ?? 'absolute';
  if (type !== 'absolute' && type !== 'percentage')
    throw invalid('threshold', 'The type of the threshold is absolute or percentage; deviation is for seasonal ones.');
  if (type === 'percentage' && condition === 'absolute_value')
    throw invalid('threshold', 'A percentage needs something to compare with: choose a relative condition.');
  const bounds = configuration['bounds'];
  if (!isJsonObject(bounds)) throw invalid('threshold', `bounds are missing, such as in ${EXAMPLE}.`);
  const [lower, upper] = [readBound(bounds, 'lower'), readBound(bounds, 'upper')];
  if (lower === null && upper === null)
    throw invalid('threshold', 'Set lower, upper or both: without a bound the alert could never fire.');
  if (lower !== null && upper !== null && lower > upper)
    throw invalid('threshold', 'lower is greater than upper, so every value would be outside.');
  return { type, lower, upper };
}

function readBound(bounds: JsonObject, name: 'lower' | 'upper'): number | null {
  const value = bounds[name] ?? null;
  if (value === null || (typeof value === 'number' && Number.isFinite(value))) return value;
  throw invalid('threshold', `${name} is a number, or null for no bound.`);
}

function readDeviation({ type = 'deviation', k = 4, direction = 'both' }: JsonObject): Threshold {
  if (type !== 'deviation') throw invalid('threshold', 'The threshold of a seasonal condition has the type deviation.');
  if (typeof k !== 'number' || !(k > 0 && k <= MAX_K))
    throw invalid('threshold', `k, how many times the usual spread, is a number above 0 and up to ${MAX_K}.`);
  const found = DEVIATION_DIRECTIONS.find((one) => one === direction);
  if (found === undefined) throw invalid('threshold', `direction is one of ${DEVIATION_DIRECTIONS.join(', ')}.`);
  return { type, k, direction: found };
}

const MAX_SLOTS_IN_A_ROW = 100;
const MAX_MARGIN = 0.9;

function readHysteresis(given: Json): Hysteresis {
  if (!isJsonObject(given))
    throw invalid('hysteresis', 'hysteresis is an object with for, clear_for, margin, remind_every.');
  const count = (name: 'for' | 'clear_for'): number => {
    const value = given[name] ?? 1;
    if (typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= MAX_SLOTS_IN_A_ROW) return value;
    throw invalid('hysteresis', `${name} is a whole number from 1 to ${MAX_SLOTS_IN_A_ROW}.`);
  };
  const margin = given['margin'] ?? 0;
  if (typeof margin !== 'number' || !(margin >= 0 && margin <= MAX_MARGIN))
    throw invalid('hysteresis', `margin is a number from 0 to ${MAX_MARGIN}.`);
  const remind = given['remind_every'] ?? null;
  const remindEveryMs = remind === null ? null : readLength('hysteresis', 'remind_every', remind);
  return { for: count('for'), clearFor: count('clear_for'), margin, remindEveryMs };
}

const UNITS: Readonly<Record<string, number>> = { m: MINUTE_MS, h: HOUR_MS, d: DAY_MS, w: WEEK_MS };
const MAX_LENGTH_MS = 90 * DAY_MS;

/** `30m`, `6h`, `1d`, `2w` */
function readLength(attr: string, name: string, given: Json): number {
  const [, count = '', unit = ''] = (typeof given === 'string' && /^(\d{1,5})([mhdw])$/.exec(given)) || [];
  const ms = Number(count) * (UNITS[unit] ?? 0);
  if (ms > 0 && ms <= MAX_LENGTH_MS) return ms;
  throw invalid(attr, `${name} is a length of time up to 90 days: 30m, 6h, 1d or 2w.`);
}

export function lengthText(ms: number): string {
  const unit = ['w', 'd', 'h'].find((one) => ms % (UNITS[one] ?? 1) === 0) ?? 'm';
  return `${ms / (UNITS[unit] ?? 1)}${unit}`;
}

const MAX_FUNNEL_STEP = 100;
const MAX_PERIOD = 100;

function readConfig(given: Json): AlertConfig {
  const fields = isJsonObject(given) ? given : {};
  const integer = (name: string, fallback: number | null, min: number, max: number): number | null => {
    const value = fields[name] ?? fallback;
    if (value === null || (typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max))
      return value;
    throw invalid('config', `${name} is a whole number from ${min} to ${max}.`);
  };
  switch (fields['type']) {
    case 'TrendsAlertConfig':
      return {
        type: 'TrendsAlertConfig',
        seriesIndex: integer('series_index', 0, 0, 25) ?? 0,
        checkOngoing: fields['check_ongoing_interval'] === true,
      };
    case 'FunnelAlertConfig':
      return { type: 'FunnelAlertConfig', step: integer('step', null, 2, MAX_FUNNEL_STEP) };
    case 'RetentionAlertConfig':
      return { type: 'RetentionAlertConfig', period: integer('period', 1, 1, MAX_PERIOD) ?? 1 };
    case 'LifecycleAlertConfig':
      return { type: 'LifecycleAlertConfig', status: readStatus(fields['status'] ?? 'new') };
    case 'SqlAlertConfig':
      return { type: 'SqlAlertConfig' };
    case 'SilentEventConfig':
      return { type: 'SilentEventConfig', ...readSilence(fields) };
    case 'FlagChangeConfig':
      return {
        type: 'FlagChangeConfig',
        flagIds: readFlagIds(fields['flag_ids'] ?? null),
        ...readTags(fields['tags'] ?? null),
        kinds: readKinds(fields),
      };
    case 'LagConfig':
    case 'DiskConfig':
    case 'NewErrorConfig':
      return { type: fields['type'] };
    default:
      throw invalid('config', `The type of config is one of ${CONFIG_TYPES.join(', ')}.`, 'unsupported');
  }
}

const CONFIG_TYPES: readonly AlertConfig['type'][] = [
  'TrendsAlertConfig',
  'FunnelAlertConfig',
  'RetentionAlertConfig',
  'LifecycleAlertConfig',
  'SqlAlertConfig',
  'SilentEventConfig',
  'FlagChangeConfig',
  'LagConfig',
  'DiskConfig',
  'NewErrorConfig',
];

function readStatus(given: Json) {
  const status = LIFECYCLE_STATUSES.find((one) => one === given);
  if (status === undefined) throw invalid('config', `status is one of ${LIFECYCLE_STATUSES.join(', ')}.`);
  return status;
}

const MAX_EVENT_LENGTH = 400;

function readSilence({ event = null, silent_for = '1d' }: JsonObject): { event: string; silentForMs: number } {
  if (typeof event !== 'string' || event === '' || event.length > MAX_EVENT_LENGTH)
    throw invalid('config', 'event is the name of an event.');
  return { event, silentForMs: readLength('config', 'silent_for', silent_for) };
}

function readFlagIds(given: Json): readonly number[] | null {
  if (given === null) return null;
  if (Array.isArray(given) && given.length > 0 && given.length <= 200) {
    const ids = given.filter((id): id is number => typeof id === 'number' && Number.isSafeInteger(id));
    if (ids.length === given.length) return ids;
  }
  throw invalid('config', 'flag_ids is a list of ids of flags; leave it out to watch all of them.');
}

const MAX_TAGS = 100;
const MAX_TAG_LENGTH = 400;

function readTags(given: Json): { tags?: readonly string[] } {
  if (given === null) return {};
  if (Array.isArray(given) && given.length > 0 && given.length <= MAX_TAGS) {
    const tags = given.filter((tag) => typeof tag === 'string' && tag !== '' && tag.length <= MAX_TAG_LENGTH);
    if (tags.length === given.length) return { tags: tags as string[] };
  }
  throw invalid('config', 'tags is a list of tags of flags; leave it out to watch flags with any tag or none.');
}

function readKinds({ kinds = [...FLAG_CHANGE_KINDS] }: JsonObject): readonly FlagChangeKind[] {
  const found = FLAG_CHANGE_KINDS.filter((kind) => Array.isArray(kinds) && kinds.includes(kind));
  if (Array.isArray(kinds) && found.length === kinds.length && found.length > 0) return found;
  throw invalid('config', `kinds is a list of some of ${FLAG_CHANGE_KINDS.join(', ')}.`);
}
