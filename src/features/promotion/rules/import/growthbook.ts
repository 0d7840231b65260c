/** GrowthBook's SDK payload: `features` by key, with `defaultValue` and `rules`. */
import { isJsonObject, type Json, type JsonObject } from '../../../../core/json/json.ts';
import { isSet, property, textMatches } from './conditions.ts';
import { type DecisionList, type DecisionRule, type FlagReader, NotImportable, type Outcome } from './decision-list.ts';
import { field, items } from './read-json.ts';

export function readGrowthBook(data: JsonObject): FlagReader[] {
  const features = Object.entries(field(data, 'features'));
  return features.map(([key, feature]) => ({
    key,
    read: () => readFeature(key, isJsonObject(feature) ? feature : {}),
  }));
}

function readFeature(key: string, feature: JsonObject): DecisionList {
  const { defaultValue = null } = feature;
  return {
    key,
    name: '',
    tags: [],
    rules: items(feature, 'rules').flatMap(readRule),
    otherwise: { value: defaultValue ?? false },
  };
}

const UNKNOWN = ['filters', 'ranges', 'namespace', 'parentConditions', 'fallbackAttribute', 'bucketVersion', 'tracks'];

function readRule(rule: JsonObject): DecisionRule[] {
  const unknown = UNKNOWN.find((name) => (rule[name] ?? null) !== null);
  if (unknown !== undefined) throw new NotImportable(`a rule with ${unknown}`);
  const { hashAttribute = 'id' } = rule;
  const { coverage = 1 } = rule;
  const rollout = typeof coverage === 'number' ? Math.min(1, Math.max(0, coverage)) * 100 : 100;
  const outcome = readOutcome(rule);
  const isSplit = 'shares' in outcome || (rollout > 0 && rollout < 100);
  if (hashAttribute !== 'id' && (isSplit || 'coverage' in rule || 'shares' in outcome)) {
    throw new NotImportable(`a rule that splits by '${String(hashAttribute).slice(0, 100)}'`);
  }
  return readCondition(field(rule, 'condition')).map((properties) => ({ properties, outcome, rollout }));
}

function readOutcome(rule: JsonObject): Outcome {
  if ('force' in rule) return { value: rule['force'] ?? null };
  const { variations, weights } = rule;
  if (!Array.isArray(variations) || variations.length === 0)
    throw new NotImportable('a rule without force or variations');
  const given = Array.isArray(weights) && weights.length === variations.length ? weights.map(Number) : null;
  return {
    shares: variations.map((value, at) => ({ value, share: 100 * (given?.[at] ?? 1 / variations.length) })),
  };
}

/** An OR of ANDs. */
const readCondition = (condition: JsonObject): JsonObject[][] =>
  product(
    Object.entries(condition).map(([key, wanted]) =>
      key.startsWith('$') ? readLogic(key, wanted) : readAttribute(key, wanted),
    ),
  );

const MAX_CHOICES = 50;

function readLogic(key: string, wanted: Json): JsonObject[][] {
  const parts = Array.isArray(wanted) ? wanted.filter(isJsonObject) : [];
  if (key === '$or') return parts.length === 0 ? [[]] : parts.flatMap(readCondition);
  if (key !== '$and') throw new NotImportable(`a condition with ${key.slice(0, 50)}`);
  return product(parts.map(readCondition));
}

function readAttribute(name: string, wanted: Json): JsonObject[][] {
  if (name.includes('.')) throw new NotImportable(`a condition on the nested attribute ${name.slice(0, 100)}`);
  const key = name === 'id' ? 'distinct_id' : name;
  if (!isJsonObject(wanted)) return [[equals(key, wanted, true)]];
  return product(Object.entries(wanted).map(([operator, value]) => alternatives(key, operator, value)));
}

/** All ways to choose one of each. */
function product(parts: readonly JsonObject[][][]): JsonObject[][] {
  let all: JsonObject[][] = [[]];
  for (const choices of parts) {
    all = all.flatMap((done) => choices.map((choice) => [...done, ...choice]));
    if (all.length > MAX_CHOICES) throw new NotImportable('its conditions have too many alternatives');
  }
  return all;
}

const HOLDS_FOR_ZERO: Readonly<Record<string, (value: number) => boolean>> = {
  $gt: (value) => 0 > value,
  $gte: (value) => 0 >= value,
  $lt: (value) => 0 < value,
  $lte: (value) => 0 <= value,
};

/** GrowthBook compares an attribute that is absent as 0. */
function alternatives(key: string, operator: string, value: Json): JsonObject[][] {
  const condition = [readOperator(key, operator, value)];
  const isZeroIn = typeof value === 'number' && HOLDS_FOR_ZERO[operator]?.(value) === true;
  return isZeroIn ? [condition, [property(key, 'is_not_set', 'is_not_set')]] : [condition];
}

const NUMBERS: Readonly<Record<string, string>> = { $gt: 'gt', $gte: 'gte', $lt: 'lt', $lte: 'lte' };

function readOperator(key: string, operator: string, value: Json): JsonObject {
  const refused = new NotImportable(`the operator ${operator.slice(0, 50)} on ${key.slice(0, 100)}`);
  const number = NUMBERS[operator];
  if (number !== undefined && typeof value === 'number') return property(key, number, value);
  if (operator === '$eq') return equals(key, value, true);
  if (operator === '$ne') return equals(key, value, false);
  if (operator === '$exists')
    return value === true || value === 1 ? isSet(key) : property(key, 'is_not_set', 'is_not_set');
  const isList = Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === 'string');
  if (isList && (operator === '$in' || operator === '$nin')) {
    return textMatches(key, 'is', value as string[], operator === '$in');
  }
  throw refused;
}

function equals(key: string, value: Json, isWanted: boolean): JsonObject {
  if (typeof value === 'string') return textMatches(key, 'is', [value], isWanted);
  if (typeof value === 'number' && isWanted) return property(key, 'between', [value, value]);
  if (typeof value === 'number') return property(key, 'is_not', String(value));
  if (typeof value === 'boolean' && isWanted) return property(key, 'exact', String(value));
  throw new NotImportable(`a comparison of ${key.slice(0, 100)} with ${JSON.stringify(value).slice(0, 50)}`);
}
