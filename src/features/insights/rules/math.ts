import { invalid } from '../../../core/errors.ts';
import type { JsonObject } from '../../../core/json/json.ts';
import { quote, readIntegerField, readTextField } from './fields.ts';

/** How the events of a series become a number. */
export type SeriesMath =
  | { kind: 'total' }
  /** Distinct persons. */
  | { kind: 'dau' }
  /** Distinct persons of the 7 or 30 days that end with the interval. */
  | { kind: 'active'; days: 7 | 30 }
  | { kind: 'unique_session' }
  | { kind: 'unique_group'; group: number }
  /** A statistic of a numeric property; of a property of sessions (`isSessionStatistic`): one number a session. */
  | { kind: 'property'; statistic: Statistic; property: string }
  /** A statistic of the number of events per active person or group. */
  | { kind: 'per_actor'; statistic: Exclude<Statistic, 'sum'>; group: number | null };

const STATISTICS = ['sum', 'avg', 'min', 'max', 'median', 'p90', 'p95', 'p99'] as const;
export type Statistic = (typeof STATISTICS)[number];

/** As clients send it. */
export function mathName(math: SeriesMath): string {
  switch (math.kind) {
    case 'active':
      return math.days === 7 ? 'weekly_active' : 'monthly_active';
    case 'property':
      return math.statistic;
    case 'per_actor':
      return `${math.statistic}_count_per_actor`;
    case 'total':
    case 'dau':
    case 'unique_session':
    case 'unique_group':
      return math.kind;
  }
}

const PER_ACTOR_SUFFIX = '_count_per_actor';

/** `math`, `math_property`, `math_group_type_index` of a series. */
export function readMath(given: JsonObject): SeriesMath {
  const name = readTextField(given, 'math') ?? 'total';
  switch (name) {
    case 'total':
    case 'dau':
    case 'unique_session':
      return { kind: name };
    case 'weekly_active':
      return { kind: 'active', days: 7 };
    case 'monthly_active':
      return { kind: 'active', days: 30 };
    case 'unique_group':
      return { kind: 'unique_group', group: readGroup(given) ?? missingGroup() };
    default:
      return readStatistic(name, given);
  }
}

function readStatistic(name: string, given: JsonObject): SeriesMath {
  const isPerActor = name.endsWith(PER_ACTOR_SUFFIX);
  const statistic = STATISTICS.find((one) => one === (isPerActor ? name.slice(0, -PER_ACTOR_SUFFIX.length) : name));
  if (name === 'hogql') throw invalid('math', 'math: "hogql" is not supported: use sum, avg, … with a math_property.');
  if (statistic === undefined || (isPerActor && statistic === 'sum')) {
    throw invalid('math', `There is no math called ${quote(name)}.`);
  }
  if (isPerActor && statistic !== 'sum') return { kind: 'per_actor', statistic, group: readGroup(given) ?? null };
  const property = readTextField(given, 'math_property');
  if (property === undefined) throw invalid('math_property', 'This field is required.', 'required');
  return { kind: 'property', statistic, property };
}

const readGroup = (given: JsonObject): number | undefined =>
  readIntegerField(given, 'math_group_type_index', { min: 0, max: 4 });

const missingGroup = (): never => {
  throw invalid('math_group_type_index', 'unique_group needs the index of the group type, from 0 to 4.', 'required');
};
