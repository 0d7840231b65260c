/** Unleash's export of features: `features`, `featureStrategies`, `featureEnvironments`, `segments`, `dependencies`. */
import type { Json, JsonObject } from '../../../../core/json/json.ts';
import { property, textMatches } from './conditions.ts';
import { type DecisionList, type DecisionRule, type FlagReader, NotImportable } from './decision-list.ts';
import { field, items, text } from './read-json.ts';

export function readUnleash(data: JsonObject, environment: string): FlagReader[] {
  return items(data, 'features').map((feature) => ({
    key: String(feature['name'] ?? ''),
    read: () => readFeature(data, feature, environment),
  }));
}

const belongsTo = (item: JsonObject, name: string, environment: string): boolean =>
  (item['featureName'] ?? item['feature_name']) === name && item['environment'] === environment;

function readFeature(data: JsonObject, feature: JsonObject, environment: string): DecisionList {
  const key = text(feature, 'name');
  const inEnvironment = items(data, 'featureEnvironments').find((one) => belongsTo(one, key, environment));
  if (!inEnvironment) throw new NotImportable(`it has no environment "${environment}"`);
  if (items(data, 'dependencies').some((one) => one['feature'] === key)) {
    throw new NotImportable('it depends on another feature');
  }
  if (items(inEnvironment, 'variants').length > 0 || items(feature, 'variants').length > 0) {
    throw new NotImportable('it has variants, which Unleash gives beside the value');
  }
  const all = items(data, 'featureStrategies').filter((one) => belongsTo(one, key, environment));
  const strategies = all.filter((one) => one['disabled'] !== true);
  if (all.length > 0 && strategies.length === 0) throw new NotImportable('all of its strategies are disabled');
  const isOn = inEnvironment['enabled'] === true;
  return {
    key,
    name: typeof feature['description'] === 'string' ? feature['description'] : '',
    tags: [],
    rules: isOn ? strategies.flatMap((one) => readStrategy(data, one)) : [],
    otherwise: { value: isOn && all.length === 0 },
  };
}

function readStrategy(data: JsonObject, strategy: JsonObject): DecisionRule[] {
  const name = strategy['strategyName'] ?? strategy['name'];
  const parameters = field(strategy, 'parameters');
  if (items(strategy, 'variants').length > 0) throw new NotImportable('a strategy has variants');
  const segments = Array.isArray(strategy['segments']) ? strategy['segments'] : [];
  const known = items(data, 'segments');
  const constraints = [
    ...items(strategy, 'constraints'),
    ...segments.flatMap((id) => {
      const segment = known.find((one) => one['id'] === id);
      if (!segment) throw new NotImportable(`segment ${String(id)} is not in the export`);
      return items(segment, 'constraints');
    }),
  ];
  const properties = constraints.map(readConstraint);
  if (properties.includes(null)) return [];
  const rule = { properties: properties.filter((one) => one !== undefined && one !== null), outcome: { value: true } };
  switch (name) {
    case 'default':
      return [rule];
    case 'userWithId': {
      const ids = String(parameters['userIds'] ?? '')
        .split(/\s*,\s*/)
        .filter((id) => id !== '');
      return ids.length === 0
        ? []
        : [{ ...rule, properties: [...rule.properties, textMatches('distinct_id', 'is', ids, true)] }];
    }
    case 'flexibleRollout':
      return [{ ...rule, rollout: readRollout(parameters) }];
    case 'gradualRolloutUserId':
      return [{ ...rule, rollout: percentage(parameters['percentage']) }];
    default:
      throw new NotImportable(`strategy '${String(name).slice(0, 100)}'`);
  }
}

function readRollout(parameters: JsonObject): number {
  const { stickiness = 'default' } = parameters;
  const rollout = percentage(parameters['rollout']);
  if (stickiness === 'random' && rollout > 0 && rollout < 100)
    throw new NotImportable('its percentage is random on each call');
  if (!['default', 'userId', 'random'].includes(String(stickiness))) {
    throw new NotImportable(`its percentage sticks to '${String(stickiness).slice(0, 100)}'`);
  }
  return rollout;
}

function percentage(value: Json | undefined): number {
  const number = Number(value);
  if (Number.isFinite(number) && number >= 0 && number <= 100) return number;
  throw new NotImportable('a percentage is not from 0 to 100');
}

const NUMBERS: Readonly<Record<string, [operator: string, inverse: string]>> = {
  NUM_GT: ['gt', 'lte'],
  NUM_GTE: ['gte', 'lt'],
  NUM_LT: ['lt', 'gte'],
  NUM_LTE: ['lte', 'gt'],
};
const TEXTS: Readonly<Record<string, 'starts' | 'ends' | 'contains'>> = {
  STR_STARTS_WITH: 'starts',
  STR_ENDS_WITH: 'ends',
  STR_CONTAINS: 'contains',
};

/** Undefined: always met. Null: never. */
function readConstraint(constraint: JsonObject): JsonObject | null | undefined {
  const name = text(constraint, 'contextName');
  const operator = String(constraint['operator']);
  const isInverted = constraint['inverted'] === true;
  const key = name === 'userId' ? 'distinct_id' : name;
  if (['currentTime', 'environment', 'appName', 'sessionId', 'remoteAddress'].includes(name)) {
    throw new NotImportable(`a constraint on ${name}`);
  }
  const values = (Array.isArray(constraint['values']) ? constraint['values'] : [])
    .filter((value) => typeof value === 'string' && value !== '')
    .map((value) => String(value).trim());
  if (operator === 'IN' || operator === 'NOT_IN') {
    const isWanted = (operator === 'IN') !== isInverted;
    return values.length === 0 ? (isWanted ? null : undefined) : textMatches(key, 'is', values, isWanted);
  }
  const match = TEXTS[operator];
  if (match !== undefined) {
    if (values.length === 0) return isInverted ? undefined : null;
    return textMatches(key, match, values, !isInverted, constraint['caseInsensitive'] === true);
  }
  const number = NUMBERS[operator];
  const value = Number(constraint['value']);
  // Inverted, it is also met by those who have no such number, which no comparison of ours is.
  if (number === undefined || isInverted || !Number.isFinite(value)) {
    throw new NotImportable(
      `the constraint ${isInverted ? 'not ' : ''}${operator.slice(0, 50)} on ${name.slice(0, 100)}`,
    );
  }
  return property(key, number[0], value);
}
