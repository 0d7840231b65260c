/** flagd's definitions: `flags` with `variants`, `defaultVariant` and `targeting`, which is written in JsonLogic. */
import { isJsonObject, type Json, type JsonObject } from '../../../../core/json/json.ts';
import {
  ALWAYS,
  type Alternatives,
  allOf,
  anyOf,
  booleanMatches,
  isNotSet,
  isSet,
  NEVER,
  property,
  textMatches,
} from './conditions.ts';
import {
  type BucketingStep,
  type DecisionRule,
  type FlagReader,
  type ImportedFlag,
  NotImportable,
  toImportedFlag,
} from './decision-list.ts';
import { field } from './read-json.ts';

export function readFlagd(data: JsonObject): FlagReader[] {
  const evaluators = field(data, '$evaluators');
  return Object.entries(field(data, 'flags')).map(([key, flag]) => ({
    key,
    read: () => readFlag(key, isJsonObject(flag) ? flag : {}, evaluators),
  }));
}

interface Reading {
  key: string;
  variants: JsonObject;
  defaultVariant: Json;
  evaluators: JsonObject;
}

function readFlag(key: string, flag: JsonObject, evaluators: JsonObject): ImportedFlag {
  if (flag['state'] !== 'ENABLED') throw new NotImportable('it is disabled: callers get the value in their code');
  const reading = {
    key,
    variants: field(flag, 'variants'),
    defaultVariant: flag['defaultVariant'] ?? null,
    evaluators,
  };
  const targeting = resolved(flag['targeting'] ?? null, evaluators, 0);
  const isTargeted = isJsonObject(targeting) && Object.keys(targeting).length > 0;
  const rules = isTargeted ? readOutcome(targeting, ALWAYS, reading) : [];
  return toImportedFlag({ key, name: '', rules, otherwise: { value: variantValue(null, reading) } });
}

const MAX_DEPTH = 30;

/** With shared evaluators (`$ref`) in their places. */
function resolved(logic: Json, evaluators: JsonObject, depth: number): Json {
  if (depth > MAX_DEPTH) throw new NotImportable('its targeting is nested too deeply');
  if (Array.isArray(logic)) return logic.map((one) => resolved(one, evaluators, depth + 1));
  if (!isJsonObject(logic)) return logic;
  const name = logic['$ref'];
  if (typeof name === 'string') {
    const shared = evaluators[name];
    if (shared === undefined) throw new NotImportable(`the evaluator "${name.slice(0, 100)}" is not in the data`);
    return resolved(shared, evaluators, depth + 1);
  }
  return Object.fromEntries(Object.entries(logic).map(([key, one]) => [key, resolved(one, evaluators, depth + 1)]));
}

function variantValue(name: Json, { variants, defaultVariant }: Reading): Json {
  const variant = String(name ?? defaultVariant);
  const value = Object.hasOwn(variants, variant) ? variants[variant] : undefined;
  if (value === undefined) throw new NotImportable(`the variant "${variant.slice(0, 100)}" does not exist`);
  return value;
}

function operationOf(logic: Json): [name: string, args: Json[]] {
  const [[name, given] = ['', null], ...others] = isJsonObject(logic) ? Object.entries(logic) : [];
  if (name === '' || others.length > 0) throw new NotImportable(`targeting that is no operation: ${shown(logic)}`);
  return [name, Array.isArray(given) ? given : [given]];
}

const shown = (logic: Json): string => JSON.stringify(logic).slice(0, 100);

/** Who meets the conditions gets what the logic gives: a variant, or the default for null. */
function readOutcome(logic: Json, met: Alternatives, reading: Reading): DecisionRule[] {
  if (!isJsonObject(logic)) return met.map((properties) => ({ properties, value: variantValue(logic, reading) }));
  const [name, args] = operationOf(logic);
  if (name === 'fractional') return met.map((properties) => ({ properties, steps: [readFractional(args, reading)] }));
  if (name !== 'if' && name !== '?:') throw new NotImportable(`targeting that gives ${shown(logic)}`);
  const rules: DecisionRule[] = [];
  for (let at = 0; at + 1 < args.length; at += 2) {
    const condition = args[at] ?? null;
    rules.push(...readOutcome(args[at + 1] ?? null, allOf([met, readCondition(condition, true)]), reading));
  }
  const last = args.length % 2 === 1 ? (args.at(-1) ?? null) : null;
  return [...rules, ...readOutcome(last, met, reading)];
}

const isFlagKey = (logic: Json): boolean => isJsonObject(logic) && varName(logic) === '$flagd.flagKey';
const isTargetingKey = (logic: Json): boolean => isJsonObject(logic) && varName(logic) === 'targetingKey';

/** By the flag's key and the user, or by what is named first: `{"cat": [<flag key>, {"var": …}]}` or `{"var": …}`. */
function readFractional(args: readonly Json[], reading: Reading): BucketingStep {
  const [first = null] = args;
  const isNamed = !Array.isArray(first);
  const { salt, by } = isNamed ? readBucketBy(first, reading) : { salt: reading.key, by: 'distinct_id' };
  const buckets = (isNamed ? args.slice(1) : args).map((one) => (Array.isArray(one) ? one : []));
  let from = 0;
  const ranges = buckets.map(([variant = null, weight = 1]) => {
    if (typeof weight !== 'number' || !Number.isInteger(weight))
      throw new NotImportable('a weight that is no whole number');
    if (isJsonObject(variant) || Array.isArray(variant)) throw new NotImportable('a bucket that is no variant');
    const range = { from, to: from + Math.max(0, weight), value: variantValue(variant, reading) };
    from = range.to;
    return range;
  });
  if (from === 0) throw new NotImportable('buckets without weights');
  return { hash: 'flagd', salt, by, of: from, ranges };
}

