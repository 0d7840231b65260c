/**
 * What flags of other products come down to: rules in order, of which the first that matches gives the value, and a default.
 * Written as a flag of ours, or refused with the reason.
 */
import type { Json, JsonObject } from '../../../../core/json/json.ts';
import { normalizeFilters, type PortableFlag } from '../portable-flag.ts';

type FlagValue = Json;

/** A value for everybody, or shares of values; `share` is a percentage. */
export type Outcome = { value: FlagValue } | { shares: readonly { value: FlagValue; share: number }[] };

export interface DecisionRule {
  properties: JsonObject[];
  outcome: Outcome;
  /** Of those who match, the others go on with the next rule. */
  rollout?: number;
}

export interface DecisionList {
  key: string;
  name: string;
  tags: string[];
  rules: DecisionRule[];
  otherwise: Outcome;
}

/** A flag of the data; reading it throws `NotImportable`. */
export interface FlagReader {
  key: string;
  read(): DecisionList;
}

interface ImportedFlag {
  flag: PortableFlag;
  /** Why some users get another value than before; null: everybody gets the same. */
  differs: string | null;
}

/** Why a flag cannot be imported. */
export class NotImportable extends Error {}

/** Each product hashes in its own way, so a share of 10 % are other people here. */
const OTHER_PEOPLE = 'the percentages are kept, but they are other people: each product hashes users in its own way';

export function toImportedFlag(list: DecisionList): ImportedFlag {
  const rules = reachable([...list.rules, { properties: [], outcome: list.otherwise }]);
  const values = rules.flatMap(({ outcome }) => valuesOf(outcome));
  const isBoolean = values.every((value) => typeof value === 'boolean');
  const filters = isBoolean ? booleanFilters(rules) : variantFilters(rules, values);
  const isSplit = rules.some(({ outcome, rollout = 100 }) => isPartial(outcome) || (rollout > 0 && rollout < 100));
  return {
    flag: {
      key: list.key,
      name: list.name,
      active: true,
      filters: normalizeFilters(filters),
      tags: [...new Set(list.tags.map((tag) => tag.trim().toLowerCase()))].sort(),
      ensure_experience_continuity: false,
      evaluation_runtime: 'all',
      bucketing_identifier: 'distinct_id',
      is_remote_configuration: false,
      rollback_conditions: null,
    },
    differs: isSplit ? OTHER_PEOPLE : null,
  };
}

/** Nothing comes after a rule that matches everybody; shares of nobody or of everybody are none. */
function reachable(rules: readonly DecisionRule[]): DecisionRule[] {
  const plain = rules
    .filter(({ rollout }) => rollout !== 0)
    .map((rule) => ({ ...rule, outcome: simplified(rule.outcome) }));
  const end = plain.findIndex(({ properties, rollout = 100 }) => properties.length === 0 && rollout >= 100);
  return end === -1 ? plain : plain.slice(0, end + 1);
}

function simplified(outcome: Outcome): Outcome {
  if (!('shares' in outcome)) return outcome;
  const some = outcome.shares.filter(({ share }) => share > 0);
  const [only] = some;
  return only !== undefined && some.length === 1 ? { value: only.value } : { shares: some };
}

const isPartial = (outcome: Outcome): boolean => 'shares' in outcome;
const valuesOf = (outcome: Outcome): FlagValue[] =>
  'shares' in outcome ? outcome.shares.map(({ value }) => value) : [outcome.value];

/** A rule that gives false stops those who match it: a group for 0 % that ends the search. */
function booleanFilters(rules: readonly DecisionRule[]): JsonObject {
  const given = [...rules];
  while (given.length > 0 && isFalse(given.at(-1)?.outcome)) given.pop();
  const stops = given.some(({ outcome }) => isFalse(outcome));
  const isSplit = given.some(({ outcome, rollout = 100 }) => isPartial(outcome) || rollout < 100);
  if (stops && isSplit) throw new NotImportable('a rule that gives false comes before a percentage');
  const groups = given.map(({ properties, outcome, rollout = 100 }) => ({
    properties,
    rollout_percentage: (trueShare(outcome) * rollout) / 100,
  }));
  return { groups, ...(stops ? { early_exit: true } : {}) };
}

const isFalse = (outcome: Outcome | undefined): boolean =>
  outcome !== undefined && 'value' in outcome && outcome.value === false;

const trueShare = (outcome: Outcome): number =>
  'value' in outcome
    ? outcome.value === true
      ? 100
      : 0
    : outcome.shares.reduce((sum, { value, share }) => sum + (value === true ? share : 0), 0);

/** Values that are no text are payloads of variants that are named after them. */
function variantFilters(rules: readonly DecisionRule[], values: readonly FlagValue[]): JsonObject {
  const distinct = [...new Map(values.map((value) => [JSON.stringify(value), value])).values()];
  const isText = distinct.every((value) => typeof value === 'string' && value !== '');
  const nameOf = (value: FlagValue): string => (isText ? String(value) : `value ${indexOf(distinct, value) + 1}`);
  const splits = new Map(
    rules.flatMap(({ outcome }) => ('shares' in outcome ? [[JSON.stringify(outcome.shares), outcome.shares]] : [])) as [
      string,
      readonly { value: FlagValue; share: number }[],
    ][],
  );
  if (splits.size > 1) throw new NotImportable('its rules split users in different ways');
  const [split] = splits.values();
  const shareOf = (value: FlagValue, at: number): number =>
    split ? split.reduce((sum, one) => sum + (sameJson(one.value, value) ? one.share : 0), 0) : at === 0 ? 100 : 0;
  const groups = rules.map(({ properties, outcome, rollout = 100 }) => ({
    properties,
    rollout_percentage: rollout,
    ...('value' in outcome ? { variant: nameOf(outcome.value) } : {}),
  }));
  return {
    groups,
    multivariate: {
      variants: distinct.map((value, at) => ({ key: nameOf(value), rollout_percentage: shareOf(value, at) })),
    },
    ...(isText ? {} : { payloads: Object.fromEntries(distinct.map((value) => [nameOf(value), value])) }),
  };
}

const sameJson = (one: FlagValue, other: FlagValue): boolean => JSON.stringify(one) === JSON.stringify(other);
const indexOf = (values: readonly FlagValue[], value: FlagValue): number =>
  values.findIndex((one) => sameJson(one, value));
