/** LaunchDarkly's flags as its API and its SDKs have them; of the API's form, one of `environments`. */
import { isJsonObject, type Json, type JsonObject } from '../../../../core/json/json.ts';
import { flagIs, textMatches } from './conditions.ts';
import {
  type BucketingStep,
  type DecisionRule,
  type FlagReader,
  type ImportedFlag,
  NotImportable,
  toImportedFlag,
} from './decision-list.ts';
import {
  attributeName,
  bucketsOf,
  readClauses,
  type Segments,
  WHOLE_WEIGHT,
  withSteps,
} from './launchdarkly-clauses.ts';
import { field, items, text } from './read-json.ts';

const flagsIn = (data: JsonObject): JsonObject[] => {
  const listed = items(data, 'items');
  return listed.length > 0 ? listed : Object.values(field(data, 'flags')).filter(isJsonObject);
};

export function readLaunchDarkly(data: JsonObject, environment: string): FlagReader[] {
  const flags = flagsIn(data);
  const segments = readSegments(data);
  const byKey = new Map(flags.map((flag) => [String(flag['key'] ?? ''), flag]));
  return flags.map((flag) => ({
    key: String(flag['key'] ?? ''),
    read: (imported) => readFlag(flag, { environment, segments, flags: byKey, imported }),
  }));
}

/** SDKs have them by key, the API lists them. */
const readSegments = (data: JsonObject): Segments =>
  new Map(
    [...items(data, 'segments'), ...Object.values(field(data, 'segments')).filter(isJsonObject)].map((segment) => [
      String(segment['key']),
      segment,
    ]),
  );

const stateOf = (flag: JsonObject, environment: string): JsonObject => {
  if (!('environments' in flag)) return flag;
  const environments = field(flag, 'environments');
  if (!isJsonObject(environments[environment])) throw new NotImportable(`it has no environment "${environment}"`);
  return field(environments, environment);
};

/** As its SDKs have them: flags by key, in the state of one environment. Those without it are left out. */
export function launchDarklySdkData(data: JsonObject, environment: string): JsonObject {
  const listed = flagsIn(data).filter(
    (flag) => !('environments' in flag) || isJsonObject(field(flag, 'environments')[environment]),
  );
  const flags = listed.map((flag): [string, JsonObject] => {
    const { environments: _, ...rest } = { ...flag, ...stateOf(flag, environment) };
    return [String(flag['key'] ?? ''), { version: 1, ...rest, variations: variationsOf(flag) }];
  });
  const segments = [...readSegments(data)].map(([key, segment]): [string, JsonObject] => [
    key,
    { version: 1, ...segment },
  ]);
  return { flags: Object.fromEntries(flags), segments: Object.fromEntries(segments) };
}

const variationsOf = (flag: JsonObject): Json[] =>
  (Array.isArray(flag['variations']) ? flag['variations'] : []).map(variationValue);

/** The API has `{value}`, SDKs the values themselves. */
const variationValue = (variation: Json): Json =>
  isJsonObject(variation) && 'value' in variation && '_id' in variation ? (variation['value'] ?? null) : variation;

interface Reading {
  environment: string;
  segments: Segments;
  /** All flags of the data, for prerequisites. */
  flags: ReadonlyMap<string, JsonObject>;
  imported(key: string): ImportedFlag;
}

type Outcome = Pick<DecisionRule, 'steps' | 'value'>;

