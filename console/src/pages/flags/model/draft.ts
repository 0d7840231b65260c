/** The editable fields of a flag. */
import { formatRollout } from '../../../lib/numbers.ts';
import { addCondition, conditionsOf, type Filters, propertiesOf, rolloutOf } from './filters.ts';
import { isComplete } from './operators.ts';
import { rollbackProblem, rollbacksOf } from './rollbacks.ts';
import { keyOf, totalOf, variantRollout, variantsOf } from './variants.ts';

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

/** From a flag, or an older version, which may lack newer fields. */
export const draftOf = (flag: Readonly<Record<string, unknown>>): Draft =>
  Object.fromEntries(FIELDS.map((field) => [field, flag[field] ?? NEW_DRAFT[field]])) as unknown as Draft;

/** Equal JSON, whatever the order of keys. */
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

/** The changed fields; only these are sent. */
export const changesOf = (base: Draft, draft: Draft): Partial<Draft> =>
  Object.fromEntries(
    FIELDS.filter((field) => !sameJson(base[field], draft[field])).map((field) => [field, draft[field]]),
  );

/** Fields that both have changed to different values. */
export const conflictsOf = (base: Draft, mine: Draft, theirs: Draft): (keyof Draft)[] =>
  FIELDS.filter(
    (field) =>
      !sameJson(base[field], mine[field]) &&
      !sameJson(base[field], theirs[field]) &&
      !sameJson(mine[field], theirs[field]),
  );

export const rebase = (base: Draft, mine: Draft, theirs: Draft): Draft => ({ ...theirs, ...changesOf(base, mine) });

const PLAIN_KEY = /^[a-zA-Z0-9_-]*$/;
const CONTROL = /\p{Cc}/u;
const isPercentage = (value: number): boolean => value >= 0 && value <= 100;

export const keyProblem = (key: string): string | null => {
  if (key === '') return 'Enter a key.';
  return CONTROL.test(key) ? 'Remove line breaks and other control characters.' : null;
};

/** Any text is a key, but not every tool takes any text. */
export const keyAdvice = (key: string): string | null =>
  PLAIN_KEY.test(key) ? null : 'Letters, numbers, hyphens and underscores are safe in every SDK and tool.';

export function variantProblem(filters: Filters, index: number): string | null {
  const variants = variantsOf(filters);
  const key = keyOf(variants[index] ?? {});
  if (key === '') return 'Enter a variant key.';
  if (CONTROL.test(key)) return 'Remove line breaks and other control characters.';
  if (variants.filter((one) => keyOf(one) === key).length > 1) return `Duplicate variant key ${key}.`;
  return isPercentage(variantRollout(variants[index] ?? {})) ? null : 'Enter a rollout percentage between 0 and 100.';
}

/** What must be fixed before saving, in the order of the page. */
export function problemsOf({ key, filters, rollback_conditions }: Draft): string[] {
  const variants = variantsOf(filters);
  const conditions = conditionsOf(filters);
  return [
    keyProblem(key),
    ...variants.map((_, index) => variantProblem(filters, index)),
    variants.length > 0 && totalOf(variants) !== 100
      ? `The variant rollouts must add up to ${formatRollout(100)}, not ${formatRollout(totalOf(variants))}.`
      : null,
    ...conditions.flatMap((condition, index) => [
      isPercentage(rolloutOf(condition))
        ? null
        : `Condition ${index + 1}: enter a rollout percentage between 0 and 100.`,
      propertiesOf(condition).every(isComplete) ? null : `Condition ${index + 1}: complete all filters.`,
    ]),
    ...rollbacksOf(rollback_conditions).map(rollbackProblem),
  ].filter((problem) => problem !== null);
}
