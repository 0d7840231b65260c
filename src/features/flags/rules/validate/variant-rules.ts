import { isJsonObject, type Json, type JsonObject } from '../../../../core/json/json.ts';
import { invalidFlagFilters, pythonText } from './filter-errors.ts';
import { checkRollout, listOfObjects } from './rollout-rules.ts';

const MAX_KEY_LENGTH = 400;
const KEY = /^[a-zA-Z0-9_./-]+$/;

/** Checks the variants and returns their keys; none for a boolean flag. */
export function checkVariants(multivariate: Json | undefined): Set<string> {
  if (multivariate === null || multivariate === undefined) return new Set();
  if (!isJsonObject(multivariate)) throw invalidFlagFilters('multivariate must be an object or null');
  const path = 'multivariate.variants';
  const variants = listOfObjects(path, multivariate['variants'] ?? []);
  const keys = variants.map(({ key }, i) => checkKey(`${path}[${i}].key`, key));
  const duplicate = keys.find((key, i) => keys.indexOf(key) !== i);
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
  if (key.length > MAX_KEY_LENGTH)
    throw invalidFlagFilters(`${path} must have no more than ${MAX_KEY_LENGTH} characters`);
  if (KEY.test(key)) return key;
  throw invalidFlagFilters(`${path} may hold letters, numbers and _ . / - alone, got '${pythonText(key)}'`);
}

/** Tolerates floating-point errors: thirds are written as 33.33, 33.33 and 33.34. */
function checkSum(variants: readonly JsonObject[]): void {
  const sum = variants.reduce((total, variant) => total + Number(variant['rollout_percentage']), 0);
  if (variants.length > 0 && Math.abs(sum - 100) > 1e-6) {
    throw invalidFlagFilters('Invalid variant definitions: Variant rollout percentages must sum to 100.');
  }
}