function readFlag(flag: JsonObject, reading: Reading): ImportedFlag {
  const key = text(flag, 'key');
  const state = stateOf(flag, reading.environment);
  const variation = variationReader(flag);
  const base = { key, name: typeof flag['description'] === 'string' ? flag['description'] : '' };
  const prerequisites = state['on'] === true ? readPrerequisites(state, reading) : null;
  if (prerequisites === null) {
    return toImportedFlag({ ...base, rules: [], otherwise: { value: variation(state['offVariation']) } });
  }
  const salt = typeof state['salt'] === 'string' ? state['salt'] : '';
  const outcome = (of: JsonObject): Outcome =>
    'rollout' in of && of['variation'] === undefined
      ? { steps: [readRollout(`${key}.${salt}`, field(of, 'rollout'), variation)] }
      : { value: variation(of['variation']) };
  const rules = [
    ...readTargets(state, variation),
    ...items(state, 'rules').flatMap((rule) => {
      const given = outcome(rule);
      return readClauses(items(rule, 'clauses'), reading.segments).map((conditions) => withSteps(conditions, given));
    }),
  ];
  const fallthrough = outcome(field(state, 'fallthrough'));
  if (prerequisites.length === 0) return toImportedFlag({ ...base, rules, otherwise: fallthrough });
  const guarded = [...rules, { properties: [], ...fallthrough }].map((rule) => ({
    ...rule,
    properties: [...prerequisites, ...rule.properties],
  }));
  return toImportedFlag({ ...base, rules: guarded, otherwise: { value: variation(state['offVariation']) } });
}

function variationReader(flag: JsonObject): (index: Json | undefined) => Json {
  const variations = variationsOf(flag);
  return (index) => {
    const value = typeof index === 'number' ? variations[index] : undefined;
    if (value === undefined) throw new NotImportable('a variation does not exist');
    return value;
  };
}

/** Null: they are never met. */
function readPrerequisites(state: JsonObject, { environment, flags, imported }: Reading): JsonObject[] | null {
  const conditions: JsonObject[] = [];
  for (const { key, variation } of items(state, 'prerequisites')) {
    const flag = flags.get(String(key));
    if (flag === undefined || stateOf(flag, environment)['on'] !== true) return null;
    const value = variationReader(flag)(variation);
    const same = variationsOf(flag).filter((one) => JSON.stringify(one) === JSON.stringify(value));
    if (same.length > 1)
      throw new NotImportable(`its prerequisite "${String(key)}" has two variations with the same value`);
    const { values, nameOf } = imported(String(key));
    if (!values.some((one) => JSON.stringify(one) === JSON.stringify(value))) return null;
    conditions.push(flagIs(String(key), nameOf(value)));
  }
  return conditions;
}

/** With targets of several kinds of contexts, these say the order, and those of users are in `targets`. */
function readTargets(state: JsonObject, variation: (index: Json | undefined) => Json): DecisionRule[] {
  const users = items(state, 'targets');
  const ordered = items(state, 'contextTargets');
  const targets = ordered.length === 0 ? users : ordered.flatMap((target) => userTarget(target, users));
  return targets.flatMap((target) => {
    const values = Array.isArray(target['values']) ? target['values'].filter((one) => typeof one === 'string') : [];
    if (values.length === 0) return [];
    const value = variation(target['variation']);
    return textMatches('distinct_id', 'is', values as string[], true).map((properties) => ({ properties, value }));
  });
}

function userTarget(target: JsonObject, users: readonly JsonObject[]): JsonObject[] {
  const { contextKind = 'user', variation } = target;
  if (contextKind === 'user') return users.filter((user) => user['variation'] === variation).slice(0, 1);
  if (!Array.isArray(target['values']) || target['values'].length === 0) return [];
  throw new NotImportable(`targets of the context '${String(contextKind).slice(0, 100)}'`);
}

function readRollout(salt: string, rollout: JsonObject, variation: (index: Json | undefined) => Json): BucketingStep {
  const { contextKind = 'user', bucketBy, kind, seed } = rollout;
  if (contextKind !== 'user')
    throw new NotImportable(`a percentage of the context '${String(contextKind).slice(0, 100)}'`);
  const by = kind === 'experiment' ? 'distinct_id' : attributeName(bucketBy ?? 'key');
  const step = bucketsOf(seed ? String(Number(seed)) : salt, by);
  const weighted = items(rollout, 'variations');
  let from = 0;
  const ranges = weighted.map((one, at) => {
    // The last one gets what is left.
    const end = at === weighted.length - 1 ? WHOLE_WEIGHT : from + Number(one['weight'] ?? 0);
    const range = {
      from: Math.min(from, WHOLE_WEIGHT),
      to: Math.min(end, WHOLE_WEIGHT),
      value: variation(one['variation']),
    };
    from = end;
    return range;
  });
  if (ranges.length === 0) throw new NotImportable('a percentage without variations');
  return { ...step, ranges };
}
