/**
 * Validates a flag's filters by themselves; references to cohorts and flags are checked in `references.ts`. Filters are
 * stored as they were sent, unknown fields included.
 */
import { isJsonObject, type Json, type JsonObject } from '../../../../core/json/json.ts';
import { jsonBytes } from '../../../../core/json/json-bytes.ts';
import { hasControlCharacters } from '../../../../core/json/text.ts';
import { checkBucketing } from './bucketing-rules.ts';
import { invalidFlagFilters, pythonText } from './filter-errors.ts';
import { checkPayloadSchema } from './payload-schema-rules.ts';
import { checkProperty, checkPropertyType } from './property-rules.ts';
import { checkRollout, groupTypeIndex, listOfObjects } from './rollout-rules.ts';

/** Every server keeps the filters of all flags in memory, and SDKs download them. */
const MAX_FILTERS_BYTES = 512 * 1024;
/** A payload is part of the answer for every user. */
const MAX_PAYLOAD_BYTES = 128 * 1024;
const MAX_GROUPS = 500;

/** Throws a `Failure` for the first problem. */
export function validateFilters(filters: JsonObject): void {
  if (jsonBytes(filters) > MAX_FILTERS_BYTES) {
    throw invalidFlagFilters(
      `The filters of a flag may have up to ${MAX_FILTERS_BYTES} bytes as JSON. Put long lists of users into a static cohort.`,
      'too_large',
    );
  }
  const flagGroupType = groupTypeIndex('aggregation_group_type_index', filters['aggregation_group_type_index']);
  const variants = checkVariants(filters['multivariate']);
  const groups = listOfObjects('groups', filters['groups']);
  if (groups.length > MAX_GROUPS) throw invalidFlagFilters(`A flag takes up to ${MAX_GROUPS} groups.`, 'too_large');
  for (const [i, group] of groups.entries()) {
    const path = `groups[${i}]`;
    const own = groupTypeIndex(`${path}.aggregation_group_type_index`, group['aggregation_group_type_index']);
    checkGroup(path, group, own ?? flagGroupType);
    checkOverride(group['variant'], (variant) => variants.has(variant));
    checkBucketing(`${path}.bucketing`, group, variants);
  }
  // These apply to persons, also on flags for groups.
  for (const name of ['super_groups', 'holdout_groups']) {
    for (const [i, group] of listOfObjects(name, filters[name] ?? []).entries()) {
      checkGroup(`${name}[${i}]`, group, null);
      checkOverride(group['variant'], () => true);
    }
  }
  const { holdout = null } = filters;
  if (holdout !== null && !isJsonObject(holdout)) throw invalidFlagFilters('holdout must be an object or null');
  checkPayloads(filters['payloads'], variants);
  checkPayloadSchema(filters);
}

function checkGroup(path: string, group: JsonObject, aggregation: number | null): void {
  checkRollout(`${path}.rollout_percentage`, group['rollout_percentage'], true);
  const properties = listOfObjects(`${path}.properties`, group['properties'] ?? []);
  for (const property of properties) checkPropertyType(property, aggregation);
  for (const property of properties) checkProperty(property);
}

function checkOverride(variant: Json | undefined, exists: (variant: string) => boolean): void {
  if (variant === undefined || variant === null || variant === '') return;
  if (typeof variant === 'string' && exists(variant)) return;
  throw invalidFlagFilters('Filters are not valid (variant override does not exist)');
}

/** A new flag says whom it reaches: an empty list of groups reaches nobody. */
export function requireGroups(filters: JsonObject): void {
  if ((filters['groups'] ?? null) === null) {
    throw invalidFlagFilters('Feature flags must have at least one condition set (group).');
  }
}

/** Payloads are JSON values, JSON in a string as consoles send it, or plain text; all are stored unchanged. */
function checkPayloads(payloads: Json | undefined, variants: ReadonlySet<string>): void {
  if (payloads === null || payloads === undefined) return;
  if (!isJsonObject(payloads)) throw invalidFlagFilters('Payloads must be passed as a dictionary');
  const keys = Object.keys(payloads);
  if (variants.size > 0 && !keys.every((key) => variants.has(key))) {
    throw invalidFlagFilters('Payload keys must match a variant key for multivariate flags');
  }
  if (variants.size === 0 && !keys.every((key) => key === 'true')) {
    throw invalidFlagFilters("Payload keys must be 'true' for boolean flags");
  }
  const tooLarge = keys.find((key) => jsonBytes(payloads[key]) > MAX_PAYLOAD_BYTES);
  if (tooLarge !== undefined) {
    throw invalidFlagFilters(
      `The payload of '${pythonText(tooLarge)}' is too large: up to ${MAX_PAYLOAD_BYTES} bytes as JSON are possible.`,
      'too_large',
    );
  }
}

const MAX_KEY_LENGTH = 400;

/** The people of another variant whom a guardrail of an experiment gave this one: a second range of the same variant. */
const isRolledBack = (variant: JsonObject | undefined): boolean => typeof variant?.['rolled_back_from'] === 'string';

/** Checks the variants and returns their keys; none for a boolean flag. */
function checkVariants(multivariate: Json | undefined): Set<string> {
  if (multivariate === null || multivariate === undefined) return new Set();
  if (!isJsonObject(multivariate)) throw invalidFlagFilters('multivariate must be an object or null');
  const path = 'multivariate.variants';
  const variants = listOfObjects(path, multivariate['variants'] ?? []);
  const keys = variants.map(({ key }, i) => checkKey(`${path}[${i}].key`, key));
  const duplicate = keys.find((key, i) => keys.indexOf(key) !== i && !isRolledBack(variants[i]));
  if (duplicate !== undefined) {
    throw invalidFlagFilters(`Invalid variant definitions: there are two variants '${duplicate}'.`);
  }
  for (const [i, { rollout_percentage }] of variants.entries()) {
    checkRollout(`${path}[${i}].rollout_percentage`, rollout_percentage, false);
  }
  checkSum(variants);
  return new Set(keys);
}

function checkKey(path: string, key: Json | undefined): string {
  if (typeof key !== 'string' || key === '') throw invalidFlagFilters(`${path} must be a text that is not empty`);
  if ([...key].length > MAX_KEY_LENGTH)
    throw invalidFlagFilters(`${path} must have no more than ${MAX_KEY_LENGTH} characters`);
  if (!hasControlCharacters(key)) return key;
  throw invalidFlagFilters(`${path} may not contain control characters, such as line breaks`);
}

/** Tolerates floating-point errors: thirds are written as 33.33, 33.33 and 33.34. */
function checkSum(variants: readonly JsonObject[]): void {
  const sum = variants.reduce((total, variant) => total + Number(variant['rollout_percentage']), 0);
  if (variants.length > 0 && Math.abs(sum - 100) > 1e-6) {
    throw invalidFlagFilters('Invalid variant definitions: Variant rollout percentages must sum to 100.');
  }
}
