/** LaunchDarkly's clauses and segments as alternatives. Without the attribute a clause is not met, negated or not. */
import type { Json, JsonObject } from '../../../../core/json/json.ts';
import {
  ALWAYS,
  type Alternatives,
  allOf,
  anyOf,
  booleanMatches,
  isNotSet,
  isSet,
  NEVER,
  notANumber,
  patternMatches,
  property,
  textMatches,
} from './conditions.ts';
import { type BucketingStep, type DecisionRule, NotImportable } from './decision-list.ts';
import { items } from './read-json.ts';

export type Segments = ReadonlyMap<string, JsonObject>;

export const WHOLE_WEIGHT = 100_000;

export const bucketsOf = (salt: string, by: string): Omit<BucketingStep, 'ranges'> => ({
  hash: 'launchdarkly',
  salt,
  by,
  of: WHOLE_WEIGHT,
});

export function attributeName(attribute: Json | undefined): string {
  if (typeof attribute !== 'string' || attribute === '' || attribute.slice(1).includes('/') || attribute.includes('~'))
    throw new NotImportable(`the nested attribute ${String(attribute).slice(0, 100)}`);
  const name = attribute.startsWith('/') ? attribute.slice(1) : attribute;
  return name === 'key' ? 'distinct_id' : name;
}

/** Among conditions: those who are in a range. Taken out by `withSteps`. */
const BUCKETING = 'bucketing';

const inRange = (step: BucketingStep): JsonObject => ({ type: BUCKETING, step: step as unknown as Json });

/** The rule with these conditions, of which some are ranges of a segment. */
export const withSteps = (
  conditions: readonly JsonObject[],
  rule: Pick<DecisionRule, 'steps' | 'value'>,
): DecisionRule => ({
  ...rule,
  properties: conditions.filter(({ type }) => type !== BUCKETING),
  steps: [
    ...conditions.flatMap(({ type, step }) => (type === BUCKETING ? [step as unknown as BucketingStep] : [])),
    ...(rule.steps ?? []),
  ],
});

/** All have to be met. */
export const readClauses = (clauses: readonly JsonObject[], segments: Segments): Alternatives =>
  allOf(clauses.map((clause) => readClause(clause, true, { segments, within: [] })));

interface Reading {
  segments: Segments;
  /** Keys of the segments that are being read, to stop circles. */
  within: readonly string[];
}

function readClause(clause: JsonObject, isMet: boolean, reading: Reading): Alternatives {
  const { attribute, op, contextKind = 'user', negate } = clause;
  const values = Array.isArray(clause['values']) ? clause['values'] : [];
  const isNegated = negate === true;
  if (op === 'segmentMatch') return isInSegments(values, isMet !== isNegated, reading);
  if (contextKind !== 'user') throw new NotImportable(`a clause on the context '${String(contextKind).slice(0, 100)}'`);
  const key = attributeName(attribute);
  const compared = () => anyOf(values.map((value) => holds(key, String(op), value)));
  const notCompared = () => allOf(values.map((value) => doesNotHold(key, String(op), value)));
  if (!isNegated)
    return isMet
      ? (joinedTexts(key, op, values, true) ?? compared())
      : (joinedTexts(key, op, values, false) ?? notCompared());
  if (isMet) return allOf([[[isSet(key)]], joinedTexts(key, op, values, false) ?? notCompared()]);
  return anyOf([[[isNotSet(key)]], joinedTexts(key, op, values, true) ?? compared()]);
}

const TEXTS: Readonly<Record<string, 'is' | 'starts' | 'ends' | 'contains'>> = {
  in: 'is',
  startsWith: 'starts',
  endsWith: 'ends',
  contains: 'contains',
};

/** One pattern for all texts; null if there is something else among the values. */
function joinedTexts(
  key: string,
  op: Json | undefined,
  values: readonly Json[],
  isWanted: boolean,
): Alternatives | null {
  const match = TEXTS[String(op)];
  const isText = values.length > 0 && values.every((value) => typeof value === 'string');
  return match === undefined || !isText ? null : textMatches(key, match, values as string[], isWanted);
}

const NUMBERS: Readonly<Record<string, [met: string, unmet: string]>> = {
  lessThan: ['lt', 'gte'],
  lessThanOrEqual: ['lte', 'gt'],
  greaterThan: ['gt', 'lte'],
  greaterThanOrEqual: ['gte', 'lt'],
};
const VERSIONS: Readonly<Record<string, string>> = {
  semVerEqual: 'semver_eq',
  semVerLessThan: 'semver_lt',
  semVerGreaterThan: 'semver_gt',
};
const DATES: Readonly<Record<string, [text: string, number: string]>> = {
  before: ['is_date_before', 'lt'],
  after: ['is_date_after', 'gt'],
};

const refused = (key: string, op: string, value: Json): NotImportable =>
  new NotImportable(`a clause with ${op.slice(0, 50)} ${JSON.stringify(value).slice(0, 50)} on ${key.slice(0, 100)}`);

