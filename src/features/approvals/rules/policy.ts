/** Which changes of a flag a policy asks approval for, and whom. Names on the wire are PostHog's. */
import { invalid } from '../../../core/errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../core/json/json.ts';
import { jsonEqual } from '../../../core/json/json-equal.ts';

export const ACTION_KEYS = ['feature_flag.enable', 'feature_flag.disable', 'feature_flag.update'] as const;
export type ActionKey = (typeof ACTION_KEYS)[number];

const COMPARE = {
  '>': (a: number, b: number) => a > b,
  '>=': (a: number, b: number) => a >= b,
  '<': (a: number, b: number) => a < b,
  '<=': (a: number, b: number) => a <= b,
  '==': (a: number, b: number) => a === b,
  '!=': (a: number, b: number) => a !== b,
} as const;
type Operator = keyof typeof COMPARE;

/** `any`: every change of that kind. The others look at rollout percentages only. */
type ChangeCondition =
  | { type: 'any' }
  | { type: 'any_change' }
  /** The percentage afterwards. */
  | { type: 'before_after'; operator: Operator; value: number }
  /** The difference, in percentage points. */
  | { type: 'change_amount'; operator: Operator; value: number };

type PolicyConditions = ChangeCondition & {
  /** Only flags that have one of these, before or after the change; null: all flags. */
  tags: string[] | null;
};

/** What a change request keeps of the policy under which it was made. */
export interface PolicyRules {
  conditions: PolicyConditions;
  quorum: number;
  /** Who may approve. If both lists are empty: the admins of the organization. */
  users: number[];
  roles: string[];
  allowSelfApprove: boolean;
  /** Who need not ask. */
  bypassLevels: number[];
  bypassRoles: string[];
}

const FIELD = 'rollout_percentage';
const MAX_TAGS = 100;

/** Throws with what is wrong. */
export function readConditions(given: Json, action: ActionKey): PolicyConditions {
  if (given === null) return { type: 'any', tags: null };
  if (!isJsonObject(given)) throw badConditions('conditions is an object such as {"type": "any"}.');
  const tags = readTags(given['tags']);
  const { type = 'any', operator, value } = given;
  if (type === 'any') return { type, tags };
  if (type !== 'any_change' && type !== 'before_after' && type !== 'change_amount')
    throw badConditions('The type is one of any, any_change, before_after, change_amount.', 'invalid_choice');
  if (action !== 'feature_flag.update')
    throw badConditions(`${type} is about percentages: it belongs to feature_flag.update.`);
  if (given['field'] !== FIELD) throw badConditions(`The field is ${FIELD}.`, 'invalid_choice');
  if (type === 'any_change') return { type, tags };
  if (typeof operator !== 'string' || !Object.hasOwn(COMPARE, operator))
    throw badConditions(`The operator is one of ${Object.keys(COMPARE).join(', ')}.`, 'invalid_choice');
  if (typeof value !== 'number' || !(value >= -100 && value <= 100))
    throw badConditions('The value is a number of percentage points, from -100 to 100.');
  return { type, operator: operator as Operator, value, tags };
}

const badConditions = (detail: string, code?: string) => invalid('conditions', detail, code);

function readTags(given: Json | undefined): string[] | null {
  if (given === undefined || given === null) return null;
  const isList = Array.isArray(given) && given.length > 0 && given.length <= MAX_TAGS;
  if (!isList || !given.every((tag): tag is string => typeof tag === 'string' && tag.trim() !== ''))
    throw badConditions(`tags is a list of 1 to ${MAX_TAGS} tags.`);
  return [...new Set(given.map((tag) => tag.trim().toLowerCase()))];
}

export function presentConditions(conditions: PolicyConditions): JsonObject {
  const { tags, ...rest } = conditions;
  return { ...rest, ...(rest.type === 'any' ? {} : { field: FIELD }), ...(tags === null ? {} : { tags }) };
}

