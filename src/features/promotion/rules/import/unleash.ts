/** Unleash's export of features: `features`, `featureStrategies`, `featureEnvironments`, `segments`, `dependencies`. */
import { isJsonObject, type Json, type JsonObject } from '../../../../core/json/json.ts';
import { ALWAYS, type Alternatives, allOf, anyOf, flagIs, textMatches } from './conditions.ts';
import {
  type BucketingStep,
  type DecisionList,
  type DecisionRule,
  type FlagReader,
  type ImportedFlag,
  NotImportable,
  toImportedFlag,
} from './decision-list.ts';
import { field, items, text } from './read-json.ts';
import { contextKey, readConstraint } from './unleash-constraints.ts';

interface Reading {
  data: JsonObject;
  environment: string;
  now: number;
  imported(key: string): ImportedFlag;
}

export function readUnleash(data: JsonObject, environment: string, now: number): FlagReader[] {
  return items(data, 'features').map((feature) => ({
    key: String(feature['name'] ?? ''),
    read: (imported) => readFeature(feature, { data, environment, now, imported }),
  }));
}

const belongsTo = (item: JsonObject, name: string, environment: string): boolean =>
  (item['featureName'] ?? item['feature_name']) === name && item['environment'] === environment;

function readFeature(feature: JsonObject, reading: Reading): ImportedFlag {
  const { data, environment } = reading;
  const key = text(feature, 'name');
  const state = items(data, 'featureEnvironments').find((one) => belongsTo(one, key, environment));
  if (!state) throw new NotImportable(`it has no environment "${environment}"`);
  const own = items(state, 'variants');
  const variants = own.length > 0 ? own : items(feature, 'variants');
  const all = items(data, 'featureStrategies').filter((one) => belongsTo(one, key, environment));
  const strategies = all.filter((one) => one['disabled'] !== true);
  if (all.length > 0 && strategies.length === 0) throw new NotImportable('all of its strategies are disabled');
  const rules = state['enabled'] === true ? featureRules(key, strategies, variants, reading) : [];
  const named = [...variants, ...strategies.flatMap((one) => items(one, 'variants'))];
  const list: DecisionList = {
    key,
    name: typeof feature['description'] === 'string' ? feature['description'] : '',
    rules,
    otherwise: { value: false },
  };
  return toImportedFlag(named.length === 0 || rules.length === 0 ? list : { ...list, variants: readVariants(named) });
}

/** As its SDKs have them, in one environment. */
export function unleashSdkFeatures(data: JsonObject, environment: string): JsonObject[] {
  return items(data, 'features').flatMap((feature) => {
    const name = String(feature['name'] ?? '');
    const state = items(data, 'featureEnvironments').find((one) => belongsTo(one, name, environment));
    if (!state) return [];
    const own = items(state, 'variants');
    const strategies = items(data, 'featureStrategies')
      .filter((one) => belongsTo(one, name, environment) && one['disabled'] !== true)
      .map((one) => ({ ...one, name: nameOf(one) }));
    const dependencies = items(data, 'dependencies')
      .filter((one) => one['feature'] === name)
      .flatMap(dependenciesIn);
    const variants = own.length > 0 ? own : items(feature, 'variants');
    return [{ ...feature, enabled: state['enabled'] === true, strategies, variants, dependencies }];
  });
}

function featureRules(
  key: string,
  strategies: readonly JsonObject[],
  variants: readonly JsonObject[],
  reading: Reading,
): DecisionRule[] {
  const parents = readDependencies(key, reading);
  const own = (rule: DecisionRule): DecisionRule[] => variantRules(rule, variants, key, undefined);
  const rules =
    strategies.length === 0
      ? own({ properties: [], value: true })
      : strategies.flatMap((one) => readStrategy(one, own, reading));
  return parents.flatMap((parent) => rules.map((rule) => ({ ...rule, properties: [...parent, ...rule.properties] })));
}

/** A feature that depends on others is off unless these are as it wants them. */
function readDependencies(key: string, { data, imported }: Reading): Alternatives {
  const all = items(data, 'dependencies');
  const of = (feature: string): JsonObject[] =>
    all.filter((one) => one['feature'] === feature).flatMap((one) => dependenciesIn(one));
  return allOf(
    of(key).map(({ feature: parent, enabled, variants }) => {
      const name = String(parent);
      // Unleash has one level only.
      if (of(name).length > 0) throw new NotImportable(`it depends on "${name}", which depends on others`);
      imported(name);
      if (enabled === false) return [[flagIs(name, false)]];
      const wanted = Array.isArray(variants) ? variants : [];
      if (wanted.length === 0) return [[flagIs(name, true)]];
      return anyOf(wanted.map((variant) => [[flagIs(name, String(variant))]]));
    }),
  );
}

/** Exports have `{feature, dependencies: [{feature}]}`, older ones a line for each. */
const dependenciesIn = (one: JsonObject): JsonObject[] =>
  Array.isArray(one['dependencies'])
    ? items(one, 'dependencies')
    : [{ ...one, feature: one['dependsOn'] ?? one['parent'] ?? null }];

function readStrategy(
  strategy: JsonObject,
  ownVariants: (rule: DecisionRule) => DecisionRule[],
  reading: Reading,
): DecisionRule[] {
  const parameters = field(strategy, 'parameters');
  const conditions = allOf([
    ...constraintsOf(strategy, reading.data).map((constraint) => readConstraint(constraint, reading.now)),
    usersOf(strategy),
  ]);
  const steps = rolloutSteps(strategy);
  const variants = items(strategy, 'variants');
  return conditions.flatMap((properties) => {
    const rule = { properties, steps, value: true };
    if (totalWeight(variants) <= 0) return ownVariants(rule);
    return variantRules(rule, variants, String(parameters['groupId']), parameters['stickiness']);
  });
}

