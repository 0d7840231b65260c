/** The `bucketing` of a condition: see `compile/compile-bucketing.ts`. */
import type { Json, JsonObject } from '../../../../core/json/json.ts';
import { bucketingCoverage } from '../filters-shape.ts';
import { isVendorHash, VENDOR_HASHES } from '../vendor-hash.ts';
import { invalidFlagFilters } from './filter-errors.ts';
import { listOfObjects } from './rollout-rules.ts';

const MAX_STEPS = 10;
const MAX_RANGES = 200;
const MAX_PARTS = 10_000_000;
const MAX_SALT_LENGTH = 1000;

export function checkBucketing(path: string, group: JsonObject, variants: ReadonlySet<string>): void {
  const { bucketing = null } = group;
  if (bucketing === null) return;
  const steps = listOfObjects(path, bucketing);
  if (steps.length === 0 || steps.length > MAX_STEPS) {
    throw invalidFlagFilters(`${path} must have 1 to ${MAX_STEPS} steps; leave it out to hash users in Cairn's way.`);
  }
  for (const [i, step] of steps.entries()) checkStep(`${path}[${i}]`, step, variants);
  checkCoverage(path, group, steps);
}

function checkStep(
  path: string,
  { hash, salt, by, of, ranges: given = [] }: JsonObject,
  variants: ReadonlySet<string>,
) {
  if (!isVendorHash(hash)) throw invalidFlagFilters(`${path}.hash must be one of ${VENDOR_HASHES.join(', ')}`);
  if (typeof salt !== 'string' || salt.length > MAX_SALT_LENGTH) {
    throw invalidFlagFilters(`${path}.salt must be a text of up to ${MAX_SALT_LENGTH} characters`);
  }
  if ((by ?? null) !== null && (typeof by !== 'string' || by === '')) {
    throw invalidFlagFilters(`${path}.by must be distinct_id or the name of a person property`);
  }
  if (typeof of !== 'number' || !Number.isInteger(of) || of < 1 || of > MAX_PARTS) {
    throw invalidFlagFilters(`${path}.of must be a whole number from 1 to ${MAX_PARTS}`);
  }
  const ranges = listOfObjects(`${path}.ranges`, given);
  if (ranges.length > MAX_RANGES) throw invalidFlagFilters(`${path}.ranges may have up to ${MAX_RANGES} ranges`);
  for (const [i, range] of ranges.entries()) {
    const { from, to } = range;
    const isRange = typeof from === 'number' && typeof to === 'number' && from >= 0 && from <= to && to <= of;
    if (!isRange) throw invalidFlagFilters(`${path}.ranges[${i}] must be from a number to a larger one, up to ${of}`);
    checkValue(`${path}.ranges[${i}].value`, range['value'] ?? null, variants);
  }
}

function checkValue(path: string, value: Json, variants: ReadonlySet<string>): void {
  if (value === null || typeof value === 'boolean' || (typeof value === 'string' && variants.has(value))) return;
  throw invalidFlagFilters(`${path} must be true, false or the key of a variant`);
}

/** A percentage that says something else than the ranges would have no effect, which nobody would notice. */
function checkCoverage(path: string, { rollout_percentage: given = null }: JsonObject, steps: readonly JsonObject[]) {
  const covered = bucketingCoverage(steps);
  if (typeof given === 'number' && Math.abs(given - covered) < 1e-6) return;
  throw invalidFlagFilters(
    `${path} puts users into ranges that cover ${covered} %, as another product does, so the rollout percentage cannot be ${given}. Rehash the flag first, or change the ranges too.`,
    'bucketing_coverage',
  );
}