/** The attribute is there, and compares so with the value. */
function holds(key: string, op: string, value: Json): Alternatives {
  const match = TEXTS[op];
  if (match !== undefined && typeof value === 'string') return textMatches(key, match, [value], true);
  if (op === 'in' && typeof value === 'number') return [[property(key, 'between', [value, value])]];
  if (op === 'in' && typeof value === 'boolean') return booleanMatches(key, value, true);
  if (op === 'matches' && typeof value === 'string') return [[patternMatches(key, value, true)]];
  const number = NUMBERS[op];
  if (number !== undefined && typeof value === 'number') return [[property(key, number[0], value)]];
  const version = VERSIONS[op];
  // It reads no versions with a `v` in front.
  if (version !== undefined && typeof value === 'string' && VERSION.test(value)) {
    return [[patternMatches(key, '^[0-9]', true), property(key, version, value)]];
  }
  const date = DATES[op];
  const moment = date === undefined ? null : momentOf(value);
  if (date !== undefined && moment !== null) {
    const written = [patternMatches(key, RFC_3339, true), property(key, date[0], new Date(moment).toISOString())];
    // Numbers are milliseconds there, and seconds in our dates.
    return [written, [property(key, date[1], moment)]];
  }
  throw refused(key, op, value);
}

const VERSION = /^\d+(?:\.\d+){0,2}(?:-[0-9a-z.-]+)?$/i;
const RFC_3339 = '^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}';

function momentOf(value: Json): number | null {
  const moment =
    typeof value === 'number' ? value : new RegExp(RFC_3339).test(String(value)) ? Date.parse(String(value)) : NaN;
  return Number.isFinite(moment) && Math.abs(moment) < 8e15 ? moment : null;
}

/** The attribute is not there, or does not compare so with the value. */
function doesNotHold(key: string, op: string, value: Json): Alternatives {
  const match = TEXTS[op];
  if (match !== undefined && typeof value === 'string') return textMatches(key, match, [value], false);
  if (op === 'matches' && typeof value === 'string') return [[patternMatches(key, value, false)]];
  if (op === 'in' && typeof value === 'number')
    return [[property(key, 'not_between', [value, value])], [notANumber(key)]];
  if (op === 'in' && typeof value === 'boolean') return booleanMatches(key, value, false);
  const number = NUMBERS[op];
  if (number !== undefined && typeof value === 'number') return [[property(key, number[1], value)], [notANumber(key)]];
  throw refused(key, `not ${op}`, value);
}

function isInSegments(keys: readonly Json[], isMet: boolean, reading: Reading): Alternatives {
  const parts = keys.map((key) => {
    const segment = reading.segments.get(String(key));
    if (segment === undefined) throw new NotImportable(`the segment "${String(key).slice(0, 100)}" is not in the data`);
    if (reading.within.includes(String(key))) throw new NotImportable(`the segment "${String(key)}" refers to itself`);
    return readSegment(segment, isMet, { ...reading, within: [...reading.within, String(key)] });
  });
  return isMet ? anyOf(parts) : allOf(parts);
}

function readSegment(segment: JsonObject, isMet: boolean, reading: Reading): Alternatives {
  const key = String(segment['key']);
  if (segment['unbounded'] === true)
    throw new NotImportable(`the members of the big segment "${key}" are not in the data`);
  const contexts = ['includedContexts', 'excludedContexts'].find((name) => items(segment, name).length > 0);
  if (contexts !== undefined) throw new NotImportable(`the segment "${key}" has ${contexts}`);
  const included = usersIn(segment, 'included');
  const excluded = usersIn(segment, 'excluded');
  const rules = items(segment, 'rules');
  if (isMet) {
    const byRule = anyOf(rules.map((rule) => segmentRule(key, segment, rule, reading)));
    return anyOf([isOneOf(included, true), allOf([isOneOf(excluded, false), byRule])]);
  }
  if (rules.some(({ weight = null }) => weight !== null))
    throw new NotImportable(`not in the segment "${key}", which has a percentage`);
  const byNoRule = allOf(
    rules.map((rule) => anyOf(items(rule, 'clauses').map((clause) => readClause(clause, false, reading)))),
  );
  return allOf([isOneOf(included, false), anyOf([isOneOf(excluded, true), byNoRule])]);
}

const usersIn = (segment: JsonObject, name: string): string[] => {
  const list = segment[name];
  return Array.isArray(list) ? list.filter((one) => typeof one === 'string') : [];
};

function isOneOf(users: readonly string[], isMet: boolean): Alternatives {
  if (users.length === 0) return isMet ? NEVER : ALWAYS;
  return textMatches('distinct_id', 'is', users, isMet);
}

function segmentRule(key: string, segment: JsonObject, rule: JsonObject, reading: Reading): Alternatives {
  const clauses = items(rule, 'clauses').map((clause) => readClause(clause, true, reading));
  const { weight = null, bucketBy, rolloutContextKind = 'user' } = rule;
  if (weight === null) return allOf(clauses);
  if (rolloutContextKind !== 'user')
    throw new NotImportable(`the segment "${key}" has a percentage of another context`);
  const salt = `${key}.${typeof segment['salt'] === 'string' ? segment['salt'] : ''}`;
  const step = bucketsOf(salt, attributeName(bucketBy ?? 'key'));
  const to = Math.min(WHOLE_WEIGHT, Math.max(0, Number(weight)));
  return allOf([...clauses, [[inRange({ ...step, ranges: [{ from: 0, to }] })]]]);
}
