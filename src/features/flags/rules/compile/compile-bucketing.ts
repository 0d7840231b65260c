/**
 * The `bucketing` of a condition: users are put into ranges by the hash function of another product instead of by the
 * rollout percentage. A user has to be in a range of every step. A range may have a value; it is the flag's then.
 */

import type { Subject } from '../subject.ts';
import { isVendorHash, type VendorHash, vendorPosition } from '../vendor-hash.ts';
import { type Inputs, invalidDefinition } from './check.ts';
import { ownProperty } from './compile-property.ts';
import { expectList, expectNumber, expectObject, expectText } from './read-definition.ts';

/** Null: in no range. Undefined: in a range without a value. */
export type Bucketing = (identifier: string, subject: Subject) => string | boolean | null | undefined;

interface BucketingStep {
  hash: VendorHash;
  salt: string;
  /** The person property that is hashed; null: the identifier. */
  property: string | null;
  of: number;
  ranges: readonly { from: number; to: number; value: string | boolean | undefined }[];
}

/** Null if the condition has none. */
export function compileBucketing(value: unknown, what: string, inputs: Inputs): Bucketing | null {
  const steps = expectList(value, `the bucketing ${what}`).map((step) => compileStep(step, what));
  if (steps.length === 0) return null;
  for (const { property } of steps) if (property !== null) inputs.personProperties.add(property);
  return (identifier, subject) => {
    let value: string | boolean | undefined;
    for (const step of steps) {
      const range = findRange(step, identifier, subject);
      if (range === undefined) return null;
      value = range.value ?? value;
    }
    return value;
  };
}

function findRange(
  step: BucketingStep,
  identifier: string,
  subject: Subject,
): BucketingStep['ranges'][number] | undefined {
  const position = positionIn(step, identifier, subject);
  return position === null ? undefined : step.ranges.find(({ from, to }) => position >= from && position < to);
}

function positionIn(
  { hash, salt, property, of }: BucketingStep,
  identifier: string,
  { properties }: Subject,
): number | null {
  const hashed = property === null ? identifier : hashableText(hash, ownProperty(properties, property));
  // LaunchDarkly gives the first variation to those without the attribute; elsewhere the condition does not apply.
  if (hashed === null) return hash === 'launchdarkly' ? 0 : null;
  return vendorPosition(hash, salt, hashed, of);
}

/** The text that the product hashes; null if it does not hash such a value. */
function hashableText(hash: VendorHash, value: unknown): string | null {
  if (hash === 'launchdarkly') return typeof value === 'string' || Number.isInteger(value) ? String(value) : null;
  if (value === undefined || value === null || value === '') return null;
  const isFalsy = value === false || value === 0;
  return isFalsy && hash.startsWith('growthbook') ? null : String(value);
}

function compileStep(value: unknown, what: string): BucketingStep {
  const step = expectObject(value, `a step of the bucketing ${what}`);
  const { hash, of } = step;
  if (!isVendorHash(hash)) throw invalidDefinition(`the hash ${what} is unknown`);
  if (typeof of !== 'number' || !(of >= 1))
    throw invalidDefinition(`the parts of the bucketing ${what} are not a number`);
  const by = expectText(step['by'], `what is hashed ${what}`) ?? 'distinct_id';
  return {
    hash,
    salt: expectText(step['salt'], `the salt ${what}`) ?? '',
    property: by === 'distinct_id' ? null : by,
    of,
    ranges: expectList(step['ranges'], `the ranges ${what}`).map((one) => {
      const { from, to, value } = expectObject(one, `a range ${what}`);
      if (value !== undefined && value !== null && typeof value !== 'string' && typeof value !== 'boolean')
        throw invalidDefinition(`the value of a range ${what} is neither a boolean nor a text`);
      return {
        from: expectNumber(from, `a range ${what}`) ?? 0,
        to: expectNumber(to, `a range ${what}`) ?? 0,
        value: value ?? undefined,
      };
    }),
  };
}
