/** What is being edited: a flag's own fields, apart from what the server says about it. */
import { addCondition, conditionsOf, type Filters, propertiesOf, shareOf } from './filters.ts';
import { isComplete } from './operators.ts';
import { rollbackProblem, rollbacksOf } from './rollbacks.ts';
import { keyOf, ON, payloadOf, payloadProblem, totalOf, variantShare, variantsOf } from './variants.ts';

export interface Draft {
  key: string;
  name: string;
  filters: Filters;
  active: boolean;
  tags: readonly string[];
  ensure_experience_continuity: boolean;
  rollback_conditions: unknown;
  evaluation_runtime: 'all' | 'client' | 'server';
  bucketing_identifier: 'distinct_id' | 'device_id';
  is_remote_configuration: boolean;
}

export const FIELDS = [
  'key',
  'name',
  'filters',
  'active',
  'tags',
  'ensure_experience_continuity',
  'rollback_conditions',
  'evaluation_runtime',
  'bucketing_identifier',
  'is_remote_configuration',
] as const satisfies readonly (keyof Draft)[];

export const NEW_DRAFT: Draft = {
  key: '',
  name: '',
  filters: addCondition({}),
  active: true,
  tags: [],
  ensure_experience_continuity: false,
  rollback_conditions: null,
  evaluation_runtime: 'all',
  bucketing_identifier: 'distinct_id',
  is_remote_configuration: false,
};

/** A whole flag, or a kept version of one, which may lack what is newer than it. */
export const draftOf = (flag: Readonly<Record<string, unknown>>): Draft =>
  Object.fromEntries(FIELDS.map((field) => [field, flag[field] ?? NEW_DRAFT[field]])) as unknown as Draft;

/** Same JSON, whatever the order of names. */
export function sameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const [left, right] = [a as Record<string, unknown>, b as Record<string, unknown>];
  const names = Object.keys(left);
  return (
    names.length === Object.keys(right).length &&
    names.every((name) => Object.hasOwn(right, name) && sameJson(left[name], right[name]))
  );
}

/** The fields that are no longer what they were; these alone are sent. */
export const changesOf = (basis: Draft, draft: Draft): Partial<Draft> =>
  Object.fromEntries(
    FIELDS.filter((field) => !sameJson(basis[field], draft[field])).map((field) => [field, draft[field]]),
  );

/** Fields that both have changed since `basis`, and not to the same. */
export const clashesOf = (basis: Draft, mine: Draft, theirs: Draft): (keyof Draft)[] =>
  FIELDS.filter(
    (field) =>
      !sameJson(basis[field], mine[field]) &&
      !sameJson(basis[field], theirs[field]) &&
      !sameJson(mine[field], theirs[field]),
  );

/** What I have changed, on top of what it is now. */
export const rebase = (basis: Draft, mine: Draft, theirs: Draft): Draft => ({ ...theirs, ...changesOf(basis, mine) });

const KEY = /^[a-zA-Z0-9_-]+$/;
const VARIANT_KEY = /^[a-zA-Z0-9_./-]+$/;
const isShare = (value: number): boolean => value >= 0 && value <= 100;

export const keyProblem = (key: string): string | null => {
  if (key === '') return 'Give the flag a key: the name that code asks for.';
  return KEY.test(key) ? null : 'Use letters, numbers, - and _ alone: code asks for this name.';
};

export function variantProblem(filters: Filters, index: number): string | null {
  const variants = variantsOf(filters);
  const key = keyOf(variants[index] ?? {});
  if (key === '') return 'Give the variant a key.';
  if (!VARIANT_KEY.test(key)) return 'Use letters, numbers and _ . / - alone.';
  if (variants.filter((one) => keyOf(one) === key).length > 1) return `There are two variants called ${key}.`;
  return isShare(variantShare(variants[index] ?? {})) ? null : 'A share is between 0 and 100.';
}

/** What must be mended before it can be saved, in the order of the page. */
export function problemsOf({ key, filters, rollback_conditions }: Draft): string[] {
  const variants = variantsOf(filters);
  const conditions = conditionsOf(filters);
  const payloadKeys = variants.length > 0 ? variants.map(keyOf) : [ON];
  return [
    keyProblem(key),
    ...variants.map((_, index) => variantProblem(filters, index)),
    variants.length > 0 && totalOf(variants) !== 100
      ? `The shares of the variants make ${totalOf(variants)} %, not 100 %.`
      : null,
    ...payloadKeys.map((one) =>
      payloadProblem(payloadOf(filters, one)) === null ? null : `The payload of ${one} is not JSON.`,
    ),
    conditions.length === 0 ? 'A flag needs at least one condition. For everybody, add one without filters.' : null,
    ...conditions.flatMap((condition, index) => [
      isShare(shareOf(condition)) ? null : `Condition ${index + 1}: the share is between 0 and 100 %.`,
      propertiesOf(condition).every(isComplete) ? null : `Condition ${index + 1}: a filter is not complete.`,
    ]),
    ...rollbacksOf(rollback_conditions).map(rollbackProblem),
  ].filter((problem) => problem !== null);
}