function readBucketBy(logic: Json, { key }: Reading): { salt: string; by: string } {
  const refused = new NotImportable(`buckets by ${shown(logic)}`);
  if (isTargetingKey(logic)) return { salt: '', by: 'distinct_id' };
  if (!isJsonObject(logic)) throw refused;
  const [name, args] = operationOf(logic);
  const [prefix = null, user = null] = args;
  // Those without another attribute get no bucket, and the default variant.
  if (name !== 'cat' || args.length !== 2 || !isTargetingKey(user)) throw refused;
  if (isFlagKey(prefix)) return { salt: key, by: 'distinct_id' };
  if (typeof prefix === 'string') return { salt: prefix, by: 'distinct_id' };
  throw refused;
}

function varName(logic: JsonObject): string | null {
  const [name, args] = operationOf(logic);
  return name === 'var' && args.length === 1 && typeof args[0] === 'string' ? args[0] : null;
}

/** The property that is compared; null if it is something else. */
function attributeOf(logic: Json | undefined): string | null {
  const name = isJsonObject(logic) && Object.keys(logic).length === 1 ? varName(logic) : null;
  if (name === null || name === '') return null;
  if (name.startsWith('$flagd.') || name.includes('.')) throw new NotImportable(`a condition on ${name.slice(0, 100)}`);
  return name === 'targetingKey' ? 'distinct_id' : name;
}

function readCondition(logic: Json, isMet: boolean): Alternatives {
  if (typeof logic === 'boolean') return logic === isMet ? ALWAYS : NEVER;
  const [name, args] = operationOf(logic);
  switch (name) {
    case 'and':
    case 'or': {
      const parts = args.map((one) => readCondition(one, isMet));
      return (name === 'and') === isMet ? allOf(parts) : anyOf(parts);
    }
    case '!':
      return readCondition(args[0] ?? null, !isMet);
    default:
      return readComparison(name, args, isMet);
  }
}

const NUMBERS: Readonly<Record<string, [met: string, reversed: string]>> = {
  '>': ['gt', 'lt'],
  '>=': ['gte', 'lte'],
  '<': ['lt', 'gt'],
  '<=': ['lte', 'gte'],
};
const VERSIONS: Readonly<Record<string, string>> = {
  '=': 'semver_eq',
  '!=': 'semver_neq',
  '<': 'semver_lt',
  '<=': 'semver_lte',
  '>': 'semver_gt',
  '>=': 'semver_gte',
};

function readComparison(name: string, args: readonly Json[], isMet: boolean): Alternatives {
  const [left = null, right = null] = args;
  const refused = new NotImportable(`a condition with ${isMet ? '' : 'not '}${shown({ [name]: [...args] })}`);
  const key = attributeOf(left);
  const value = key === null ? left : right;
  const compared = key ?? attributeOf(right);
  if (compared === null || isJsonObject(value)) throw refused;
  if (name === '==' || name === '===') return equals(compared, value, isMet, refused);
  if (name === '!=' || name === '!==') return equals(compared, value, !isMet, refused);
  if (name === 'in') return isIn(compared, value, key !== null, isMet, refused);
  if (key === null && NUMBERS[name] === undefined) throw refused;
  if ((name === 'starts_with' || name === 'ends_with') && typeof value === 'string') {
    return textMatches(compared, name === 'starts_with' ? 'starts' : 'ends', [value], isMet);
  }
  const number = NUMBERS[name];
  if (number !== undefined && typeof value === 'number' && isMet) {
    const operator = key === null ? number[1] : number[0];
    // An absent attribute is compared as 0.
    const holds = { gt: 0 > value, gte: 0 >= value, lt: 0 < value, lte: 0 <= value }[operator];
    return [[property(compared, operator, value)], ...(holds ? [[isNotSet(compared)]] : [])];
  }
  const version = name === 'sem_ver' ? VERSIONS[String(value)] : undefined;
  if (version !== undefined && isMet && typeof args[2] === 'string') return [[property(compared, version, args[2])]];
  throw refused;
}

function equals(key: string, value: Json, isMet: boolean, refused: NotImportable): Alternatives {
  if (typeof value === 'string') return textMatches(key, 'is', [value], isMet);
  if (typeof value === 'number') return [[property(key, isMet ? 'between' : 'not_between', [value, value])]];
  if (value === null) return [[isMet ? isNotSet(key) : isSet(key)]];
  if (typeof value !== 'boolean') throw refused;
  return booleanMatches(key, value, isMet);
}

/** The attribute is one of a list, or a text is in it. */
function isIn(key: string, value: Json, isFirst: boolean, isMet: boolean, refused: NotImportable): Alternatives {
  if (isFirst && Array.isArray(value) && value.every((one) => typeof one === 'string')) {
    if (value.length === 0) return isMet ? NEVER : ALWAYS;
    return textMatches(key, 'is', value as string[], isMet);
  }
  if (!isFirst && typeof value === 'string') return textMatches(key, 'contains', [value], isMet);
  throw refused;
}
