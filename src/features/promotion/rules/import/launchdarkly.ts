/** LaunchDarkly's flags as its API and its SDKs have them; of the API's form, one of `environments`. */
import { isJsonObject, type Json, type JsonObject } from '../../../../core/json/json.ts';
import { isSet, property, textMatches } from './conditions.ts';
import { type DecisionList, type DecisionRule, type FlagReader, NotImportable, type Outcome } from './decision-list.ts';
import { field, items, text } from './read-json.ts';

export function readLaunchDarkly(data: JsonObject, environment: string): FlagReader[] {
  const listed = items(data, 'items');
  const flags = listed.length > 0 ? listed : Object.values(field(data, 'flags')).filter(isJsonObject);
  return flags.map((flag) => ({ key: String(flag['key'] ?? ''), read: () => readFlag(flag, environment) }));
}

function readFlag(flag: JsonObject, environment: string): DecisionList {
  const key = text(flag, 'key');
  const environments = field(flag, 'environments');
  const isByEnvironment = 'environments' in flag;
  if (isByEnvironment && !isJsonObject(environments[environment])) {
    throw new NotImportable(`it has no environment "${environment}"`);
  }
  const state = isByEnvironment ? field(environments, environment) : flag;
  const variations = (Array.isArray(flag['variations']) ? flag['variations'] : []).map(variationValue);
  const variation = (index: Json | undefined): Outcome => {
    if (typeof index !== 'number' || variations[index] === undefined)
      throw new NotImportable('a variation does not exist');
    return { value: variations[index] };
  };
  const outcome = (of: JsonObject): Outcome =>
    'rollout' in of ? readRollout(field(of, 'rollout'), variation) : variation(of['variation']);
  const base = { key, name: typeof flag['description'] === 'string' ? flag['description'] : '', tags: [] };
  if (state['on'] !== true) return { ...base, rules: [], otherwise: variation(state['offVariation']) };
  if (items(state, 'prerequisites').length > 0) throw new NotImportable('it has prerequisites');
  const targets = [...items(state, 'targets'), ...items(state, 'contextTargets')].flatMap((target) =>
    readTarget(target, variation),
  );
  const rules = items(state, 'rules').map((rule) => ({
    properties: items(rule, 'clauses').flatMap(readClause),
    outcome: outcome(rule),
  }));
  return { ...base, rules: [...targets, ...rules], otherwise: outcome(field(state, 'fallthrough')) };
}

/** The API has `{value}`, SDKs the values themselves. */
const variationValue = (variation: Json): Json =>
  isJsonObject(variation) && 'value' in variation && '_id' in variation ? (variation['value'] ?? null) : variation;

function readTarget(target: JsonObject, variation: (index: Json | undefined) => Outcome): DecisionRule[] {
  const { contextKind = 'user' } = target;
  if (contextKind !== 'user') throw new NotImportable(`targets of the context '${String(contextKind).slice(0, 100)}'`);
  const values = Array.isArray(target['values']) ? target['values'].filter((one) => typeof one === 'string') : [];
  if (values.length === 0) return [];
  const properties = [textMatches('distinct_id', 'is', values as string[], true)];
  return [{ properties, outcome: variation(target['variation']) }];
}

const FULL_WEIGHT = 100_000;

function readRollout(rollout: JsonObject, variation: (index: Json | undefined) => Outcome): Outcome {
  const { bucketBy = 'key', contextKind = 'user' } = rollout;
  if (bucketBy !== 'key' || contextKind !== 'user')
    throw new NotImportable('a percentage by something else than the key of users');
  return {
    shares: items(rollout, 'variations').map((one) => {
      const given = variation(one['variation']);
      return { value: 'value' in given ? given.value : null, share: (100 * Number(one['weight'] ?? 0)) / FULL_WEIGHT };
    }),
  };
}

const TEXTS: Readonly<Record<string, 'starts' | 'ends' | 'contains'>> = {
  startsWith: 'starts',
  endsWith: 'ends',
  contains: 'contains',
};
const NUMBERS: Readonly<Record<string, [string, string]>> = {
  lessThan: ['lt', 'gte'],
  lessThanOrEqual: ['lte', 'gt'],
  greaterThan: ['gt', 'lte'],
  greaterThanOrEqual: ['gte', 'lt'],
};

/** Without the attribute a clause is not met, negated or not. */
function readClause(clause: JsonObject): JsonObject[] {
  const { attribute, op, contextKind = 'user' } = clause;
  const refused = new NotImportable(`a clause with ${String(op).slice(0, 50)} on ${String(attribute).slice(0, 100)}`);
  if (contextKind !== 'user' || typeof attribute !== 'string' || attribute === '' || attribute.includes('/'))
    throw refused;
  const key = attribute === 'key' ? 'distinct_id' : attribute;
  const isWanted = clause['negate'] !== true;
  const values = Array.isArray(clause['values']) ? clause['values'] : [];
  const present = isWanted || key === 'distinct_id' ? [] : [isSet(key)];
  if (values.length === 0) throw refused;
  const isText = values.every((value) => typeof value === 'string');
  if (op === 'in' && isText) return [...present, textMatches(key, 'is', values as string[], isWanted)];
  const match = TEXTS[String(op)];
  if (match !== undefined && isText) return [...present, textMatches(key, match, values as string[], isWanted)];
  const [value] = values;
  const number = NUMBERS[String(op)];
  if (number !== undefined && isWanted && values.length === 1 && typeof value === 'number')
    return [property(key, number[0], value)];
  if (op === 'in' && isWanted && values.length === 1 && typeof value === 'number')
    return [property(key, 'between', [value, value])];
  if (op === 'in' && isWanted && values.length === 1 && typeof value === 'boolean')
    return [property(key, 'exact', String(value))];
  throw refused;
}