/** What of a flag decides whether a change is covered. Filters are normalized: equal ones are equal as JSON. */
export interface FlagState {
  key: string;
  filters: JsonObject;
  active: boolean;
  deleted: boolean;
  tags: readonly string[];
  ensureExperienceContinuity: boolean;
  rollbackConditions: Json;
  evaluationRuntime: string;
  bucketingIdentifier: string;
  isRemoteConfiguration: boolean;
}

/** Fields whose change is an update. The description decides nothing. */
const UPDATED_FIELDS = [
  'key',
  'filters',
  'ensureExperienceContinuity',
  'rollbackConditions',
  'evaluationRuntime',
  'bucketingIdentifier',
  'isRemoteConfiguration',
] as const satisfies readonly (keyof FlagState)[];

const isOn = (flag: FlagState | null): boolean => flag?.active === true && !flag.deleted;

/** Whether a policy for this action asks for approval of the change. `before` null: the flag is new. */
export function isCovered(
  action: ActionKey,
  conditions: PolicyConditions,
  before: FlagState | null,
  after: FlagState,
): boolean {
  if (!hasTags(conditions, before, after)) return false;
  if (action === 'feature_flag.enable') return !isOn(before) && isOn(after);
  if (action === 'feature_flag.disable') return isOn(before) && !isOn(after);
  // A new flag is not an update.
  if (before === null) return false;
  return leavesTags(conditions, before, after) || (isUpdated(before, after) && fits(conditions, before, after));
}

function hasTags({ tags }: PolicyConditions, before: FlagState | null, after: FlagState): boolean {
  return tags === null || [...(before?.tags ?? []), ...after.tags].some((tag) => tags.includes(tag));
}

/** Otherwise whoever removes the tag could change the flag afterwards. */
const leavesTags = ({ tags }: PolicyConditions, before: FlagState, after: FlagState): boolean =>
  tags !== null && !after.tags.some((tag) => tags.includes(tag)) && before.tags.some((tag) => tags.includes(tag));

function isUpdated(before: FlagState, after: FlagState): boolean {
  // The removal of a flag that is off anyway; of one that is on, it is covered as disabling.
  if (before.deleted !== after.deleted && isOn(before) === isOn(after)) return true;
  return UPDATED_FIELDS.some((field) => !jsonEqual(before[field], after[field]));
}

function fits(conditions: PolicyConditions, before: FlagState, after: FlagState): boolean {
  const [old, now] = [rolloutPercentages(before.filters), rolloutPercentages(after.filters)];
  const paths = [...new Set([...old.keys(), ...now.keys()])];
  switch (conditions.type) {
    case 'any':
      return true;
    case 'any_change':
      return paths.some((path) => old.get(path) !== now.get(path));
    case 'before_after':
      return [...now.values()].some((value) => COMPARE[conditions.operator](value, conditions.value));
    case 'change_amount': {
      // A condition that is added or removed counts from or to nobody.
      const amounts = paths.map((path) => (now.get(path) ?? 0) - (old.get(path) ?? 0)).filter((amount) => amount !== 0);
      return amounts.some((amount) => COMPARE[conditions.operator](amount, conditions.value));
    }
  }
}

/** By their place in the filters. No percentage means everybody who matches. */
function rolloutPercentages(filters: JsonObject): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  const add = (place: string, list: Json | undefined): void => {
    if (!Array.isArray(list)) return;
    for (const [index, item] of list.entries()) {
      if (!isJsonObject(item)) continue;
      const { rollout_percentage: percentage } = item;
      found.set(`${place}[${index}]`, typeof percentage === 'number' ? percentage : 100);
    }
  };
  for (const place of ['groups', 'super_groups', 'holdout_groups']) add(place, filters[place]);
  const { multivariate } = filters;
  if (isJsonObject(multivariate)) add('multivariate.variants', multivariate['variants']);
  return found;
}
