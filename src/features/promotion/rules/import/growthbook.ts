/** GrowthBook's SDK payload: `features` by key, with `defaultValue` and `rules`, and `savedGroups`. */
import { isJsonObject, type Json, type JsonObject } from '../../../../core/json/json.ts';
import { type Alternatives, allOf, flagIs } from './conditions.ts';
import {
  type BucketingStep,
  type DecisionRule,
  disjoint,
  type FlagReader,
  type ImportedFlag,
  NotImportable,
  toImportedFlag,
} from './decision-list.ts';
import { readGrowthBookCondition } from './growthbook-conditions.ts';
import { field, items } from './read-json.ts';

type Imported = (key: string) => ImportedFlag;

export function readGrowthBook(data: JsonObject): FlagReader[] {
  const savedGroups = field(data, 'savedGroups');
  return Object.entries(field(data, 'features')).map(([key, feature]) => ({
    key,
    read: (imported) => readFeature(key, isJsonObject(feature) ? feature : {}, savedGroups, imported),
  }));
}

function readFeature(key: string, feature: JsonObject, savedGroups: JsonObject, imported: Imported): ImportedFlag {
  const { defaultValue = null } = feature;
  const blocked = typeof defaultValue === 'boolean' ? false : null;
  const rules = items(feature, 'rules').flatMap((rule) => [
    ...gates(rule, blocked, imported),
    ...readRule(key, rule, savedGroups, imported),
  ]);
  return toImportedFlag({ key, name: '', rules, otherwise: { value: defaultValue ?? false } });
}

const UNKNOWN = ['contextualVariations', 'contextualBanditRef', 'tracks'];

function readRule(key: string, rule: JsonObject, savedGroups: JsonObject, imported: Imported): DecisionRule[] {
  const unknown = UNKNOWN.find((name) => (rule[name] ?? null) !== null);
  if (unknown !== undefined) throw new NotImportable(`a rule with ${unknown}`);
  const parents = items(rule, 'parentConditions').map((parent) => readParent(parent, imported, true));
  const conditions = allOf([...parents, readGrowthBookCondition(field(rule, 'condition'), savedGroups)]);
  const isForced = 'force' in rule;
  const steps = [
    ...items(rule, 'filters').map(readFilter),
    ...(isForced ? coverageOf(key, rule) : experiment(key, rule)),
  ];
  const value = isForced ? { value: rule['force'] ?? null } : {};
  return conditions.map((properties) => ({ properties, steps, ...value }));
}

/** A prerequisite that blocks: without it, the whole feature has no value. */
function gates(rule: JsonObject, blocked: Json, imported: Imported): DecisionRule[] {
  const parents = items(rule, 'parentConditions').filter((parent) => parent['gate'] === true);
  return parents.flatMap((parent) =>
    readParent(parent, imported, false).map((properties) => ({ properties, value: blocked })),
  );
}

/** `isMet` false: the values for which it is not met. */
function readParent(parent: JsonObject, imported: Imported, isMet: boolean): Alternatives {
  const id = String(parent['id'] ?? '');
  const { values, nameOf } = imported(id);
  const condition = field(parent, 'condition');
  const met = values.filter((value) => holdsFor(value, condition) === isMet);
  return met.map((value) => [flagIs(id, nameOf(value))]);
}

/** GrowthBook's conditions on the value of another feature, as far as they can be read. */
function holdsFor(value: Json, condition: JsonObject): boolean {
  return Object.entries(condition).every(([name, wanted]) => {
    if (name !== 'value') throw new NotImportable(`a prerequisite with ${name.slice(0, 50)}`);
    if (typeof wanted === 'string') return String(value) === wanted;
    if (typeof wanted === 'number') return Number(value) === wanted;
    if (typeof wanted === 'boolean') return value !== null && Boolean(value) === wanted;
    if (!isJsonObject(wanted)) throw new NotImportable('a prerequisite on a list');
    return Object.entries(wanted).every(([operator, operand]) => compare(value, operator, operand));
  });
}

function compare(value: Json, operator: string, operand: Json): boolean {
  const list = Array.isArray(operand) ? operand : [];
  switch (operator) {
    case '$eq':
      return value === operand;
    case '$ne':
      return value !== operand;
    case '$in':
      return list.includes(value);
    case '$nin':
      return !list.includes(value);
    case '$exists':
      return Boolean(operand) === (value !== null);
    default:
      throw new NotImportable(`a prerequisite with ${operator.slice(0, 50)}`);
  }
}

function hashOf(version: Json): Pick<BucketingStep, 'hash' | 'of'> {
  if (version === 1) return { hash: 'growthbook_1', of: 1000 };
  if (version === 2) return { hash: 'growthbook_2', of: 10_000 };
  throw new NotImportable(`the hash version ${JSON.stringify(version).slice(0, 50)}`);
}