const nameOf = (strategy: JsonObject): string => String(strategy['strategyName'] ?? strategy['name']);

function constraintsOf(strategy: JsonObject, data: JsonObject): JsonObject[] {
  const segments = Array.isArray(strategy['segments']) ? strategy['segments'] : [];
  const known = items(data, 'segments');
  return [
    ...items(strategy, 'constraints'),
    ...segments.flatMap((id) => {
      const segment = known.find((one) => one['id'] === id);
      if (!segment) throw new NotImportable(`segment ${String(id)} is not in the export`);
      return items(segment, 'constraints');
    }),
  ];
}

function usersOf(strategy: JsonObject): Alternatives {
  if (nameOf(strategy) !== 'userWithId') return ALWAYS;
  const ids = String(field(strategy, 'parameters')['userIds'] ?? '')
    .split(/\s*,\s*/)
    .filter((id) => id !== '');
  return ids.length === 0 ? [] : textMatches('distinct_id', 'is', ids, true);
}

function rolloutSteps(strategy: JsonObject): BucketingStep[] {
  const parameters = field(strategy, 'parameters');
  const name = nameOf(strategy);
  const groupId = typeof parameters['groupId'] === 'string' ? parameters['groupId'] : '';
  switch (name) {
    case 'default':
    case 'userWithId':
      return [];
    case 'flexibleRollout': {
      const to = percentage(parameters['rollout']);
      const by = stickinessOf(parameters['stickiness'], to > 0 && to < 100);
      return [{ hash: 'unleash', salt: groupId, by, of: 100, ranges: [{ from: 0, to }] }];
    }
    case 'gradualRolloutUserId':
    case 'gradualRolloutSessionId': {
      const by = name === 'gradualRolloutUserId' ? 'distinct_id' : 'sessionId';
      const ranges = [{ from: 0, to: percentage(parameters['percentage']) }];
      return [{ hash: 'unleash', salt: groupId, by, of: 100, ranges }];
    }
    default:
      throw new NotImportable(`strategy '${name.slice(0, 100)}'`);
  }
}

/** `isSplit` false: everybody or nobody, however they are hashed. */
function stickinessOf(stickiness: Json | undefined, isSplit: boolean): string {
  const given = typeof stickiness === 'string' && stickiness !== '' ? stickiness : 'default';
  if (given === 'random' && isSplit) throw new NotImportable('its percentage is random on each call');
  return given === 'default' || given === 'random' ? 'distinct_id' : contextKey(given);
}

function percentage(value: Json | undefined): number {
  const number = Number(value);
  if (Number.isFinite(number) && number >= 0 && number <= 100) return Math.floor(number);
  throw new NotImportable('a percentage is not from 0 to 100');
}

const weightOf = ({ weight }: JsonObject): number => Number(weight ?? 0);
const totalWeight = (variants: readonly JsonObject[]): number =>
  variants.reduce((sum, variant) => sum + weightOf(variant), 0);

/** The rule with a variant for each user: one that names them, or one by weight. */
function variantRules(
  rule: DecisionRule,
  variants: readonly JsonObject[],
  groupId: string,
  stickiness: Json | undefined,
): DecisionRule[] {
  const weights = variants.map(weightOf);
  const of = totalWeight(variants);
  if (of <= 0) return [rule];
  const { value: _, ...open } = rule;
  const named = variants.flatMap((variant) =>
    items(variant, 'overrides').flatMap((override) =>
      overriddenUsers(override).map((properties) => ({
        ...rule,
        properties: [...rule.properties, ...properties],
        value: text(variant, 'name'),
      })),
    ),
  );
  const isSplit = weights.filter((weight) => weight > 0).length > 1;
  const by = stickinessOf(variants[0]?.['stickiness'] || stickiness, isSplit);
  const isHashedAlready = (rule.steps ?? []).some((step) => step.by === by);
  if (isSplit && by !== 'distinct_id' && !isHashedAlready)
    throw new NotImportable(`its variants are random for those without '${by}'`);
  let from = 0;
  const ranges = variants.map((variant, at) => {
    const range = { from, to: from + (weights[at] ?? 0), value: text(variant, 'name') };
    from = range.to;
    return range;
  });
  const split: BucketingStep = { hash: 'unleash_variant', salt: groupId, by, of, ranges };
  return [...named, { ...open, steps: [...(rule.steps ?? []), split] }];
}

function overriddenUsers(override: JsonObject): Alternatives {
  const values = Array.isArray(override['values']) ? override['values'].map(String) : [];
  return values.length === 0 ? [] : textMatches(contextKey(text(override, 'contextName')), 'is', values, true);
}

/** Payloads are texts there; those that are JSON or a number become that. */
function readVariants(variants: readonly JsonObject[]): NonNullable<DecisionList['variants']> {
  const read = new Map<string, { name: string; payload?: Json }>();
  for (const variant of variants) {
    const name = text(variant, 'name');
    const payload = readPayload(variant['payload']);
    const one = { name, ...(payload === undefined ? {} : { payload }) };
    const known = read.get(name);
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(one))
      throw new NotImportable(`the variant "${name}" has different payloads`);
    read.set(name, one);
  }
  return [...read.values()];
}

function readPayload(payload: Json | undefined): Json | undefined {
  if (!isJsonObject(payload)) return undefined;
  const { type, value = null } = payload;
  if (typeof value !== 'string' || (type !== 'json' && type !== 'number')) return value;
  try {
    return JSON.parse(value) as Json;
  } catch {
    return value;
  }
}
