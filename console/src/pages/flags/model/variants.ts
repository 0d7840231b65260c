/** Variants of a flag, the payloads that go with them, and the conditions that hand one out. */
import { conditionsOf, type Filters, isObject, type JsonObject, objectsIn } from './filters.ts';

export interface Variant extends JsonObject {
  readonly key?: unknown;
  readonly name?: unknown;
  readonly rollout_percentage?: unknown;
}

/** The payload of a flag without variants. */
export const ON = 'true';

export const variantsOf = ({ multivariate }: Filters): Variant[] =>
  isObject(multivariate) ? objectsIn(multivariate['variants']) : [];

export const keyOf = (variant: Variant): string => (typeof variant.key === 'string' ? variant.key : '');

export const variantShare = (variant: Variant): number =>
  typeof variant.rollout_percentage === 'number' ? variant.rollout_percentage : 0;

/** Rounded to what people write: thirds are 33.33, 33.33 and 33.34. */
export const totalOf = (variants: readonly Variant[]): number =>
  Math.round(variants.reduce((sum, variant) => sum + variantShare(variant), 0) * 1e6) / 1e6;

const withVariants = (filters: Filters, variants: readonly Variant[]): Filters => ({
  ...filters,
  multivariate: { ...(isObject(filters['multivariate']) ? filters['multivariate'] : {}), variants },
});

const freeKey = (taken: readonly string[]): string => {
  const number = Array.from({ length: taken.length + 1 }, (_, index) => index + 1);
  return `variant-${number.find((one) => !taken.includes(`variant-${one}`)) ?? 1}`;
};

/** It takes what is left of 100. */
export function addVariant(filters: Filters): Filters {
  const variants = variantsOf(filters);
  const rollout_percentage = Math.max(0, Math.round((100 - totalOf(variants)) * 100) / 100);
  return withVariants(filters, [...variants, { key: freeKey(variants.map(keyOf)), name: '', rollout_percentage }]);
}

export const putVariant = (filters: Filters, index: number, changes: Variant): Filters => {
  const variants = variantsOf(filters);
  return withVariants(filters, variants.with(index, { ...variants[index], ...changes }));
};

/** Its payload goes with it, and conditions that handed it out let the share decide. */
export function removeVariant(filters: Filters, index: number): Filters {
  const variants = variantsOf(filters);
  const key = keyOf(variants[index] ?? {});
  const rest = variants.toSpliced(index, 1);
  return withOverrides(setPayload(withVariants(filters, rest), key, null), key, null);
}

/** Its payload and the conditions that hand it out follow. */
export function renameVariant(filters: Filters, index: number, key: string): Filters {
  const variants = variantsOf(filters);
  const before = keyOf(variants[index] ?? {});
  const renamed = putVariant(filters, index, { key });
  // While it has the name of another, what belongs to which cannot be told apart.
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

/** Equal shares that make 100 to the last hundredth. */
export function spreadEvenly(filters: Filters): Filters {
  const variants = variantsOf(filters);
  const each = Math.floor(10_000 / variants.length) / 100;
  const last = Math.round((100 - each * (variants.length - 1)) * 100) / 100;
  const shares = variants.map((_, index) => (index === variants.length - 1 ? last : each));
  return withVariants(
    filters,
    variants.map((variant, index) => ({ ...variant, rollout_percentage: shares[index] })),
  );
}

/** Two halves to begin with. The payload of 'on' belongs to nobody then. */
export const makeMultivariate = (filters: Filters): Filters =>
  withVariants(setPayload(filters, ON, null), [
    { key: 'control', name: '', rollout_percentage: 50 },
    { key: 'test', name: '', rollout_percentage: 50 },
  ]);

export function makeBoolean(filters: Filters): Filters {
  const groups = conditionsOf(filters).map((condition) => ({ ...condition, variant: null }));
  return { ...filters, groups, multivariate: null, payloads: {} };
}

/** As text to edit: a text is JSON already, anything else is written as such. */
export function payloadOf({ payloads }: Filters, key: string): string {
  const payload = isObject(payloads) ? payloads[key] : undefined;
  if (payload === undefined || payload === null) return '';
  return typeof payload === 'string' ? payload : JSON.stringify(payload, null, 2);
}

/** Texts of JSON are what SDKs read; null or nothing takes it away. */
export function setPayload(filters: Filters, key: string, text: string | null): Filters {
  const { [key]: _, ...rest } = isObject(filters['payloads']) ? filters['payloads'] : {};
  const isNone = text === null || text.trim() === '';
  if (isNone && !isObject(filters['payloads'])) return filters;
  return { ...filters, payloads: isNone ? rest : { ...rest, [key]: text } };
}

/** What is wrong with it as JSON; null where nothing is. */
export function payloadProblem(text: string): string | null {
  if (text.trim() === '') return null;
  try {
    JSON.parse(text);
    return null;
  } catch (error) {
    return `This is not JSON yet (${(error as Error).message}). Texts need quotation marks: "like this".`;
  }
}
