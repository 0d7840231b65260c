/** Variants of a flag, their payloads, and the conditions that override them. */
import { conditionsOf, type Filters, isObject, type JsonObject, objectsIn } from './filters.ts';

export interface Variant extends JsonObject {
  readonly key?: unknown;
  readonly name?: unknown;
  readonly rollout_percentage?: unknown;
}

/** The payload key of a boolean flag. */
export const ON = 'true';

export const variantsOf = ({ multivariate }: Filters): Variant[] =>
  isObject(multivariate) ? objectsIn(multivariate['variants']) : [];

export const keyOf = (variant: Variant): string => (typeof variant.key === 'string' ? variant.key : '');

export const variantRollout = (variant: Variant): number =>
  typeof variant.rollout_percentage === 'number' ? variant.rollout_percentage : 0;

/** Rounded, because 33.33 + 33.33 + 33.34 is not exactly 100. */
export const totalOf = (variants: readonly Variant[]): number =>
  Math.round(variants.reduce((sum, variant) => sum + variantRollout(variant), 0) * 1e6) / 1e6;

const withVariants = (filters: Filters, variants: readonly Variant[]): Filters => ({
  ...filters,
  multivariate: { ...(isObject(filters['multivariate']) ? filters['multivariate'] : {}), variants },
});

const freeKey = (taken: readonly string[]): string => {
  const number = Array.from({ length: taken.length + 1 }, (_, index) => index + 1);
  return `variant-${number.find((one) => !taken.includes(`variant-${one}`)) ?? 1}`;
};

/** Gets the rest of 100%. */
export function addVariant(filters: Filters): Filters {
  const variants = variantsOf(filters);
  const rollout_percentage = Math.max(0, Math.round((100 - totalOf(variants)) * 100) / 100);
  return withVariants(filters, [...variants, { key: freeKey(variants.map(keyOf)), name: '', rollout_percentage }]);
}

export const putVariant = (filters: Filters, index: number, changes: Variant): Filters => {
  const variants = variantsOf(filters);
  return withVariants(filters, variants.with(index, { ...variants[index], ...changes }));
};

/** Also removes its payload, and its overrides in conditions. */
export function removeVariant(filters: Filters, index: number): Filters {
  const variants = variantsOf(filters);
  const key = keyOf(variants[index] ?? {});
  const rest = variants.toSpliced(index, 1);
  return withOverrides(setPayload(withVariants(filters, rest), key, null), key, null);
}

/** Also renames its payload, and its overrides in conditions. */
export function renameVariant(filters: Filters, index: number, key: string): Filters {
  const variants = variantsOf(filters);
  const before = keyOf(variants[index] ?? {});
  const renamed = putVariant(filters, index, { key });
  // With a duplicate key, it is unknown whose payload and overrides they are.
  if (before === key || variants.filter((one) => keyOf(one) === before).length > 1) return renamed;
  return withOverrides(renamePayload(renamed, before, key), before, key);
}

function withOverrides(filters: Filters, before: string, after: string | null): Filters {
  if (before === '') return filters;
  const groups = conditionsOf(filters).map((one) => (one.variant === before ? { ...one, variant: after } : one));
  return { ...filters, groups };
}

function renamePayload(filters: Filters, before: string, after: string): Filters {
  const { payloads } = filters;
  if (!isObject(payloads) || !Object.hasOwn(payloads, before)) return filters;
  const entries = Object.entries(payloads).map(([key, value]) => [key === before ? after : key, value]);
  return { ...filters, payloads: Object.fromEntries(entries) };
}

/** Equal rollouts that add up to exactly 100. */
export function spreadEvenly(filters: Filters): Filters {
  const variants = variantsOf(filters);
  const each = Math.floor(10_000 / variants.length) / 100;
  const last = Math.round((100 - each * (variants.length - 1)) * 100) / 100;
  const percentages = variants.map((_, index) => (index === variants.length - 1 ? last : each));
  return withVariants(
    filters,
    variants.map((variant, index) => ({ ...variant, rollout_percentage: percentages[index] })),
  );
}

/** Starts with two variants; the payload of the boolean flag is removed. */
export const makeMultivariate = (filters: Filters): Filters =>
  withVariants(setPayload(filters, ON, null), [
    { key: 'control', name: '', rollout_percentage: 50 },
    { key: 'test', name: '', rollout_percentage: 50 },
  ]);

export function makeBoolean(filters: Filters): Filters {
  const groups = conditionsOf(filters).map((condition) => ({ ...condition, variant: null }));
  return { ...filters, groups, multivariate: null, payloads: {} };
}

/** As JSON text. Payloads are stored as JSON strings, or as plain values by API clients. */
export function payloadOf({ payloads }: Filters, key: string): string {
  const payload = isObject(payloads) ? payloads[key] : undefined;
  if (payload === undefined || payload === null) return '';
  return typeof payload === 'string' ? payload : JSON.stringify(payload, null, 2);
}

/** Stored as a JSON string, which SDKs expect. Null or empty text removes it. */
export function setPayload(filters: Filters, key: string, text: string | null): Filters {
  const { [key]: _, ...rest } = isObject(filters['payloads']) ? filters['payloads'] : {};
  const isEmpty = text === null || text.trim() === '';
  if (isEmpty && !isObject(filters['payloads'])) return filters;
  return { ...filters, payloads: isEmpty ? rest : { ...rest, [key]: text } };
}

/** A payload may be plain text; but text that is almost JSON is most likely a mistake. */
export function payloadAdvice(text: string): string | null {
  if (text.trim() === '') return null;
  try {
    JSON.parse(text);
    return null;
  } catch (error) {
    return `Not JSON (${(error as Error).message}): your code gets it as text.`;
  }
}
