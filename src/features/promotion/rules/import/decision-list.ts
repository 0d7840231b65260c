/**
 * What flags of other products come down to: rules in order, of which the first that matches gives the value, and a default.
 * Users are put into ranges by the product's own hash. Written as a flag of ours that keeps its people.
 */
import type { Json, JsonObject } from '../../../../core/json/json.ts';
import { hasControlCharacters } from '../../../../core/json/text.ts';
import { bucketingCoverage, coverageOf, roundPercentage } from '../../../flags/rules/filters-shape.ts';
import type { VendorHash } from '../../../flags/rules/vendor-hash.ts';
import { normalizeFilters, type PortableFlag } from '../portable-flag.ts';

/** Ranges of `of` equal parts that a hash puts users into; either all ranges have values, or none. */
export interface BucketingStep {
  hash: VendorHash;
  salt: string;
  by: string;
  of: number;
  ranges: { from: number; to: number; value?: Json }[];
}

/** Who has the properties and is in a range of each step gets the value: the rule's, or that of the range. */
export interface DecisionRule {
  properties: JsonObject[];
  steps?: BucketingStep[];
  value?: Json;
}

export interface DecisionList {
  key: string;
  name: string;
  rules: DecisionRule[];
  otherwise: Omit<DecisionRule, 'properties'>;
  /** Set if values are names of these, or true or false; else variants are made of the values. */
  variants?: { name: string; payload?: Json }[];
}

export interface ImportedFlag {
  flag: PortableFlag;
  /** What conditions of other flags call a value of this one. */
  nameOf(value: Json): boolean | string;
  /** All that it can give. */
  values: readonly Json[];
}

/** A flag of the data; reading it throws `NotImportable`. */
export interface FlagReader {
  key: string;
  /** `imported` reads another flag of the data, which this one depends on. */
  read(imported: (key: string) => ImportedFlag): ImportedFlag;
}

/** Why a flag cannot be imported. */
export class NotImportable extends Error {}

export function toImportedFlag(list: DecisionList): ImportedFlag {
  const rules = reachable([...list.rules, { properties: [], ...list.otherwise }]);
  const values = distinct(rules.flatMap(valuesOf));
  if (list.variants !== undefined) return variantFlag(list, rules, values, namedVariants(list.variants));
  if (!values.every((value) => typeof value === 'boolean'))
    return variantFlag(list, rules, values, madeVariants(values));
  return { flag: newFlag(list, booleanFilters(rules)), nameOf: (value) => value === true, values };
}

const newFlag = ({ key, name }: DecisionList, filters: JsonObject): PortableFlag => ({
  key,
  name,
  active: true,
  filters: normalizeFilters(filters),
  tags: [],
  ensure_experience_continuity: false,
  evaluation_runtime: 'all',
  bucketing_identifier: 'distinct_id',
  is_remote_configuration: false,
  rollback_conditions: null,
});

/** Nothing comes after a rule that matches everybody; ranges of nobody or of everybody are none. */
function reachable(rules: readonly DecisionRule[]): SimpleRule[] {
  const simple = rules.flatMap((rule) => simplified(rule) ?? []);
  const end = simple.findIndex(({ properties, steps }) => properties.length === 0 && steps.every(isForEverybody));
  return end === -1 ? simple : simple.slice(0, end + 1);
}

/** With `value` undefined, the last step gives the values. */
interface SimpleRule {
  properties: JsonObject[];
  steps: BucketingStep[];
  value: Json | undefined;
}

/** Null: it is for nobody. */
function simplified({ properties, steps = [], value }: DecisionRule): SimpleRule | null {
  const rule: SimpleRule = { properties, steps: [], value };
  for (const step of steps) {
    const ranges = merged(disjoint(step.ranges));
    if (ranges.length === 0) return null;
    const values = distinct(ranges.flatMap(({ value: given }) => (given === undefined ? [] : [given])));
    const isOneValue = values.length === 1;
    if (isOneValue) rule.value = values[0];
    const simple = { ...step, ranges: isOneValue ? merged(ranges.map(({ from, to }) => ({ from, to }))) : ranges };
    if (!isForEverybody(simple) || values.length > 1) rule.steps.push(simple);
  }
  return rule;
}

/** Those without a property that is hashed are in no range; LaunchDarkly puts them into the first. */
const isForEverybody = ({ hash, by, of, ranges }: BucketingStep): boolean =>
  (by === 'distinct_id' || hash === 'launchdarkly') && ranges.reduce((sum, { from, to }) => sum + to - from, 0) >= of;

/** Of ranges that overlap, the first counts. */
export function disjoint<T extends { from: number; to: number }>(ranges: readonly T[]): T[] {
  const taken: T[] = [];
  for (const range of ranges) {
    let open = [range];
    for (const { from, to } of taken) {
      open = open.flatMap((one) => [
        { ...one, to: Math.min(one.to, from) },
        { ...one, from: Math.max(one.from, to) },
      ]);
      open = open.filter((one) => one.to > one.from);
    }
    taken.push(...open.filter((one) => one.to > one.from));
  }
  return taken.sort((a, b) => a.from - b.from);
}

