/** Turns conditions that hash users as another product does into plain percentages, which Cairn and all SDKs hash. */
import type { JsonObject } from '../../../core/json/json.ts';
import {
  bucketingCoverage,
  bucketingOf,
  coverageOf,
  groupsOf,
  hasVendorBucketing,
  rangesOf,
  roundPercentage,
  variantsOf,
} from './filters-shape.ts';

/** Why plain percentages cannot say the same. */
export class NotRehashable extends Error {}

/** The percentages stay, the people change. */
export function rehash(filters: JsonObject): JsonObject {
  const groups = groupsOf(filters);
  if (!hasVendorBucketing(filters)) return filters;
  if (filters['early_exit'] === true) throw new NotRehashable('a condition that gives false comes before a percentage');
  const split = commonSplit(groups);
  return {
    ...filters,
    groups: groups.map((group, at) => rehashGroup(group, at === groups.length - 1)),
    ...(split === null
      ? {}
      : { multivariate: { ...asObject(filters['multivariate']), variants: withShares(filters, split) } }),
  };
}

const asObject = (value: unknown): JsonObject =>
  typeof value === 'object' && value !== null ? (value as JsonObject) : {};

function rehashGroup(group: JsonObject, isLast: boolean): JsonObject {
  const steps = bucketingOf(group);
  if (steps.length === 0) return group;
  const values = steps.flatMap(rangesOf).map(({ value = null }) => value);
  if (values.includes(false) && !isLast)
    throw new NotRehashable('a condition that gives false to some users comes before others');
  if (values.includes(true) && values.some((value) => typeof value === 'string'))
    throw new NotRehashable('a condition gives variants to some users and none to others');
  const { bucketing: _, ...rest } = group;
  return { ...rest, rollout_percentage: bucketingCoverage(steps) };
}

type Split = ReadonlyMap<string, number>;

/** The shares of variants that all conditions with variants in ranges agree on; null if none has. */
function commonSplit(groups: readonly JsonObject[]): Split | null {
  const splits = groups.flatMap((group) => {
    const step = bucketingOf(group).find((one) => rangesOf(one).some(({ value }) => typeof value === 'string'));
    return step === undefined ? [] : [splitOf(step)];
  });
  const [first = null, ...others] = splits;
  if (others.some((other) => !isSameSplit(first as Split, other)))
    throw new NotRehashable('its conditions split users in different ways');
  const plain = groups.filter((group) => bucketingOf(group).length === 0);
  if (first !== null && plain.some(({ variant = null }) => variant === null))
    throw new NotRehashable('its conditions split users in different ways');
  return first;
}

function splitOf(step: JsonObject): Split {
  const covered = coverageOf(step, ({ value }) => typeof value === 'string');
  const names = new Set(rangesOf(step).flatMap(({ value }) => (typeof value === 'string' ? [value] : [])));
  return new Map(
    [...names].map((name) => [
      name,
      roundPercentage((100 * coverageOf(step, ({ value }) => value === name)) / covered),
    ]),
  );
}

const isSameSplit = (one: Split, other: Split): boolean =>
  [...new Set([...one.keys(), ...other.keys()])].every((name) => (one.get(name) ?? 0) === (other.get(name) ?? 0));

const withShares = (filters: JsonObject, split: Split): JsonObject[] =>
  variantsOf(filters).map((variant) => ({ ...variant, rollout_percentage: split.get(String(variant['key'])) ?? 0 }));