function stepOf(seed: string, attribute: Json | undefined, version: Json): Omit<BucketingStep, 'ranges'> {
  const by = typeof attribute === 'string' && attribute !== '' ? attribute : 'id';
  return { ...hashOf(version), salt: seed, by: by === 'id' ? 'distinct_id' : by };
}

const seedOf = (rule: JsonObject, otherwise: string): string =>
  typeof rule['seed'] === 'string' && rule['seed'] !== '' ? rule['seed'] : otherwise;

/** GrowthBook's numbers are parts of `of`: the first that is not less than `bound`. */
function firstFrom(bound: number, of: number): number {
  let part = Math.max(0, Math.floor(bound * of) - 1);
  while (part < of && part / of < bound) part++;
  return part;
}

function rangeOf(range: Json | undefined, of: number): { from: number; to: number } {
  const [from, to] = Array.isArray(range) ? range : [];
  if (typeof from !== 'number' || typeof to !== 'number') throw new NotImportable('a range that is not two numbers');
  return { from: firstFrom(from, of), to: Math.max(firstFrom(from, of), firstFrom(to, of)) };
}

function readFilter(filter: JsonObject): BucketingStep {
  const step = stepOf(String(filter['seed'] ?? ''), filter['attribute'], filter['hashVersion'] ?? 2);
  const ranges = Array.isArray(filter['ranges']) ? filter['ranges'] : [];
  return { ...step, ranges: ranges.map((range) => rangeOf(range, step.of)) };
}

/** Takes in the last part, but does not show in the percentage. */
const JUST_MORE = 1e-9;

/** The coverage itself is still covered. */
function coverageOf(key: string, rule: JsonObject): BucketingStep[] {
  const { range = null, coverage = null } = rule;
  if (range === null && coverage === null) return [];
  const step = stepOf(seedOf(rule, key), rule['hashAttribute'], rule['hashVersion'] || 1);
  if (range !== null) return [{ ...step, ranges: [rangeOf(range, step.of)] }];
  if (typeof coverage !== 'number') throw new NotImportable('a coverage that is not a number');
  if (coverage <= 0) return [{ ...step, ranges: [] }];
  const end = firstFrom(coverage, step.of);
  const isCovered = end < step.of && end / step.of <= coverage;
  return [{ ...step, ranges: [{ from: 0, to: isCovered ? end + JUST_MORE : end }] }];
}

function experiment(key: string, rule: JsonObject): BucketingStep[] {
  const variations = rule['variations'];
  if (!Array.isArray(variations)) throw new NotImportable('a rule without force or variations');
  if (variations.length < 2) return [{ ...stepOf('', 'id', 1), ranges: [] }];
  const experimentKey = typeof rule['key'] === 'string' && rule['key'] !== '' ? rule['key'] : key;
  const step = stepOf(seedOf(rule, experimentKey), rule['hashAttribute'], rule['hashVersion'] || 1);
  const passes = items(rule, 'meta').map(({ passthrough }) => passthrough === true);
  const ranges = bucketRanges(rule, variations.length).map((range, at) => ({
    ...rangeOf(range, step.of),
    value: variations[at] ?? null,
    passes: passes[at] === true,
  }));
  // Who is in a variation that passes through goes on with the next rule.
  const taken = disjoint(ranges).filter((range) => !range.passes);
  const split = { ...step, ranges: taken.map(({ from, to, value }) => ({ from, to, value })) };
  return [...namespaceOf(rule, step.by), split];
}

/** With filters, the namespace does not count. */
function namespaceOf(rule: JsonObject, by: string): BucketingStep[] {
  const { namespace = null } = rule;
  if (namespace === null || Array.isArray(rule['filters'])) return [];
  const [name, ...range] = Array.isArray(namespace) ? namespace : [];
  return [{ ...hashOf(1), salt: `__${String(name)}`, by, ranges: [rangeOf(range, 1000)] }];
}

/** Variations have their weights of all, each cut to the coverage. */
function bucketRanges(rule: JsonObject, count: number): Json[] {
  if (Array.isArray(rule['ranges'])) return rule['ranges'].slice(0, count);
  const coverage = typeof rule['coverage'] === 'number' ? Math.min(1, Math.max(0, rule['coverage'])) : 1;
  const equal = new Array<number>(count).fill(1 / count);
  const given = Array.isArray(rule['weights']) ? rule['weights'].map(Number) : equal;
  const total = given.reduce((sum, weight) => sum + weight, 0);
  const weights = given.length === count && total >= 0.99 && total <= 1.01 ? given : equal;
  let start = 0;
  return weights.map((weight) => {
    const range = [start, start + coverage * weight];
    start += weight;
    return range;
  });
}
