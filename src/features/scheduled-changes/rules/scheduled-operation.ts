/** What a scheduled change does to a flag. */
import { invalid } from '../../../core/errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../core/json/json.ts';
import { parseTimestamp } from '../../../core/time/parse-timestamp.ts';
import { changeRollout, NotOneRollout } from '../../flags/rules/change-rollout.ts';

/** A step of a gradual rollout. */
interface RampStep {
  at: number;
  rolloutPercentage: number;
}

export type FlagOperation =
  | { kind: 'update_status'; active: boolean }
  | { kind: 'add_release_condition'; conditions: JsonObject }
  | { kind: 'update_variants'; variants: JsonObject }
  | { kind: 'ramp'; condition: number; steps: readonly RampStep[]; haltIf: string | null };

/** At most this many steps in one gradual rollout. */
const MAX_STEPS = 50;

const bad = (detail: string, code?: string) => invalid('payload', detail, code);

/** Throws with what is wrong. */
export function readOperation(payload: Json): FlagOperation {
  if (!isJsonObject(payload)) throw bad('The payload is an object with operation and value.');
  const { operation, value = null } = payload;
  switch (operation) {
    case 'update_status':
      if (typeof value !== 'boolean') throw bad('The value of update_status is true or false.');
      return { kind: operation, active: value };
    case 'add_release_condition':
      if (!isJsonObject(value) || !Array.isArray(value['groups']) || value['groups'].length === 0)
        throw bad('The value of add_release_condition has groups: the conditions to add.');
      return { kind: operation, conditions: value };
    case 'update_variants':
      if (!isJsonObject(value) || !Array.isArray(value['variants']))
        throw bad('The value of update_variants has variants: all of them.');
      return { kind: operation, variants: value };
    case 'ramp':
      return readRamp(value);
    default:
      throw bad(
        'The operation is one of update_status, add_release_condition, update_variants, ramp.',
        'invalid_choice',
      );
  }
}

function readRamp(value: Json): FlagOperation {
  const { condition_index: condition = 0, steps = null, halt_if: haltIf = null } = isJsonObject(value) ? value : {};
  if (typeof condition !== 'number' || !Number.isSafeInteger(condition) || condition < 0)
    throw bad('condition_index is the place of a condition of the flag, from 0.');
  if (!Array.isArray(steps) || steps.length === 0 || steps.length > MAX_STEPS)
    throw bad(`steps is a list of 1 to ${MAX_STEPS} objects with at and rollout_percentage.`);
  if (haltIf !== null && (typeof haltIf !== 'string' || haltIf === ''))
    throw bad('halt_if is the id of an alert of the project: the rollout stops when it fires.');
  const read = steps.map(readStep);
  const isForward = read.every(({ at }, index) => index === 0 || at > (read[index - 1]?.at ?? 0));
  if (!isForward) throw bad('Each step of a gradual rollout is later than the one before.');
  return { kind: 'ramp', condition, steps: read, haltIf };
}

function readStep(step: Json): RampStep {
  const { at = null, rollout_percentage: percentage = null } = isJsonObject(step) ? step : {};
  const time = typeof at === 'string' ? parseTimestamp(at) : undefined;
  if (time === undefined) throw bad('at is a date and time such as 2026-01-31T10:00:00Z.');
  if (typeof percentage !== 'number' || !(percentage >= 0 && percentage <= 100))
    throw bad('rollout_percentage is a number from 0 to 100.');
  return { at: time, rolloutPercentage: percentage };
}

/** What of a flag an operation reads. */
interface ChangedFlag {
  active: boolean;
  filters: JsonObject;
}

/** The fields that change; of a gradual rollout, those of one step. Throws if it does not fit the flag. */
export function applyOperation(operation: FlagOperation, { filters }: ChangedFlag, step: number): Partial<ChangedFlag> {
  switch (operation.kind) {
    case 'update_status':
      return { active: operation.active };
    case 'add_release_condition':
      return { filters: addConditions(filters, operation.conditions) };
    case 'update_variants':
      return { filters: replaceVariants(filters, operation.variants) };
    case 'ramp':
      return { filters: setRollout(filters, operation.condition, operation.steps[step]?.rolloutPercentage ?? 0) };
  }
}

const groupsOf = ({ groups }: JsonObject): Json[] => (Array.isArray(groups) ? groups : []);

/** Conditions are added after those that are there; payloads of the same variant are replaced. */
function addConditions(filters: JsonObject, { groups = [], payloads, multivariate }: JsonObject): JsonObject {
  return {
    ...filters,
    groups: [...groupsOf(filters), ...groupsOf({ groups })],
    ...(isJsonObject(payloads) ? { payloads: { ...asObject(filters['payloads']), ...payloads } } : {}),
    ...(isJsonObject(multivariate) && !isJsonObject(filters['multivariate']) ? { multivariate } : {}),
  };
}

const replaceVariants = (filters: JsonObject, { variants = [], payloads = null }: JsonObject): JsonObject => ({
  ...filters,
  multivariate: { ...asObject(filters['multivariate']), variants },
  ...(isJsonObject(payloads) ? { payloads } : {}),
});

function setRollout(filters: JsonObject, condition: number, rolloutPercentage: number): JsonObject {
  const groups = groupsOf(filters);
  const changed = groups[condition];
  if (!isJsonObject(changed)) throw bad(`The flag has no condition ${condition} any more.`);
  try {
    return { ...filters, groups: groups.with(condition, changeRollout(changed, rolloutPercentage)) };
  } catch (error) {
    if (!(error instanceof NotOneRollout)) throw error;
    throw bad(
      `Condition ${condition + 1} puts users into ranges as another product does, and its percentage cannot become ${rolloutPercentage} %: ${error.message}. Rehash the flag first, or change its ranges.`,
      'not_one_rollout',
    );
  }
}

const asObject = (value: Json | undefined): JsonObject => (isJsonObject(value) ? value : {});