function merged(ranges: BucketingStep['ranges']): BucketingStep['ranges'] {
  const result: BucketingStep['ranges'] = [];
  for (const range of ranges) {
    const last = result.at(-1);
    const isNext = last?.to === range.from && JSON.stringify(last.value) === JSON.stringify(range.value);
    if (isNext) result[result.length - 1] = { ...last, to: range.to };
    else result.push(range);
  }
  return result;
}

const valuesOf = ({ steps, value }: SimpleRule): Json[] =>
  value === undefined ? (steps.at(-1)?.ranges ?? []).map((range) => range.value ?? null) : [value];

const distinct = (values: readonly Json[]): Json[] => [
  ...new Map(values.map((value) => [JSON.stringify(value), value])).values(),
];

/** A rule that gives false stops those who match it: a group for 0 % that ends the search, or ranges that give false. */
function booleanFilters(rules: readonly SimpleRule[]): JsonObject {
  const given = [...rules];
  while (given.length > 0 && given.at(-1)?.value === false) given.pop();
  const stops = given.some(({ value, steps }) => value === false && steps.length === 0);
  const groups = given.map((rule) => {
    if (rule.value !== false) return group(rule, {});
    if (rule.steps.length === 0) return { properties: rule.properties, rollout_percentage: 0 };
    return group({ ...rule, steps: withValue(rule.steps, false) }, {});
  });
  return { groups, ...(stops ? { early_exit: true } : {}) };
}

const group = ({ properties, steps }: SimpleRule, more: JsonObject): JsonObject => ({
  properties,
  rollout_percentage: bucketingCoverage(steps as unknown as JsonObject[]),
  ...(steps.length === 0 ? {} : { bucketing: steps as unknown as Json }),
  ...more,
});

const withValue = (steps: readonly BucketingStep[], value: Json): BucketingStep[] =>
  steps.map((step, at) =>
    at === steps.length - 1 ? { ...step, ranges: step.ranges.map((range) => ({ ...range, value })) } : step,
  );

/** In a flag with variants: on, without one of them. */
const ON_FOR_EVERYBODY: BucketingStep = {
  hash: 'unleash',
  salt: '',
  by: 'distinct_id',
  of: 1,
  ranges: [{ from: 0, to: 1 }],
};

interface Variants {
  names: readonly string[];
  payloads: JsonObject;
  nameOf(value: Json): boolean | string;
}

function variantFlag(
  list: DecisionList,
  rules: readonly SimpleRule[],
  values: Json[],
  variants: Variants,
): ImportedFlag {
  const { names, payloads, nameOf } = variants;
  const groups = rules
    .filter(({ value }) => value === undefined || nameOf(value) !== false)
    .map((rule) => variantGroup(rule, nameOf));
  const split = groups.flatMap(({ bucketing }) => (Array.isArray(bucketing) ? bucketing : [])).find(hasNames);
  const filters = {
    groups,
    multivariate: { variants: names.map((key, at) => ({ key, rollout_percentage: shareOf(split, key, at) })) },
    ...(Object.keys(payloads).length === 0 ? {} : { payloads }),
  };
  return { flag: newFlag(list, filters as JsonObject), nameOf, values };
}

function variantGroup(rule: SimpleRule, nameOf: Variants['nameOf']): JsonObject {
  if (rule.value === undefined) {
    const named = rule.steps.map((step) => ({
      ...step,
      ranges: step.ranges.map((range) =>
        range.value === undefined ? range : { ...range, value: nameOf(range.value) },
      ),
    }));
    return group({ ...rule, steps: named }, {});
  }
  const name = nameOf(rule.value);
  if (typeof name === 'string') return group(rule, { variant: name });
  const steps = rule.steps.length === 0 ? [ON_FOR_EVERYBODY] : rule.steps;
  return group({ ...rule, steps: withValue(steps, name) }, {});
}

const hasNames = (step: Json): boolean =>
  ((step as JsonObject)['ranges'] as JsonObject[]).some(({ value }) => typeof value === 'string');

/** Of the first rule with ranges: what others have is in theirs. */
function shareOf(split: Json | undefined, key: string, at: number): number {
  if (split === undefined) return at === 0 ? 100 : 0;
  const covered = coverageOf(split as JsonObject, ({ value }) => typeof value === 'string');
  return roundPercentage((100 * coverageOf(split as JsonObject, ({ value }) => value === key)) / covered);
}

const MAX_NAME_LENGTH = 400;
const canBeName = (value: Json): boolean =>
  typeof value === 'string' && value !== '' && value.length <= MAX_NAME_LENGTH && !hasControlCharacters(value);

/** Values that are no text are payloads of variants that are numbered. */
function madeVariants(values: readonly Json[]): Variants {
  const isText = values.every(canBeName);
  const texts = values.map((value) => JSON.stringify(value));
  const names = values.map((value, at) => (isText ? String(value) : `value ${at + 1}`));
  const nameOf = (value: Json): string => names[texts.indexOf(JSON.stringify(value))] ?? '';
  const payloads = isText ? [] : values.map((value): [string, Json] => [nameOf(value), value]);
  return { names, payloads: Object.fromEntries(payloads), nameOf };
}

const namedVariants = (variants: NonNullable<DecisionList['variants']>): Variants => ({
  names: variants.map(({ name }) => name),
  payloads: Object.fromEntries(
    variants.flatMap(({ name, payload }) => (payload === undefined ? [] : [[name, payload]])),
  ),
  nameOf: (value) => (typeof value === 'boolean' ? value : String(value)),
});
